#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that grow and shrink on a real Kubernetes and a real Volcano, from the
manifests of k8s/.  args: BIN"""

import base64
import contextlib
import json
import os
import re
import secrets
import signal
import statistics
import subprocess
import tempfile
import threading
import time

import kube  # first: it knows where harness is
import built
import harness
import naps

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PATIENCE = 180
AGAIN = 0.3  # seconds, until a job is asked again
WORK = naps.WORK
SHORT = harness.Work(10007, 200, 1)
LONG = harness.Work(10007, 1000000, 1)
CPU = "100m"  # that a rank asks for, for several jobs are there at a time
GROWS = harness.some(3, 1)
# Of any rescale; a monitor that comes late tells neither of the start nor of
# the beginning of a grow.
TOLD = {"ScaleRequested", "CheckpointWritten", "Relaunched", "Resized"}
OVER = ("Completed", "Failed", "Aborted", "Terminated", "Complete")
# Instants of a grow, in the order in which they come.
INSTANTS = ("asked", "executors", "prepared", "ordered", "saved", "stepped")


def make_images(folder, *images):
    """Of the programs that are tested; their paths."""
    at = built.images(harness.BIN, folder, *images)
    return [os.path.join(at, name + ".tar") for name in images]


def load(cluster):
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        cluster.load(*make_images(folder, "bellows-parint"))


def overlay(space, name, command=None):
    """What is applied, with ranks that nap; command: another one."""
    text = space.kubectl("kustomize",
                         os.path.join(ROOT, "k8s", "overlays", name))
    found = re.findall(r"^ +command: \[[pg].*\]$", text, re.M)
    assert len(found) == 1 and "cpu: 250m" in text, found
    first = f"    command: {json.dumps(command)}" if command else found[0]
    more = [f"    {key}: {json.dumps(value)}"
            for key, value in naps.KEYS.items()]
    return text.replace(found[0], "\n".join([first, *more])).replace(
        "cpu: 250m", f"cpu: {CPU}")


def make_secrets(space):
    """As docs/kubernetes.md has it."""
    space.apply(f"""
apiVersion: v1
kind: Secret
metadata: {{name: heat-token, labels: {{bellows.io/job: heat}}}}
stringData: {{token: "{secrets.token_hex(32)}"}}
""")
    with tempfile.TemporaryDirectory() as folder:
        keys = os.path.join(folder, "keys")
        subprocess.run([os.path.join(harness.BIN, "bellows"), "keys", keys,
                        "--name", "heat"], check=True)
        for role in os.listdir(keys):
            space.kubectl("create", "secret", "generic", f"heat-{role}-tls",
                          f"--from-file={os.path.join(keys, role)}")


def files_of(room, space, secret):
    """A folder with what is in a Secret."""
    folder = room.path(secret)
    os.makedirs(folder, exist_ok=True)
    for name, data in space.get("secret", secret)["data"].items():
        with open(os.path.join(folder, name), "wb", opener=lambda path, flags:
                  os.open(path, flags, 0o600)) as file:
            file.write(base64.b64decode(data))
    return folder


def begin(space, name, work=WORK, pace=naps.SLOWLY):
    make_secrets(space)
    naps.prepare(space, pace)
    space.apply(overlay(space, name, ["parint", *map(str, work.words)]))


class Heat:
    """The job, asked through the API as a user does."""

    def __init__(self, room, space):
        self.room, self.space = room, space

    def ask(self, *words):
        return self.room.start("bellows", *words, "--on", "kube",
                               "--namespace", self.space.name)

    def status(self):
        at = self.ask("status", "heat", "--json")
        return json.loads(at.output) if at.end(PATIENCE) == 0 else None

    def runs_on(self, ranks):
        def look():
            job = self.status()
            return job and harness.runs(job, ranks) and job
        return self.space.wait(f"it runs on {ranks} ranks", look, PATIENCE,
                               AGAIN)

    def scale(self, ranks):
        at = self.ask("scale", "heat", ranks, "--wait")
        at.end(PATIENCE)
        return at

    def sizes(self):
        """That it was asked for, as its journal has them."""
        at = self.ask("history", "heat", "--json")
        at.ends_with(0, PATIENCE)
        entries = [json.loads(line) for line in at.output.splitlines()]
        return [entry["event_size"] for entry in entries
                if entry.get("event") == "scale"]

    def phase(self):
        state = self.space.get("vcjob", "heat").get("status", {}) \
            .get("state", {}).get("phase")
        if state:
            return state
        for at in self.space.get("job", "heat").get("status", {}) \
                .get("conditions", []):
            if at["status"] == "True" and at["type"] in ("Complete", "Failed"):
                return at["type"]
        return None

    def ends(self, phase):
        """All that it was to show has been seen."""
        if naps.is_paced(self.space):
            naps.end(self.space)
        found = self.space.wait("the job is over", lambda: at if (
            at := self.phase()) in OVER else None, 3 * PATIENCE)
        assert found == phase, found

    def output(self):
        return self.space.logs("--selector=bellows.io/job=heat,"
                               "bellows.io/role=coordinator", "--tail=-1")

    def restarts(self):
        return sum(at["restartCount"] for pod in self.space.all("pods")
                   for at in pod["status"].get("containerStatuses", []))

    def tells(self, reasons):
        """Waits for these Events."""
        self.space.wait(f"{reasons} are told", lambda:
                        reasons <= self.space.notes().keys())

    def events(self, kind):
        """Reasons that `kubectl describe` shows of the Job."""
        text = self.space.kubectl("describe", kind, "heat")
        return set(re.findall(r"^ +(?:Normal|Warning) +(\w+) ", text, re.M))

    def is_well(self, work=WORK):
        """What it computed is right, and no pod was restarted."""
        assert harness.digest(self.output()) == work.digest()
        assert self.restarts() == 0


def grows_and_shrinks(heat):
    heat.runs_on(2)
    heat.scale(4).ends_with(0)
    heat.runs_on(4)
    heat.scale(3).ends_with(0)
    heat.runs_on(3)


def is_elastic(room, space, name, kind, phase):
    begin(space, name)
    heat = Heat(room, space)
    grows_and_shrinks(heat)
    assert heat.sizes() == [4, 3], heat.sizes()
    heat.ends(phase)
    heat.is_well()
    assert TOLD <= heat.events(kind), heat.events(kind)


def a_volcano_job_grows_and_shrinks(room, space):
    is_elastic(room, space, "volcano-parint", "vcjob", "Completed")


def a_plain_job_grows_and_shrinks(room, space):
    is_elastic(room, space, "plain-parint", "job", "Complete")


def a_volcano_job_grows_by_its_replicas(room, space):
    is_elastic(room, space, "replicas-mode", "vcjob", "Completed")


# ---- a monitor that is no pod ----

def forwarded(room, space):
    """kubectl, and the address by which it reaches the coordinator."""
    space.kubectl("wait", "--for=create", "pod/heat-master-0",
                  f"--timeout={kube.PATIENCE}s")
    space.kubectl("wait", "--for=condition=Ready", "pod/heat-master-0",
                  f"--timeout={kube.PATIENCE}s")
    at = room.start("/usr/bin/env", "kubectl", "--namespace", space.name,
                    "port-forward", "pod/heat-master-0", ":7000")
    found = room.wait("a port", lambda: re.search(
        r"^Forwarding from (127\.0\.0\.1:\d+) ->", at.output, re.M))
    return at, found.group(1)


@contextlib.contextmanager
def monitored(room, space):
    """A monitor, as docs/kubernetes.md has it."""
    token = os.path.join(files_of(room, space, "heat-token"), "token")
    tls = files_of(room, space, "heat-monitor-tls")
    job = room.write("heat.yaml", space.get(
        "configmap", "heat-job")["data"]["job.yaml"])
    forward, address = forwarded(room, space)
    yield room.start("bellows-monitor", "--provider", "kube", "--owner",
                     "vcjob/heat", "--namespace", space.name, "--job", job,
                     "--coordinator", address, "--token-file", token,
                     "--tls", tls)
    forward.tell(signal.SIGTERM)
    forward.end()


def a_monitor_outside_of_the_cluster_grows_it(room, space):
    begin(space, "monitor-outside")
    heat = Heat(room, space)
    with monitored(room, space) as monitor:
        grows_and_shrinks(heat)
        assert not space.pods("bellows.io/role=monitor")
        heat.ends("Completed")
        monitor.ends_with(0, PATIENCE)
    heat.is_well()
    told = TOLD | {"Completed"}
    assert told <= heat.events("vcjob"), heat.events("vcjob")


# ---- where the time of a grow goes ----

class Pods:
    """When each executor's pod was first seen to run: its uid -> seconds."""

    def __init__(self, room, space):
        self.since = {}
        self.kubectl = subprocess.Popen(
            [*room.prefix, "kubectl", "--namespace", space.name, "get", "pods",
             "--selector=bellows.io/role=executor", "--watch", "--no-headers",
             "--output=custom-columns=U:.metadata.uid,P:.status.phase"],
            env=room.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.kubectl.stdout:
            uid, phase = line.split()
            if phase == "Running":
                self.since.setdefault(uid, time.time())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kubectl.terminate()
        self.kubectl.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.kubectl.stdout.close()


def birth(heat):
    """The time of day when the job's own clock began: the best of some
    answers, and by how much it may be wrong."""
    found = []
    for _ in range(5):
        before = time.time()
        age = heat.status()["age_ms"] / 1000
        after = time.time()
        found.append(((after - before) / 2, (after + before) / 2 - age))
    wrong, born = min(found)
    return born, wrong


def a_grow(heat, pods, born):
    """Seconds from the request on to each of its steps."""
    known = set(pods.since)
    heat.scale(4).ends_with(0)
    grow = heat.runs_on(4)["history"][-1]
    assert grow["result"] == "done" and grow["to"] == 4, grow
    at = [grow[f"{name}_ms"] for name in INSTANTS]
    # the ranks are stopped when all new executors are there
    assert None not in at and at == sorted(at), grow
    new = heat.room.wait("two pods ran", lambda: len(
        found := set(pods.since) - known) == 2 and found)
    asked = grow["asked_ms"]
    return {"pods run": max(pods.since[uid] for uid in new) - born
            - asked / 1000,
            **{name: (grow[f"{key}_ms"] - asked) / 1000 for name, key in (
                ("all registered", "executors"), ("prepared", "prepared"),
                ("told to save", "ordered"), ("saved", "saved"),
                ("first step", "stepped"))},
            "pause": grow["pause_ms"] / 1000}


def pods_of_a_grow_start_while_the_ranks_compute(room, space):
    begin(space, "volcano-parint", LONG, naps.BRISKLY)
    heat = Heat(room, space)
    heat.runs_on(2)
    with Pods(room, space) as pods:
        room.wait("the pods that are there", lambda: len(pods.since) == 2)
        born, wrong = birth(heat)
        grows = []
        for _ in range(GROWS):
            grows.append(a_grow(heat, pods, born))
            heat.scale(2).ends_with(0)
            heat.runs_on(2)
    print(f"# 2 -> 4 ranks, seconds after the request; medians of {GROWS} "
          f"(pods run: +-{wrong:.2f})")
    for name in grows[0]:
        each = [grow[name] for grow in grows]
        print(f"# {name:>14} {statistics.median(each):7.3f}   "
              f"({', '.join(f'{one:.3f}' for one in each)})", flush=True)
    heat.ask("cancel", "heat").ends_with(0, PATIENCE)


if __name__ == "__main__":
    kube.main(a_volcano_job_grows_and_shrinks, a_plain_job_grows_and_shrinks,
              a_volcano_job_grows_by_its_replicas,
              a_monitor_outside_of_the_cluster_grows_it,
              pods_of_a_grow_start_while_the_ranks_compute, prepare=load)
