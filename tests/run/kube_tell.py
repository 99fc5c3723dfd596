# SPDX-License-Identifier: Apache-2.0
"""What a real monitor tells in a cluster whose API server is a test's own"""

import urllib.parse

import harness
import kube_monitor
from fake_cluster import Cluster, answer, status, vcjob

EVENTS = "/apis/events.k8s.io/v1/namespaces/lab/events"
MASTER = "/api/v1/namespaces/lab/pods/heat-master-0/status"


class Told(Cluster):
    """One with a pod of the coordinator, and a place for Events."""

    def __init__(self, *args):
        self.told, self.conditions, self.conflicts = [], [], 1
        self.forbidden = False
        super().__init__(*args)
        self.pods["heat-master-0"] = self.stamp({
            "metadata": {"name": "heat-master-0", "uid": "pod-m", "labels": {
                "bellows.io/job": "heat", "bellows.io/role": "coordinator"}},
            "status": {"phase": "Running", "podIP": "127.0.0.1", "conditions": [
                {"type": "Ready", "status": "True"}]}})

    def route(self, request):
        path = urllib.parse.urlsplit(request["path"]).path
        if path == EVENTS and request["method"] == "POST":
            return self.tell(harness.json.loads(request["body"]))
        if path == MASTER and request["method"] == "PATCH":
            return self.hold(harness.json.loads(request["body"]))
        return super().route(request)

    def tell(self, event):
        if self.forbidden:
            return status(403, "Forbidden", 'events.events.k8s.io is '
                          'forbidden: User "t" cannot create resource "events" '
                          'in API group "events.k8s.io" in the namespace "lab"')
        assert event["regarding"]["uid"] == "job-1", event
        self.told.append((event["reason"], event["note"]))
        return answer(201, event)

    def hold(self, patch):
        pod = self.pods["heat-master-0"]
        if self.conflicts:  # the kubelet was there first
            self.conflicts -= 1
            self.stamp(pod)
        if patch["metadata"]["resourceVersion"] != \
                pod["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the object has been modified")
        pod["status"]["conditions"] = patch["status"]["conditions"]
        self.conditions.append({
            each["type"]: (each["status"], each.get("reason"))
            for each in pod["status"]["conditions"]})
        return answer(200, self.stamp(pod))

    def reasons(self):
        return [reason for reason, _ in self.told]


def bed(room, work, **keys):
    kube_monitor.Cluster = Told
    return kube_monitor.Bed(room, work, vcjob(2, 2), **keys)


def a_grow_is_told_step_by_step_and_a_refusal_with_its_numbers(room):
    work = harness.lasting_work()
    with bed(room, work) as at:
        monitor = at.monitor()
        room.runs_on(2)
        room.scale(3).ends_with(0)
        room.scale(99).ends_with(76)
        room.finishes(at.coordinator, work)
        monitor.ends_with(0)
        assert at.api.reasons() == [
            "Started", "ScaleRequested", "Growing", "CheckpointWritten",
            "Relaunched", "Resized", "ScaleDeclined", "Completed"], at.api.told
        notes = dict(at.api.told)
        assert notes["ScaleRequested"].startswith("2 -> 3 ranks: ")
        assert notes["CheckpointWritten"].startswith("checkpoint of step")
        assert "3 -> 99 ranks: 99 is more than ranks.max" in \
            notes["ScaleDeclined"], notes
        last = at.api.conditions[-1]
        assert last["Ready"][0] == "True", last
        assert last["bellows.io/Running"] == ("False", "Completed"), last
        assert last["bellows.io/Resized"] == ("True", "Done"), last
        # a rescale may be over before the conditions of before were taken
        assert last["bellows.io/Scaling"] == ("False", "Steady"), last


def another_monitor_repeats_nothing(room):
    with bed(room, harness.work_for(60)) as at:
        first = at.monitor()
        room.runs_on(2)
        room.scale(3).ends_with(0)
        room.wait("it is told", lambda: "Resized" in at.api.reasons())
        first.tell(9)
        first.end()
        before = at.api.reasons()
        second = at.monitor()
        room.wait("it has seen the job",
                  lambda: "state=running" in second.errors)
        room.scale(2).ends_with(0)
        room.wait("it is told", lambda: at.api.reasons().count("Resized") == 2)
        assert at.api.reasons() == before + [
            "ScaleRequested", "CheckpointWritten", "Relaunched",
            "Resized"], at.api.told


def a_lost_worker_is_told(room):
    with bed(room, harness.work_for(60)) as at:
        at.monitor()
        room.runs_on(2)
        at.api.programs["heat-worker-1"].tell(9)
        room.wait("it is told", lambda: "Recovered" in at.api.reasons())
        # its replacement may come before the coordinator has given it up, or
        # too late: then it is sent away
        told = [(reason, note) for reason, note in at.api.told
                if reason != "ExecutorsMissing"
                and not note.startswith("heat-bellows-0 ")]
        assert [reason for reason, _ in told[:4]] == [
            "Started", "WorkerLost", "Recovering", "Relaunched"], at.api.told
        assert "heat-worker-1 was lost" in dict(told)["WorkerLost"]


def a_worker_that_is_to_leave_is_told_and_is_not_lost(room):
    with bed(room, harness.work_for(60)) as at:
        at.monitor()
        room.runs_on(2)
        at.api.programs["heat-worker-1"].tell(15)
        room.wait("it is told", lambda: "Recovered" in at.api.reasons())
        reasons = at.api.reasons()
        assert "WorkerLost" not in reasons, at.api.told
        assert "ExecutorsMissing" not in reasons, at.api.told
        assert reasons.index("WorkerLeaving") < reasons.index("Recovering")
        note = dict(at.api.told)["WorkerLeaving"]
        assert note.startswith("heat-worker-1 is to leave within 2"), note


def pods_that_share_processors_against_the_job_file_are_told_once(room):
    work = harness.work_for(5)
    with bed(room, work, placement="{exclusive: true}") as at:
        monitor = at.monitor()
        at.coordinator.ends_with(0, 180)
        monitor.ends_with(0)
        notes = [note for reason, note in at.api.told
                 if reason == "ProcessorsShared"]
        assert len(at.api.made) > 1 and len(notes) == 1, at.api.told
        assert notes[0].startswith(
            "pod heat-worker-0 is BestEffort and not Guaranteed"), notes
        assert monitor.errors.count(notes[0]) == 1, monitor.errors
        assert harness.digest(at.coordinator.output) == work.digest()


def without_the_right_to_tell_the_job_goes_on(room):
    work = harness.work_for(5)
    with bed(room, work) as at:
        at.api.forbidden = True
        monitor = at.monitor()
        at.coordinator.ends_with(0, 180)
        monitor.ends_with(0)
        assert "events are not told: " in monitor.errors
        assert monitor.errors.count("events are not told") == 1
        assert harness.digest(at.coordinator.output) == work.digest()


if __name__ == "__main__":
    harness.main(a_grow_is_told_step_by_step_and_a_refusal_with_its_numbers,
                 another_monitor_repeats_nothing, a_lost_worker_is_told,
                 a_worker_that_is_to_leave_is_told_and_is_not_lost,
                 pods_that_share_processors_against_the_job_file_are_told_once,
                 without_the_right_to_tell_the_job_goes_on)
