#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that grow and shrink on a real Kubernetes and a real Volcano, from the
manifests of k8s/.  args: BIN"""

import os
import re
import secrets
import subprocess
import tempfile

import kube  # first: it knows where harness is
import harness

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PATIENCE = 180
IMAGES = ("bellows-parint",)
# Long enough for two rescales by hand, whatever else the machine does.
WORK = harness.Work(100003, 15000, 200)
SHORT = harness.Work(100003, 1000, 200)


def load(cluster):
    """The images, of the programs that are tested."""
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        installed = os.path.join(folder, "installed")
        for words in (
                ["meson", "install", "--no-rebuild", "--quiet", "-C",
                 os.path.join(harness.BIN, "..", ".."), "--destdir", installed],
                [os.path.join(ROOT, "scripts", "images"), "--built", installed,
                 folder, *IMAGES]):
            at = subprocess.run(words, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=1500,
                                check=False)
            assert at.returncode == 0, f"{words[:3]}: {at.stdout[-1500:]}"
        cluster.load(*[os.path.join(folder, name + ".tar")
                       for name in IMAGES])


def manifests(space, overlay, work=WORK):
    """What is applied, with another amount of work."""
    text = space.kubectl("kustomize",
                         os.path.join(ROOT, "k8s", "overlays", overlay))
    found = re.findall(r"^ +command: \[parint.*\]$", text, re.M)
    assert len(found) == 1, found
    return text.replace(found[0], "    command: " + harness.flow(
        ["parint", *work.words]))


def begin(space, overlay, work=WORK):
    token = secrets.token_hex(32)
    space.apply(f"""
apiVersion: v1
kind: Secret
metadata: {{name: heat-token, labels: {{bellows.io/job: heat}}}}
stringData: {{token: "{token}"}}
""")
    space.apply(manifests(space, overlay, work))


class Heat:
    """The job, asked through the API as a user does."""

    def __init__(self, room, space):
        self.room, self.space = room, space

    def ask(self, *words):
        return self.room.start("bellows", *words, "--on", "kube",
                               "--namespace", self.space.name)

    def status(self):
        at = self.ask("status", "heat", "--json")
        return harness.json.loads(at.output) if at.end(PATIENCE) == 0 else None

    def runs_on(self, ranks):
        def look():
            job = self.status()
            return job and job["state"] == "running" \
                and job["ranks"] == ranks and harness.has_stepped(job) and job
        return self.space.wait(f"it runs on {ranks} ranks", look, PATIENCE)

    def scale(self, ranks):
        at = self.ask("scale", "heat", ranks, "--wait")
        at.end(PATIENCE)
        return at

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
        over = ("Completed", "Failed", "Aborted", "Terminated", "Complete")
        found = self.space.wait("the job is over", lambda: at if (
            at := self.phase()) in over else None, 3 * PATIENCE)
        assert found == phase, found

    def output(self):
        return self.space.logs("--selector=bellows.io/job=heat,"
                               "bellows.io/role=coordinator", "--tail=-1")

    def restarts(self):
        return sum(at["restartCount"] for pod in self.space.all("pods")
                   for at in pod["status"].get("containerStatuses", []))


def grows_and_shrinks(room, space, overlay, phase):
    begin(space, overlay)
    heat = Heat(room, space)
    heat.runs_on(2)
    heat.scale(4).ends_with(0)
    heat.runs_on(4)
    heat.scale(3).ends_with(0)
    heat.runs_on(3)
    heat.ends(phase)
    assert harness.digest(heat.output()) == WORK.digest()
    assert heat.restarts() == 0
    reasons = {reason for reason, _, _ in space.events()}
    assert {"ScaleRequested", "Growing", "CheckpointWritten",
            "Relaunched"} <= reasons, reasons


def a_volcano_job_grows_and_shrinks(room, space):
    grows_and_shrinks(room, space, "volcano-parint", "Completed")


def a_plain_job_grows_and_shrinks(room, space):
    grows_and_shrinks(room, space, "plain-parint", "Complete")


def a_volcano_job_grows_by_its_replicas(room, space):
    grows_and_shrinks(room, space, "replicas-mode", "Completed")


if __name__ == "__main__":
    kube.main(a_volcano_job_grows_and_shrinks, a_plain_job_grows_and_shrinks,
              a_volcano_job_grows_by_its_replicas, prepare=load)
