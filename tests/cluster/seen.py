#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a job on a real Kubernetes shows: to kubectl and its plug-in, to
Prometheus, and at its ports.  args: BIN"""

import glob
import http.client
import os
import re
import subprocess

import kube  # first: it knows where harness is
import applications
import elastic
import harness
import naps
import ports

PATIENCE = elastic.PATIENCE
COORDINATOR = "bellows.io/job=heat,bellows.io/role=coordinator"
DOCUMENTED = {7000, 7001, 7002}  # docs/security.md, Ports
# The plug-in is found as kubectl finds it.
CALL = 'PATH=$0:$PATH exec kubectl bellows "$@"'


# ---- kubectl ----

def install(room):
    """As `meson install` does it; the folder of the programs."""
    folder = room.path("installed")
    subprocess.run(
        ["meson", "install", "--no-rebuild", "--quiet", "-C",
         os.path.join(harness.BIN, "..", ".."), "--destdir", folder],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    found, = glob.glob(f"{folder}/**/kubectl-bellows", recursive=True)
    return os.path.dirname(found)


class Plugged(elastic.Heat):
    """The job, asked by `kubectl bellows`."""

    def __init__(self, room, space):
        super().__init__(room, space)
        self.programs = install(room)

    def ask(self, *words):
        return self.room.start("/bin/sh", "-c", CALL, self.programs, *words,
                               "-n", self.space.name)

    def runs(self):
        """A long job, which is left to itself."""
        naps.prepare(self.space)
        self.ask("run", applications.paced_job(self.room), "--detach", "--cpu",
                 elastic.CPU).ends_with(0, PATIENCE)
        return self.runs_on(2)


class Waiting:
    """`kubectl wait`, as docs/kubernetes.md has it."""

    def __init__(self, room, space):
        self.room, self.space = room, space

    def start(self, condition):
        return self.room.start(
            "/usr/bin/env", "kubectl", "-n", self.space.name, "wait", "pod",
            "-l", COORDINATOR, f"--for=condition=bellows.io/{condition}",
            f"--timeout={PATIENCE}s")

    def end(self, condition):
        self.start(condition).ends_with(0, PATIENCE)

    def conditions(self):
        """Those of Bellows: their status and reason."""
        return {at["type"].removeprefix("bellows.io/"):
                (at["status"], at["reason"])
                for at in self.space.pod("heat-master-0")["conditions"]
                if at["type"].startswith("bellows.io/")}


def stands_at(wait, **conditions):
    """These, and it was never seen to stand still."""
    assert wait.conditions() == {
        **conditions, "Stalled": ("False", "NotSeen")}, wait.conditions()


def allow_pods(space, more):
    """So many more than there are."""
    allowed = len(space.pods()) + more
    space.kubectl("create", "quota", "q", f"--hard=pods={allowed}")
    space.wait("the quota counts", lambda: space.get("quota", "q").get(
        "status", {}).get("used", {}).get("pods"))


def grows_when_it_may(heat, wait):
    """A quota holds the grow up until all has been looked at."""
    allow_pods(heat.space, 0)
    resized = wait.start("Resized")
    heat.ask("scale", "heat", 3).ends_with(0, PATIENCE)
    wait.end("Scaling")
    stands_at(wait, Running=("True", "Growing"), Scaling=("True", "Growing"),
              Resized=("False", "UnderWay"))
    assert not resized.is_over()
    heat.space.kubectl("delete", "quota", "q")
    resized.ends_with(0, PATIENCE)
    wait.end("Scaling=false")
    stands_at(wait, Running=("True", "Running"), Scaling=("False", "Steady"),
              Resized=("True", "Done"))


def kubectl_runs_a_job_and_waits_for_its_growth_and_cancels_it(room, space):
    heat, wait = Plugged(room, space), Waiting(room, space)
    heat.runs()
    wait.end("Running")
    stands_at(wait, Running=("True", "Running"), Scaling=("False", "Steady"),
              Resized=("False", "NotAsked"))
    grows_when_it_may(heat, wait)
    assert heat.runs_on(3)["history"][-1]["to"] == 3
    heat.scale(99).ends_with(76)
    told = elastic.TOLD | {"Growing", "ScaleDeclined"}
    heat.tells(told)
    assert told <= heat.events("vcjob"), heat.events("vcjob")
    notes = space.notes()
    assert "3 -> 99 ranks: 99 is more than ranks.max" in \
        notes["ScaleDeclined"], notes["ScaleDeclined"]
    heat.ask("cancel", "heat").ends_with(0, PATIENCE)
    space.wait("no job runs", lambda: heat.status() is None)


# ---- Prometheus, and strangers ----

def scraped(space):
    """{pod: (type, text)}, of all that its annotations tell Prometheus of."""
    found = {}
    for pod in space.all("pods"):
        told = pod["metadata"].get("annotations", {})
        if told.get("prometheus.io/scrape") == "true":
            with ports.network(space):
                at = http.client.HTTPConnection(
                    pod["status"]["podIP"], int(told["prometheus.io/port"]),
                    timeout=harness.PATIENCE)
                at.request("GET", told.get("prometheus.io/path", "/metrics"))
                answer = at.getresponse()
                assert answer.status == 200, answer.status
                found[pod["metadata"]["name"]] = (
                    answer.getheader("Content-Type"), answer.read().decode())
                at.close()
    return found


def prometheus_finds_the_job_s_figures_by_the_annotations(space):
    found = scraped(space)
    assert list(found) == ["heat-master-0"], list(found)
    kind, text = found["heat-master-0"]
    assert kind.startswith("text/plain; version=0.0.4"), kind
    assert re.search(r'^bellows_job_info\{job="heat",app="parint",.*\} 1$',
                     text, re.M), text
    figures = dict(re.findall(r"^(\w+) (\S+)$", text, re.M))
    assert figures["bellows_ranks"] == "2", figures
    assert float(figures["bellows_step"]) > 0, figures


def only_documented_ports_are_open(space, pod, ours, others):
    """ours: {port: the programs of Bellows that listen there}; others: the
    names of all other programs that listen."""
    owners = ports.owners(space, pod)
    assert ports.open_ports(space, pod) == set(owners), owners
    found = {port: names for port, names in owners.items()
             if any(name.startswith("bellows") for name in names)}
    assert found == ours, (pod, owners)
    left = [names for port, names in owners.items() if port not in ours]
    assert set().union(*left) == others, (pod, owners)


def pods_have_the_documented_ports_open_and_no_others(room, space):
    elastic.begin(space, "volcano-parint")
    heat = elastic.Heat(room, space)
    before = heat.runs_on(2)
    prometheus_finds_the_job_s_figures_by_the_annotations(space)
    ours = {port: {"bellows-coordinator"} for port in DOCUMENTED}
    only_documented_ports_are_open(space, "heat-master-0", ours, {"mpiexec"})
    only_documented_ports_are_open(space, "heat-monitor-0", {}, set())
    for pod in ("heat-worker-0", "heat-worker-1"):
        only_documented_ports_are_open(space, pod, {}, {"orted", "parint"})
    after = space.wait("a step after all that", lambda: at if (
        at := heat.status())["step"] > before["step"] else None)
    assert (after["state"], after["ranks"], after["epoch"]) == (
        "running", 2, before["epoch"]), after
    assert heat.restarts() == 0


if __name__ == "__main__":
    kube.main(kubectl_runs_a_job_and_waits_for_its_growth_and_cancels_it,
              pods_have_the_documented_ports_open_and_no_others,
              prepare=elastic.load)
