# SPDX-License-Identifier: Apache-2.0
"""Jobs from the manifests of k8s/ in a cluster of tests/cluster.

The programs of a build are put into images of scripts/images, the manifests of
an overlay are changed as objects, and what came of a job is read in the log of
its coordinator's pod: that has the coordinator's own lines and the application's,
each with a time of day of this machine's one clock.
"""

import contextlib
import datetime
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import yaml

import runs
from places import PROGRAMS
from runs import Failed

ROOT = os.path.dirname(runs.HERE)
CLUSTER = os.path.join(ROOT, "tests/cluster")
sys.path.insert(1, CLUSTER)
import kube                                                   # noqa: E402

PATIENCE = 300
SELDOM = 1.0            # seconds
BUILDING = 1500         # seconds for the images, if nothing is cached
MASTER = "heat-master-0"
COORDINATOR = "bellows.io/job=heat,bellows.io/role=coordinator"
EXECUTORS = "bellows.io/job=heat,bellows.io/role=executor"
# More ranks than processors: who waits must let others run.
YIELD = {"OMPI_MCA_mpi_yield_when_idle": "1"}


def wait(what, look, patience=PATIENCE):
    """What look() returns once it is something.  It looks seldom: what is
    measured bears its own time, and whoever looks takes processors from it."""
    deadline = time.monotonic() + patience
    while not (found := look()):
        if time.monotonic() > deadline:
            raise Failed(f"it never came: {what}")
        time.sleep(SELDOM)
    return found


# ---- this machine ----

def refusal(bindir):
    """Why it cannot be done here, or None."""
    if not os.access(os.path.join(bindir, "bellows"), os.X_OK):
        return f"no bellows in {bindir}; build it, or see --bin"
    return kube.cannot()


def call(words, patience, **more):
    """Its output; Failed with its last words."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True,
                              timeout=patience, check=False, **more)
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(words[:3])} took longer than {patience} s") \
            from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-8:]
        raise Failed(f"{' '.join(words[:3])}: {' | '.join(said)}")
    return done.stdout


def make_images(bindir, folder, *names):
    """{name: archive}; folder: stays as long as they are used."""
    programs = os.path.join(folder, "programs/bin")
    os.makedirs(programs)
    for name in PROGRAMS:
        shutil.copy2(os.path.join(bindir, name), programs)
    call([os.path.join(ROOT, "scripts/images"), "--built",
          os.path.dirname(programs), folder, *names], BUILDING)
    return {name: os.path.join(folder, f"{name}.tar") for name in names}


def versions(at):
    """Of what the cluster is made of, for people."""
    kubernetes = json.loads(at.kubectl("version", "--output=json"))[
        "serverVersion"]["gitVersion"]
    with open(os.path.join(CLUSTER, "go.mod"), encoding="ascii") as file:
        volcano = re.search(r"^\tvolcano.sh/volcano (\S+)", file.read(), re.M)
    return f"Kubernetes {kubernetes}, Volcano {volcano[1]}"


@contextlib.contextmanager
def cluster():
    """A cluster of its own, removed at the end; or that of BELLOWS_CLUSTER."""
    at = kube.Cluster(os.environ.get("BELLOWS_CLUSTER"))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            at.__enter__()
        yield at
    finally:
        at.__exit__()


@contextlib.contextmanager
def space(at):
    """A Kubernetes namespace, removed at the end."""
    made = at.new_space()
    try:
        yield made
    finally:
        made.remove()


# ---- manifests, as objects ----

def read(text):
    return [each for each in yaml.safe_load_all(text) if each]


def overlay(at, name):
    """What `kubectl kustomize` makes of k8s/overlays/NAME."""
    return read(at.kubectl("kustomize",
                           os.path.join(ROOT, "k8s/overlays", name)))


def find(objects, kind, name):
    return next(at for at in objects
                if at["kind"] == kind and at["metadata"]["name"] == name)


def without(objects, *kinds_and_names):
    return [at for at in objects if (at["kind"], at["metadata"]["name"])
            not in kinds_and_names]


def tasks(objects):
    """Of the Volcano Job, by name."""
    return {task["name"]: task for task in
            find(objects, "Job", "heat")["spec"]["tasks"]}


def set_job_file(objects, **keys):
    """Other values for keys of the job file; returns all of it."""
    data = find(objects, "ConfigMap", "heat-job")["data"]
    described = dict(yaml.safe_load(data["job.yaml"]), **keys)
    data["job.yaml"] = json.dumps(described)    # which YAML is a superset of
    return described


def set_size(objects, ranks, most=None):
    """That the job begins on."""
    set_job_file(objects, ranks={"initial": ranks, "min": 1,
                                 "max": most or ranks})
    tasks(objects)["worker"]["replicas"] = ranks


ROLES = ("coordinator", "executor", "monitor", "client")


def make_secrets(bindir, folder):
    """The token and the certificates of the job, which stay in that folder as
    token and tls/ROLE/; returns them as objects."""
    keys = os.path.join(folder, "tls")
    subprocess.run([os.path.join(bindir, "bellows"), "keys", keys, "--name",
                    "heat"], check=True)
    token = secrets.token_hex(32)
    with open(os.path.join(folder, "token"), "w", encoding="ascii",
              opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(token)
    made = [secret("heat-token", {"token": token})]
    for role in ROLES:
        texts = {}
        for name in ("ca.crt", "tls.crt", "tls.key"):
            with open(os.path.join(keys, role, name), encoding="ascii") as file:
                texts[name] = file.read()
        made.append(secret(f"heat-{role}-tls", texts))
    return made


def secret(name, texts):
    return {"apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": name, "labels": {"bellows.io/job": "heat"}},
            "stringData": texts}


def new_secrets(bindir):
    """The same where the files are not needed."""
    with tempfile.TemporaryDirectory() as folder:
        return make_secrets(bindir, folder)


def apply(room, objects):
    room.apply("\n---\n".join(json.dumps(at) for at in objects))


# ---- a job that runs ----

class Heat:
    """The job, asked through the API as a user does."""

    def __init__(self, room, bindir):
        self.room, self.bindir = room, bindir

    def ask(self, *words):
        return call([*self.room.cluster.words(),
                     os.path.join(self.bindir, "bellows"),
                     *map(str, words), "--on", "kube", "--namespace",
                     self.room.name], PATIENCE)

    def scale(self, ranks):
        self.ask("scale", "heat", ranks, "--wait")

    def has_pods(self, n):
        wait(f"{n} executors, and no more", lambda:
             len(self.room.pods(EXECUTORS)) == n)

    def log(self):
        """Of the coordinator's pod."""
        return Log(self.room.kubectl("logs", f"--selector={COORDINATOR}",
                                     "--tail=-1", check=False))

    def has_started(self, times):
        """Its log, once the application has made a step so often anew."""
        def look():
            log = self.log()
            starts = log.starts()
            return log if len(starts) >= times and starts[times - 1] else None
        return wait(f"steps of start {times}", look)


def instant(stamp):
    """A time of day, of one as 2026-01-31T23:59:59.123."""
    date, _, fraction = stamp.partition(".")
    return datetime.datetime.fromisoformat(date + "+00:00").timestamp() \
        + float(f"0.{fraction or 0}")


class Log:
    """What a coordinator's pod printed."""

    line = re.compile(r"^(\S+)Z coordinator \w+: (.*)$", re.M)
    step = re.compile(r"^parint: iteration \d+ of \d+ at (\d+\.\d+)$", re.M)
    start = re.compile(r"^parint: MPI_Init took .*$", re.M)

    def __init__(self, text):
        self.text = text
        self.lines = [(instant(stamp), said)
                      for stamp, said in self.line.findall(text)]

    def when(self, pattern, since=0):
        """Times of day at which it said that, the first one first."""
        return [at for at, said in self.lines
                if at >= since and re.search(pattern, said)]

    def starts(self):
        """For each start of the application its steps."""
        return [[float(at) for at in self.step.findall(part)]
                for part in self.start.split(self.text)[1:]]


class Pods:
    """What became of executors' pods, and when it was told to whoever
    watches the API."""

    def __init__(self, room):
        self.seen = {}      # name -> what -> time of day
        self.process = subprocess.Popen(
            [*room.cluster.words(), "kubectl", "--namespace", room.name, "get",
             "pods", f"--selector={EXECUTORS}", "--watch",
             "--output=jsonpath={.metadata.name} {.status.phase} "
             '{.spec.nodeName}{"\\n"}'], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        for line in self.process.stdout:
            now = time.time()
            name, phase, *node = line.split()
            at = self.seen.setdefault(name, {"made": now})
            if node:
                at.setdefault("placed", now)
            if phase == "Running":
                at.setdefault("running", now)

    def close(self):
        self.process.kill()
        self.process.wait()
