#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is taken away from a job on a real Kubernetes and a real Volcano, or is
not to be had, and what becomes of it, as docs/kubernetes.md and docs/leaving.md
say.  args: BIN"""

import contextlib
import json
import os
import re
import signal
import subprocess
import time

import kube  # first: it knows where harness is
import cgroup
import elastic
import harness
import losses
import naps
from node import SANDBOX

PATIENCE = elastic.PATIENCE
VOLCANO, PLAIN = "volcano-parint", "plain-parint"
OURS = "app.kubernetes.io/managed-by=bellows-monitor"
EXECUTORS = "bellows.io/job=heat,bellows.io/role=executor"
LOSS = {"WorkerLost", "Recovering", "Recovered"}
MISSING = "15s"  # that executors which cannot come are waited for
REPLACED = 400  # seconds until the job of a dead coordinator's node goes on
AWAY = 10  # seconds: five times the longest pause between two attempts


class Heat(elastic.Heat):
    def begins(self, overlay):
        elastic.begin(self.space, overlay)
        self.runs_on(2)
        return self

    def asks(self, ranks):
        """Without waiting for what comes of it."""
        self.ask("scale", "heat", ranks).ends_with(0, PATIENCE)

    def cannot_have(self, ranks, *sentences):
        """The reason is told while executors are waited for, and the grow is
        dropped with it; the ranks never notice.  It is tried again until
        another size is stated."""
        before = self.status()
        asked = self.ask("scale", "heat", ranks, "--deadline", MISSING,
                         "--wait")

        def told():
            job = self.status()
            assert not asked.is_over(), asked.output
            return job and job["trouble"] and job
        job = self.space.wait("the reason", told)
        assert job["state"] == "growing", job["state"]
        asked.ends_with(76, PATIENCE)
        assert self.status()["want"] == ranks
        self.asks(before["ranks"])
        job = self.space.wait("it is told no more", lambda: at if (
            at := self.status()) and at["trouble"] == "" else None)
        result = job["history"][0]["result"]
        for sentence in sentences:
            assert sentence in result, result
            assert sentence in asked.output, asked.output
        assert (job["state"], job["ranks"], job["epoch"]) == \
            ("running", before["ranks"], before["epoch"])
        assert job["step"] > before["step"]
        notes = self.space.notes()
        assert "ExecutorsMissing" in notes and "ScaleDropped" in notes

    def changed(self, old, *new):
        """The first change from old to new ranks, or to one of these, once it
        is done."""
        def look():
            job = self.status()
            return job and next((at for at in job["history"]
                                 if at["from"] == old and at["to"] in new
                                 and at["result"]), None)
        at = self.space.wait(f"a change from {old} to {new} ranks", look)
        assert at["result"] == "done", at
        return at

    def ends_right(self, phase):
        self.ends(phase)
        assert harness.digest(self.output()) == elastic.WORK.digest()

    def restarted(self, selector=EXECUTORS):
        return sum(at["restartCount"] for pod in self.space.all("pods",
                                                                selector)
                   for at in pod["status"].get("containerStatuses", []))

    def has_restarted(self, before, executors=0, coordinators=0):
        """So many of its containers, in the pods that there were before.
        Volcano may remove executors' pods when the job is over."""
        self.space.wait("its containers are started again", lambda: (
            self.restarted(), self.restarted("bellows.io/role=coordinator")
        ) == (executors, coordinators))
        after = uids(self.space, "")
        assert {name: before[name] for name in after} == after


def uids(space, selector):
    return {pod["metadata"]["name"]: pod["metadata"]["uid"]
            for pod in space.all("pods", selector)}


def kill(space, pod, program):
    """Process 1 of its container, from the machine."""
    found = [pid for pid in space.processes(pod)
             if os.path.basename((harness.command(pid) or [""])[0]) == program]
    assert len(found) == 1, f"{len(found)} of {program} in {pod}"
    os.kill(found[0], signal.SIGKILL)


def said_in(space, pod, sentence):
    """Waits for it in the log of the container that runs now."""
    return space.wait(f"{pod} says '{sentence}'", lambda: sentence in
                      space.kubectl("logs", pod, check=False))


def millicores(text):
    return int(text[:-1]) if text.endswith("m") else int(1000 * float(text))


def container(cpu):
    """One that does nothing and has so many millicores."""
    return {"name": "c", "image": SANDBOX,
            "resources": {"requests": {"cpu": f"{cpu}m"}}}


def fill(space, spare):
    """node1, up to so many millicores."""
    node = space.cluster.api.read("/api/v1/nodes/node1")["status"]["allocatable"]["cpu"]
    used = sum(millicores(at["resources"]["requests"].get("cpu", "0"))
               for pod in space.all("pods") for at in pod["spec"]["containers"])
    space.apply(json.dumps({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "filler"},
        "spec": {"nodeName": "node1", "terminationGracePeriodSeconds": 0,
                 "containers": [container(millicores(node) - used - spare)]}}))
    space.runs("filler")


# ---- executors are taken away ----

def a_worker_deleted_by_hand_is_replaced_and_no_step_is_lost(room, space):
    heat = Heat(room, space).begins(VOLCANO)
    before = uids(space, EXECUTORS)
    space.kubectl("delete", "pod", "heat-worker-1", "--wait=false")
    assert heat.changed(2, 1)["repeated_steps"] == 0
    # Volcano makes the worker again.  The pod that the monitor has made in its
    # place is then deleted, and if it has joined meanwhile, a grow onto it is
    # dropped, and made again.
    grows = heat.runs_on(2)["history"][1:]
    assert [(at["from"], at["to"]) for at in grows] in (
        [(1, 2)], 2 * [(1, 2)]), grows
    assert grows[-1]["result"] == "done"
    assert not any(at["repeated_steps"] for at in grows), grows
    assert len(grows) == 1 or "executor=heat-bellows-0 leaves: it is " \
        "is drained" in space.logs("heat-master-0")
    heat.ends_right("Completed")
    after = uids(space, EXECUTORS)
    assert after.get("heat-worker-1") != before["heat-worker-1"]
    assert after.get("heat-worker-0") in (None, before["heat-worker-0"])
    assert heat.restarts() == 0
    assert "executor=heat-worker-1 released: it wanted to leave" in \
        space.logs("heat-master-0")
    assert "WorkerLost" not in space.notes()


def a_worker_killed_hard_is_told_and_comes_back(room, space):
    heat = Heat(room, space).begins(VOLCANO)
    before = uids(space, "")
    kill(space, "heat-worker-1", "bellows-executor")
    heat.tells(LOSS)
    notes = space.notes()
    assert notes["WorkerLost"].startswith("heat-worker-1 was lost: "), notes
    # 2 if its container is started again before the others go on; mpiexec may
    # miss its daemon before the coordinator misses the executor
    reason = heat.changed(2, 1, 2)["reason"]
    assert reason == "mpiexec lost one of its daemons" or \
        reason == notes["WorkerLost"], reason
    heat.runs_on(2)
    heat.has_restarted(before, executors=1)
    heat.ends_right("Completed")


def after_each_loss_of_4_pods_there_are_4_ranks_again(room, space):
    elastic.begin(space, VOLCANO, elastic.LONG, naps.BRISKLY)
    heat = Heat(room, space)
    heat.runs_on(2)
    figures = losses.Figures()
    for number in range(losses.TIMES):
        heat.scale(3).ends_with(0)
        heat.runs_on(3)
        heat.scale(4).ends_with(0)
        job = heat.runs_on(4)
        figures.asked(job)
        name = losses.member(job, number)
        began = time.monotonic()
        kill(space, name, "bellows-executor")
        after = space.wait(
            f"4 ranks again after the loss of {name}", lambda: at if (
                at := heat.status()) and losses.is_back(at, job["epoch"])
            else None, PATIENCE, elastic.AGAIN)
        figures.lost(time.monotonic() - began, after)
    figures.print()
    heat.ask("cancel", "heat").ends_with(0, PATIENCE)


@contextlib.contextmanager
def second_node(cluster):
    """One that pods are put on when the first is cordoned."""
    cluster.add_node(2)
    try:
        cluster.kubectl("cordon", "node2")
        yield "node2"
    finally:
        cluster.kubectl("uncordon", "node1")
        cluster.remove_node(2)


def grown_onto(room, space, node):
    """The job, on 2 ranks of the first node and 1 of this one; the pod there."""
    heat = Heat(room, space).begins(PLAIN)
    space.cluster.kubectl("uncordon", node)
    space.cluster.kubectl("cordon", "node1")
    heat.scale(3).ends_with(0)
    placed = {pod["metadata"]["name"]: pod["spec"]["nodeName"]
              for pod in space.all("pods", OURS)}
    assert sorted(placed.values()) == ["node1", "node1", node], placed
    return heat, next(name for name in placed if placed[name] == node)


def a_drained_node_is_left_and_the_job_grows_back(room, space):
    with second_node(space.cluster) as node:
        heat, _ = grown_onto(room, space, node)
        space.kubectl("drain", node, "--force", "--delete-emptydir-data",
                      f"--timeout={kube.PATIENCE - 20}s")
        assert heat.changed(3, 2)["repeated_steps"] == 0
        space.kubectl("uncordon", "node1")
        heat.changed(2, 3)
    heat.ends_right("Complete")
    assert heat.restarts() == 0


def led_from(room, space, node):
    """The job, on 2 ranks of this node, where coordinator and monitor are, and
    1 of the first node."""
    space.cluster.kubectl("cordon", "node1")
    space.cluster.kubectl("uncordon", node)
    heat = Heat(room, space).begins(PLAIN)
    space.cluster.kubectl("uncordon", "node1")
    space.cluster.kubectl("cordon", node)
    heat.scale(3).ends_with(0)
    return heat


def goes_on_at_the_first_node(space, heat, patience):
    job = space.wait("3 ranks at the first node", lambda: at if (
        at := heat.status()) and harness.runs(at, 3) and all(
            pod["spec"]["nodeName"] == "node1" for pod in space.all("pods"))
        else None, patience, elastic.AGAIN)
    heat.ends_right("Complete")
    return job


def a_drained_node_of_the_coordinator_is_left_and_the_job_goes_on(room, space):
    with second_node(space.cluster) as node:
        heat = led_from(room, space, node)
        space.kubectl("drain", node, "--force", "--delete-emptydir-data",
                      f"--timeout={kube.PATIENCE - 20}s")
        job = goes_on_at_the_first_node(space, heat, PATIENCE)
        assert not any(at["repeated_steps"] for at in job["history"]), job


def burn(space, number, *pods):
    """The node, and these pods on it: nothing is heard any more, not even that
    their connections end."""
    cluster = space.cluster.place
    for pod in pods:
        subprocess.run([*cluster.enter(space.processes(pod)[0], "net"),
                        "ip", "link", "set", "eth0", "down"], check=True)
    for pid in {*cluster.of_node(number),
                *cgroup.members(f"{cluster.cgroup}/node{number}")}:
        harness.send(pid, signal.SIGKILL)


def a_dead_node_of_the_coordinator_is_removed_and_the_job_goes_on(room, space):
    """A person removes the node.  Then Kubernetes gives up its pods, and the
    next coordinator waits until the former one cannot be there any more."""
    with second_node(space.cluster) as node:
        heat = led_from(room, space, node)
        burn(space, 2, *(pod["metadata"]["name"] for pod in space.all("pods")
                         if pod["spec"]["nodeName"] == node))
        space.cluster.kubectl("delete", "node", node)
        goes_on_at_the_first_node(space, heat, REPLACED)


def a_node_that_dies_is_told_and_the_job_grows_back(room, space):
    with second_node(space.cluster) as node:
        heat, lost = grown_onto(room, space, node)
        burn(space, 2, lost)
        heat.tells(LOSS)
        assert heat.changed(3, 2)["reason"] == \
            f"{lost} was lost: no report for 3 s"
        space.kubectl("uncordon", "node1")
        heat.changed(2, 3)
        heat.ends_right("Complete")
    assert heat.restarts() == 0


@contextlib.contextmanager
def reclaiming(space):
    """Volcano's scheduler takes back what another queue has a right to."""
    scheduler, option = space.cluster.part("vc-scheduler"), "--scheduler-conf="

    def exchange(argv):
        scheduler.stop()
        space.wait("it is gone", lambda: scheduler.pid() is None)
        before, scheduler.argv = scheduler.argv, argv(scheduler.argv)
        scheduler.start()
        return before

    def with_reclaim(argv):
        at = next(word for word in argv if word.startswith(option))
        path = space.cluster.place.path("reclaim.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(harness.read(at[len(option):], "r").replace(
                "allocate,", "allocate, reclaim,"))
        return [option + path if word == at else word for word in argv]
    usual = exchange(with_reclaim)
    try:
        yield
    finally:
        exchange(lambda _: usual)


def apply_other(space):
    """Somebody else's job, in a queue of its own."""
    space.apply(json.dumps({
        "apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
        "metadata": {"name": space.name}, "spec": {"weight": 1}}))
    space.apply(json.dumps({
        "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
        "metadata": {"name": "other"},
        "spec": {"minAvailable": 1, "schedulerName": "volcano",
                 "queue": space.name, "tasks": [
                     {"name": "only", "replicas": 1, "template": {"spec": {
                         "terminationGracePeriodSeconds": 0,
                         "containers": [container(80)]}}}]}}))


def what_volcano_reclaims_leaves_and_no_step_is_lost(room, space):
    with reclaiming(space):
        heat = Heat(room, space).begins(VOLCANO)
        fill(space, 50)
        apply_other(space)
        assert heat.changed(2, 1)["repeated_steps"] == 0
        space.runs("other-only-0")
    heat.ends_right("Completed")
    assert heat.restarts() == 0


# ---- the coordinator or the monitor is taken away ----

def a_killed_master_goes_on_from_its_checkpoint(room, space):
    heat = Heat(room, space).begins(VOLCANO)
    heat.scale(3).ends_with(0)
    before = uids(space, "")
    kill(space, "heat-master-0", "bellows-coordinator")
    said_in(space, "heat-master-0", "parint: resumed at iteration")
    heat.ends_right("Completed")
    heat.has_restarted(before, coordinators=1)
    assert "CoordinatorRestarted" in space.notes()


def a_monitor_killed_in_a_grow_makes_nothing_twice(room, space):
    heat = Heat(room, space).begins(VOLCANO)
    scheduler = space.cluster.part("vc-scheduler")
    scheduler.freeze()  # so that the grow is not over before
    try:
        heat.asks(4)
        space.wait("two pods more", lambda: len(space.pods(OURS)) == 2)
        before = uids(space, EXECUTORS)
        kill(space, "heat-monitor-0", "bellows-monitor")
        space.wait("it is started again", lambda: heat.restarted(
            "bellows.io/role=monitor") == 1)
        said_in(space, "heat-monitor-0", "pod=heat-bellows-1 have=")
    finally:
        scheduler.thaw()
    heat.runs_on(4)
    assert uids(space, EXECUTORS) == before
    heat.ends_right("Completed")
    assert heat.restarted() == 0


# ---- the API is away ----

class Direct(Heat):
    """Asked from inside the cluster's network."""

    def __init__(self, room, space):
        super().__init__(room, space)
        self.address = f"{space.pod('heat-master-0')['podIP']}:7000"
        self.token = os.path.join(
            elastic.files_of(room, space, "heat-token"), "token")
        self.tls = elastic.files_of(room, space, "heat-client-tls")

    def ask(self, verb, _job, *words):
        return self.room.start("bellows", verb, *words, "--connect",
                               self.address, "--token-file", self.token,
                               "--tls", self.tls)


def a_grow_outlives_an_api_server_that_is_away(room, space):
    heat = Heat(room, space).begins(VOLCANO)
    direct = Direct(room, space)
    server = space.cluster.part("kube-apiserver")
    server.stop()
    try:
        back = time.monotonic() + AWAY
        direct.asks(4)
        space.wait("that it is away", lambda: "cannot connect" in
                   direct.status()["trouble"], AWAY)
        first = direct.status()["step"]
        space.wait("the time is over", lambda: time.monotonic() > back)
        job = direct.status()
        assert (job["state"], job["ranks"]) == ("growing", 2), job["state"]
        assert job["step"] > first
    finally:
        server.start()
    space.wait("it answers", server.is_ready)
    job = heat.runs_on(4)
    assert [(at["from"], at["to"], at["result"]) for at in job["history"]] \
        == [(2, 4, "done")], job["history"]
    assert space.pods(OURS) == ["heat-bellows-0", "heat-bellows-1"]
    heat.ends_right("Completed")
    assert heat.restarts() == 0


# ---- executors that are not to be had ----

def a_full_node_is_told_in_the_scheduler_s_words(room, space):
    heat = Heat(room, space).begins(VOLCANO)
    fill(space, 50)
    heat.cannot_have(3, "heat-bellows-0 cannot be scheduled: ",
                     "Insufficient cpu")
    space.wait("it is taken back", lambda: not space.pods(OURS))


def an_image_that_is_not_there_is_told_before_the_deadline(room, space):
    heat = Heat(room, space).begins(PLAIN)
    space.kubectl("patch", "podtemplate", "heat-worker", "--type=json",
                  "--patch=" + json.dumps([{
                      "op": "replace", "value": "localhost/none:1",
                      "path": "/template/spec/containers/0/image"}]))
    heat.cannot_have(3, "heat-bellows-2: image localhost/none:1 is not to be "
                     "had (")
    space.wait("it is taken back", lambda: len(space.pods(OURS)) == 2)


def a_verb_that_the_role_lacks_is_named(room, space):
    heat = Heat(room, space).begins(VOLCANO)
    account = f"system:serviceaccount:{space.name}:heat-monitor"
    rules = space.get("role", "heat-monitor")["rules"]
    rules[0]["verbs"].remove("create")
    space.kubectl("patch", "role", "heat-monitor", "--type=merge",
                  "--patch=" + json.dumps({"rules": rules}))
    space.wait("it may not", lambda: space.kubectl(
        "auth", "can-i", "create", "pods", f"--as={account}",
        check=False) == "")
    heat.cannot_have(3, f"create pods heat-bellows-0 in namespace {space.name}"
                     f": forbidden for {account}; its role needs the verb "
                     '"create" on "pods"')
    assert not space.pods(OURS)


if __name__ == "__main__":
    kube.main(
        a_worker_deleted_by_hand_is_replaced_and_no_step_is_lost,
        a_worker_killed_hard_is_told_and_comes_back,
        after_each_loss_of_4_pods_there_are_4_ranks_again,
        a_killed_master_goes_on_from_its_checkpoint,
        an_image_that_is_not_there_is_told_before_the_deadline,
        a_verb_that_the_role_lacks_is_named,
        alone=(a_drained_node_is_left_and_the_job_grows_back,
               a_drained_node_of_the_coordinator_is_left_and_the_job_goes_on,
               *harness.some(
                   (a_dead_node_of_the_coordinator_is_removed_and_the_job_goes_on,),
                   ()),
               a_node_that_dies_is_told_and_the_job_grows_back,
               what_volcano_reclaims_leaves_and_no_step_is_lost,
               a_monitor_killed_in_a_grow_makes_nothing_twice,
               a_full_node_is_told_in_the_scheduler_s_words,
               a_grow_outlives_an_api_server_that_is_away),
        prepare=elastic.load)
