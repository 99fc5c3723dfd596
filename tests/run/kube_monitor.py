# SPDX-License-Identifier: Apache-2.0
"""Executors that are pods, by a monitor whose API server is a test's own

Coordinator, monitor, executors and ranks are the real ones; what the API would
have a kubelet do is done here, by processes of this machine.
"""

import json
import pathlib
import signal

import harness
from fake_cluster import Cluster, quota, vcjob
from fake_kube import make_keys


class Bed:
    """A coordinator, and a cluster for it."""

    def __init__(self, room, work, job, **keys):
        self.room, self.monitors = room, []
        self.file = room.job(work, scale=keys.pop("scale", "{deadline: 60s}"),
                             **keys)
        state = room.path("state", "heat")
        self.coordinator = room.start(
            "bellows-coordinator", "--job", self.file, "--state", state,
            "--listen", "127.0.0.1:0", "--unencrypted")
        self.address = room.wait("an address", lambda: harness.read(
            f"{state}/address", "r").strip())
        keys_at = pathlib.Path(room.path("keys"))
        make_keys(keys_at)
        self.api = Cluster(keys_at, room, self.address, job)
        self.config = room.write("kubeconfig", json.dumps({
            "current-context": "x",
            "clusters": [{"name": "c", "cluster": {
                "server": f"https://127.0.0.1:{self.api.port}",
                "certificate-authority": str(keys_at / "ca.crt")}}],
            "users": [{"name": "u", "user": {"token": "t"}}],
            "contexts": [{"name": "x", "context": {
                "cluster": "c", "user": "u", "namespace": "lab"}}]}))

    def monitor(self, mode="pods"):
        # an address of this machine would be none for pods
        at = self.room.start(
            "bellows-monitor", "--job", self.file, "--coordinator",
            f"dns:{self.address}", "--unencrypted", "--provider", "kube",
            "--owner", "vcjob/heat", "--mode", mode, "--kubeconfig", self.config)
        self.monitors.append(at)
        return at

    def __enter__(self):
        return self

    def __exit__(self, lie, *_):
        if lie is None and not self.coordinator.is_over():
            self.room.run("bellows", "cancel", "heat").ends_with(0)
            self.coordinator.end()
        if lie is None:
            for monitor in self.monitors:
                monitor.end()
        self.api.__exit__()

    def ours(self):
        return [name for name in self.api.phases() if "-bellows-" in name]

    def trouble(self):
        job = self.room.status()
        return job and job["trouble"]


def pods_of_our_own_come_and_go_with_the_size(room):
    work = harness.lasting_work()
    with Bed(room, work, vcjob(2, 2)) as bed:
        monitor = bed.monitor()
        room.runs_on(2)
        assert bed.api.made == ["heat-worker-0", "heat-worker-1"]
        room.scale(4).ends_with(0)
        assert bed.ours() == ["heat-bellows-0", "heat-bellows-1"]
        room.scale(3).ends_with(0)
        room.wait("one is removed", lambda: bed.ours() == ["heat-bellows-0"])
        room.finishes(bed.coordinator, work)
        monitor.ends_with(0)
        assert not bed.ours()
        assert len(bed.api.made) == 4, bed.api.made


def replicas_of_the_task_come_and_go_with_the_size(room):
    work = harness.lasting_work()
    with Bed(room, work, vcjob(2, 1)) as bed:
        monitor = bed.monitor("replicas")
        room.runs_on(2)
        room.scale(4).ends_with(0)
        assert len(bed.api.phases()) == 4
        room.scale(3).ends_with(0)
        room.wait("the highest is given back",
                  lambda: "heat-worker-3" not in bed.api.phases())
        assert bed.api.job["spec"]["tasks"][1]["replicas"] == 3
        room.finishes(bed.coordinator, work)
        monitor.ends_with(0)


def a_job_that_restarts_whole_gets_no_replicas(room):
    policy = {"event": "PodEvicted", "action": "RestartJob"}
    with Bed(room, harness.work_for(60), vcjob(2, 1, [policy]),
             scale="{deadline: 3s}") as bed:
        bed.monitor("replicas")
        room.runs_on(2)
        result = room.scale(3)
        result.ends_with(76)
        assert "PodEvicted: RestartJob" in result.output, result.output
        assert len(bed.api.phases()) == 2


def a_quota_is_told_and_the_job_grows_once_it_is_lifted(room):
    with Bed(room, harness.work_for(60), vcjob(2, 2),
             scale="{deadline: 4s}") as bed:
        bed.monitor()
        room.runs_on(2)
        bed.api.refusal = quota()
        result = room.scale(3)
        result.ends_with(76)
        assert "quota" in result.output, result.output
        room.computes_on(2)
        bed.api.refusal = None
        room.runs_on(3)
        room.wait("it is taken back", lambda: bed.trouble() == "")


def a_pod_that_never_starts_is_told_and_taken_back(room):
    waits = {"containerStatuses": [{"image": "no:dev", "state": {"waiting": {
        "reason": "ErrImagePull", "message": "not found"}}}]}
    with Bed(room, harness.work_for(60), vcjob(2, 2),
             scale="{deadline: 5s}") as bed:
        bed.monitor()
        room.runs_on(2)
        bed.api.spec = waits
        result = room.scale(3)
        result.ends_with(76)
        assert "heat-bellows-0: image no:dev is not to be had" in \
            result.output, result.output
        room.run("bellows", "scale", "heat", 2).ends_with(0)
        room.wait("it is removed", lambda: not bed.ours())


def an_api_that_was_away_in_a_grow_costs_nothing(room):
    with Bed(room, harness.work_for(60), vcjob(2, 2)) as bed:
        monitor = bed.monitor()
        room.runs_on(2)
        bed.api.away = True
        room.run("bellows", "scale", "heat", 4).ends_with(0)
        room.wait("that it is away", bed.trouble)
        assert not monitor.is_over()
        bed.api.away = False
        room.runs_on(4)
        room.wait("that it is back", lambda: bed.trouble() == "")
        assert len(bed.api.made) == len(set(bed.api.made)) == 4


def a_monitor_that_was_killed_is_followed_by_another(room):
    with Bed(room, harness.work_for(60), vcjob(2, 2)) as bed:
        first = bed.monitor()
        room.runs_on(2)
        room.run("bellows", "scale", "heat", 5).ends_with(0)
        room.wait("some pods", bed.ours)
        first.tell(signal.SIGKILL)
        first.end()
        bed.monitor()
        room.runs_on(5)
        assert len(bed.api.made) == len(set(bed.api.made)) == 5
        room.run("bellows", "cancel", "heat").ends_with(0)
        room.wait("they are removed", lambda: not bed.ours())
        bed.coordinator.end()


def a_monitor_that_is_told_to_end_leaves_the_pods(room):
    with Bed(room, harness.work_for(60), vcjob(1, 1)) as bed:
        monitor = bed.monitor()
        room.runs_on(2)
        monitor.tell(signal.SIGTERM)
        monitor.ends_with(128 + signal.SIGTERM)
        assert bed.ours() == ["heat-bellows-0"]
        room.runs_on(2)


def a_removal_that_the_end_broke_off_is_repeated(room):
    with Bed(room, harness.work_for(60), vcjob(2, 2)) as bed:
        monitor = bed.monitor()
        room.runs_on(2)
        room.scale(3).ends_with(0)
        bed.api.held = "heat-bellows-0"
        room.scale(2).ends_with(0)
        room.wait("a removal", lambda: bed.api.removals("heat-bellows-0"))
        bed.api.held = None
        room.run("bellows", "cancel", "heat").ends_with(0)
        bed.coordinator.end()
        monitor.ends_with(0)
        assert not bed.ours()


def a_pod_deleted_by_hand_is_made_again_when_it_is_wanted(room):
    with Bed(room, harness.work_for(60), vcjob(1, 1), ranks=(2, 2, 4)) as bed:
        bed.monitor()
        room.runs_on(2)
        with bed.api.changed:
            bed.api.remove("heat-bellows-0")
        room.wait("another one", lambda: len(bed.api.made) == 3)
        room.wait_job("a recovery", lambda job: job["history"]
                      and job["history"][-1]["result"] == "done")
        room.runs_on(2)


if __name__ == "__main__":
    harness.main(
        pods_of_our_own_come_and_go_with_the_size,
        replicas_of_the_task_come_and_go_with_the_size,
        a_job_that_restarts_whole_gets_no_replicas,
        a_quota_is_told_and_the_job_grows_once_it_is_lifted,
        a_pod_that_never_starts_is_told_and_taken_back,
        an_api_that_was_away_in_a_grow_costs_nothing,
        a_monitor_that_was_killed_is_followed_by_another,
        a_monitor_that_is_told_to_end_leaves_the_pods,
        a_removal_that_the_end_broke_off_is_repeated,
        a_pod_deleted_by_hand_is_made_again_when_it_is_wanted,
    )
