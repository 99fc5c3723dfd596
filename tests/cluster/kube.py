# SPDX-License-Identifier: Apache-2.0
"""What the tests on a real Kubernetes share; beside tests/run/harness.py

    def a_pod_runs(room, space):
        space.apply(POD)
        space.runs("p")

    kube.main(a_pod_runs, alone=(a_node_goes,))

One cluster for the whole suite, one Kubernetes namespace for each test: `space`.
Three tests are made at a time; `alone` are those that others would notice, or
that measure: they come later, one after the other.
What `room` starts runs in the cluster's network.  Where there cannot be a
cluster, the suite is skipped with the reason.  With BELLOWS_CLUSTER=NAME the
tests are made on that cluster, which is left as it is.
"""

import contextlib
import ctypes
import functools
import glob
import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "..", "run"))

import api  # pylint: disable=wrong-import-position
import apart  # pylint: disable=wrong-import-position
import built  # pylint: disable=wrong-import-position
import cgroup  # pylint: disable=wrong-import-position
import harness  # pylint: disable=wrong-import-position
import place  # pylint: disable=wrong-import-position

SKIPPED = 77
UP = 1200  # seconds: the programs may have to be built first
PATIENCE = 120
TOGETHER = 3
CLONE_NEWNET = 0x40000000
CORE, BATCH, VOLCANO = "/api/v1", "/apis/batch/v1", \
    "/apis/batch.volcano.sh/v1alpha1"
# What tests ask for: where it is.
KINDS = {
    "configmap": (CORE, "configmaps"), "job": (BATCH, "jobs"),
    "pod": (CORE, "pods"), "pods": (CORE, "pods"),
    "pvc": (CORE, "persistentvolumeclaims"),
    "podtemplate": (CORE, "podtemplates"),
    "quota": (CORE, "resourcequotas"), "secret": (CORE, "secrets"),
    "role": ("/apis/rbac.authorization.k8s.io/v1", "roles"),
    "serviceaccount": (CORE, "serviceaccounts"),
    "vcjob": (VOLCANO, "jobs"), "events": (CORE, "events"),
}


def command(name, *words, patience=300):
    """A script of this folder: (its status, its output, its errors)."""
    at = subprocess.run([os.path.join(HERE, name), *map(str, words)],
                        stdin=subprocess.DEVNULL, capture_output=True,
                        text=True, timeout=patience, check=False)
    return at.returncode, at.stdout.strip(), at.stderr.strip()


def comment(text, kept=25):
    for line in text.splitlines()[-kept:]:
        print(f"#   {line[:300]}")


@contextlib.contextmanager
def network_of(pid):
    """This thread is in there."""
    libc = ctypes.CDLL(None, use_errno=True)

    def go(file):
        if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    with open("/proc/thread-self/ns/net", "rb") as own:
        with open(f"/proc/{pid}/ns/net", "rb") as other:
            go(other)
        try:
            yield
        finally:
            go(own)


class Far(api.Api):
    """The API server, asked from outside of the cluster's network: what is
    looked at again and again costs no program."""

    def __init__(self, at):
        super().__init__(at.path("pki"))
        self.first = at.first()

    def connect(self, patience=api.PATIENCE):
        connection = super().connect(patience)
        with network_of(self.first):
            connection.connect()
        return connection

    def read(self, path):
        """The object, or None if there is none."""
        deadline = time.monotonic() + api.PATIENCE
        while (answer := self.ask("GET", path))[0] not in (200, 404):
            assert time.monotonic() < deadline, (path, answer)
            time.sleep(api.RETRY)
        return json.loads(answer[1]) if answer[0] == 200 else None


class Cluster:
    def __init__(self, name=None):
        self.is_own = name is None
        self.name = name or f"test-{os.getpid()}"
        self.place = place.Place(self.name)
        self.spaces = 0

    @functools.cached_property
    def api(self):
        """Of one that is up."""
        return Far(self.place)

    def obey(self, script, *words, patience=300):
        status, out, errors = command(script, "--bed", self.name, *words,
                                      patience=patience)
        assert status == 0, f"{script} {words}: {errors}"
        return out

    def __enter__(self):
        if self.is_own:
            status, out, errors = command("up", "--bed", self.name, "--owner",
                                          os.getpid(), patience=UP)
            if status == SKIPPED:
                raise harness.Skip(out)
            comment(errors)
            assert status == 0, errors
        return self

    def __exit__(self, *_):
        if self.is_own:
            self.obey("down")
            assert not self.left(), f"left: {self.left()}"

    def left(self):
        """All that is there of it, in words."""
        name = self.place.cgroup
        return [path for path in (self.place.folder,)
                if os.path.exists(path)] + \
            [f"process {pid}" for pid in self.place.members()] + \
            glob.glob(f"/sys/fs/cgroup/{name}") + \
            glob.glob(f"/sys/fs/cgroup/*/{name}") + \
            [line for line in harness.read("/proc/self/mounts",
                                           "r").splitlines()
             if self.place.folder in line]

    @functools.cached_property
    def inside(self):
        status, binaries, errors = command("build", "--where")
        assert status == 0 and self.place.is_up(), \
            f"there is no cluster {self.name} {errors}"
        own = self.place.environment(binaries)
        return [*self.place.enter(self.place.first(), "net"), "--",
                "/usr/bin/env", *(f"{name}={own[name]}" for name in (
                    place.MARK, "KUBECONFIG", "PATH"))]

    def words(self):
        """A program whose words come after these runs in the cluster's network,
        as with tests/cluster/sh, which looks for the cluster each time."""
        return list(self.inside)

    # -- nodes and parts

    def add_node(self, number, *words):
        self.obey("node", *words, "add", number)

    def remove_node(self, number):
        self.obey("node", "remove", number)

    def load(self, *tars):
        """Images for all nodes, each once."""
        with built.alone(self.place.path("loaded.lock")):
            for tar in tars:
                at = os.stat(tar)
                mark = self.place.path(
                    f"loaded-{at.st_dev}-{at.st_ino}-{at.st_mtime_ns}")
                if not os.path.exists(mark):
                    self.obey("images", tar)
                    with open(mark, "w", encoding="ascii"):
                        pass

    def part(self, name):
        return Part(self, name)

    def kubectl(self, *words, text=None, check=True):
        at = subprocess.run(
            [*self.words(), "kubectl", *map(str, words)], input=text or "",
            capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert at.returncode == 0 or not check, \
            f"kubectl {' '.join(map(str, words))}: {at.stderr.strip()}"
        return at.stdout if at.returncode == 0 else ""

    def new_space(self):
        self.spaces += 1
        return Space(self, f"t{os.getpid()}-{self.spaces}")

    def show_logs(self):
        for path in sorted(glob.glob(f"{self.place.logs}/*.log")):
            print(f"#  {os.path.basename(path)}:")
            comment(harness.read(path).decode(errors="replace"), kept=8)


class Part:
    """One program of the control plane, to be taken away for a while."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        self.argv = self.env = None

    def pid(self):
        return next((pid for pid in self.cluster.place.members()
                     if os.path.basename((harness.command(pid) or [""])[0])
                     == self.name), None)

    def stop(self):
        """It is gone: a connection to it is refused."""
        pid = self.pid()
        assert pid, f"there is no {self.name}"
        self.argv = harness.command(pid)
        self.env = dict(entry.decode().split("=", 1) for entry in
                        harness.environment(pid) if b"=" in entry)
        os.kill(pid, signal.SIGKILL)
        harness.wait(f"the end of {self.name}, which has its port until then",
                     lambda: not harness.is_alive(pid), PATIENCE)

    def start(self):
        log = os.path.join(self.cluster.place.logs, f"{self.name}.log")
        with open(log, "ab") as out:
            subprocess.run(
                [*self.cluster.place.within(), "setsid", "--fork", *self.argv],
                env=self.env, cwd="/", stdin=subprocess.DEVNULL, stdout=out,
                stderr=out, timeout=PATIENCE, check=True)

    def is_ready(self):
        """The API answers again.  A server that ended at its start, as one does
        on a busy machine, is started once more, as a kubelet would."""
        if self.cluster.kubectl("get", "--raw", "/readyz", check=False) == "ok":
            return True
        if self.pid() is None:
            print(f"# {self.name} has ended and is started again")
            self.start()
        return False

    def freeze(self):
        """It is there and answers nobody."""
        os.kill(self.pid(), signal.SIGSTOP)

    def thaw(self):
        os.kill(self.pid(), signal.SIGCONT)


class Space:
    """The Kubernetes namespace of one test."""

    def __init__(self, cluster, name):
        self.cluster, self.name = cluster, name
        cluster.kubectl("create", "namespace", name)
        # the controller may just have found an API server that was away
        self.wait("its account", lambda: self.get("serviceaccount", "default"))

    def kubectl(self, *words, **more):
        return self.cluster.kubectl("--namespace", self.name, *words, **more)

    def apply(self, text):
        return self.kubectl("apply", "-f", "-", text=text)

    def path(self, kind, *name, **query):
        group, plural = KINDS[kind]
        return "/".join((group, "namespaces", self.name, plural, *name)) + \
            "?" + urllib.parse.urlencode(query)

    def get(self, kind, name):
        """The object, or {}."""
        return self.cluster.api.read(self.path(kind, name)) or {}

    def all(self, kind, selector=""):
        found = self.cluster.api.read(self.path(kind, labelSelector=selector))
        return found["items"] if found else []

    def pod(self, name):
        """Its status."""
        return self.get("pod", name).get("status", {})

    def pods(self, selector="", phase=None):
        """Names of those in that phase."""
        return sorted(at["metadata"]["name"]
                      for at in self.all("pods", selector)
                      if phase in (None, at["status"].get("phase")))

    def processes(self, pod):
        """Those of its containers, as this machine numbers them."""
        uid = self.get("pod", pod)["metadata"]["uid"].encode()
        return [pid for pid in cgroup.members(self.cluster.place.cgroup)
                if b"pod" + uid in harness.read(f"/proc/{pid}/cgroup")]

    def logs(self, pod, *words):
        return self.kubectl("logs", pod, *words)

    def events(self):
        """[(reason, object, text)], the oldest first."""
        items = sorted(self.all("events"), key=lambda at:
                       at["metadata"]["creationTimestamp"])
        return [(at["reason"], at["involvedObject"]["name"],
                 at.get("message", "")) for at in items]

    def notes(self):
        """{reason: the text of its newest Event}"""
        return {reason: note for reason, _, note in self.events()}

    def wait(self, what, look, patience=PATIENCE, again=0.1):
        """What look() returns once it is something."""
        return harness.wait(what, look, patience, again)

    def runs(self, pod, patience=PATIENCE):
        return self.wait(f"{pod} runs", lambda:
                         self.pod(pod).get("phase") == "Running", patience)

    def describe(self):
        """For a test that failed."""
        def look(*words):
            print(f"#  {' '.join(words)}:")
            comment(self.kubectl(*words, check=False))
        look("get", "pods,vcjob,podgroup,pvc,events", "--output=wide")
        for pod in self.pods()[:8]:
            look("describe", "pod", pod)
            look("logs", pod, "--all-containers", "--tail=20")

    def remove(self):
        """Its pods are gone then; the name goes a while later."""
        self.cluster.kubectl("delete", "namespace", self.name, "--wait=false")
        self.wait("its pods are gone", lambda: not self.pods())


def on(cluster, test):
    """The test as harness.prove() makes it, in a namespace of its own."""
    @functools.wraps(test)
    def made(room):
        space = cluster.new_space()
        room.prefix = cluster.words()
        room.env["KUBECONFIG"] = cluster.place.kubeconfig
        try:
            test(room, space)
        except harness.Skip:
            raise
        except Exception:
            space.describe()
            cluster.show_logs()
            raise
        finally:
            space.remove()
    return made


def cannot():
    """The reason, or None."""
    status, out, errors = command("can")
    assert status in (0, SKIPPED), errors
    return out if status == SKIPPED else None


# ---- tests ----

def main(*tests, alone=(), prepare=None, then=()):
    """Makes the tests; prepare(cluster): once, before the first; then: tests
    that are made when the cluster is gone, and get a room alone."""
    apart.be_alone()
    if reason := cannot():
        print(f"1..0 # SKIP {reason}")
        sys.exit(0)
    if len(sys.argv) > 2:
        tests, alone, then = (
            [test for test in some if sys.argv[2] in test.__name__]
            for some in (tests, alone, then))
    print(f"1..{len(tests) + len(alone) + len(then)}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    failed = 0
    if tests or alone:
        with Cluster(os.environ.get("BELLOWS_CLUSTER")) as cluster:
            if prepare:
                prepare(cluster)
            failed += apart.prove_each(
                [(i, on(cluster, test)) for i, test in enumerate(tests, 1)],
                TOGETHER, harness.prove)
            failed += sum([harness.prove(i, on(cluster, test))
                           for i, test in enumerate(alone, len(tests) + 1)])
    failed += sum([harness.prove(i, test) for i, test in enumerate(
        then, len(tests) + len(alone) + 1)])
    sys.exit(failed > 0)
