#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The images, built by scripts/images and run as a cluster runs them: as user
10001, on a root that is read-only, without capabilities.  args: BIN

The archives are made once (tests/run/built.py), and loaded into a storage of
their own.  What mounts are needed for that end with this process.
"""

import atexit
import glob
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(SOURCE, "tests", "run"),
                os.path.join(SOURCE, "tests", "cluster")]

import bed  # pylint: disable=wrong-import-position
import built  # pylint: disable=wrong-import-position
import harness  # pylint: disable=wrong-import-position
import naps  # pylint: disable=wrong-import-position

SCRIPT = os.path.join(SOURCE, "scripts", "images")
TOOLS = ("podman", "runc", "conmon", "patchelf", "unshare")
NAMES = ("bellows", "bellows-parint", "bellows-gromacs")
# Unpacked, in MB: what an image may grow to before somebody asks why.
LARGEST = {"bellows": 260, "bellows-parint": 261, "bellows-gromacs": 480}
MINUTES = 60
TOKEN = "0123456789abcdef0123456789abcdef"
CGROUP = f"/bellows-images-{os.getpid()}"
GROUP = 4711  # of the volumes of a pod, its fsGroup
WORK = harness.Work(1003, 300, 1)  # 6 s for two ranks that nap briskly
SETTINGS = """[containers]
default_ulimits = ["nofile={0}:{0}", "nproc={1}:{1}"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "runc"
"""


def limit(kind, most):
    """What even root may be unable to raise."""
    hard = resource.getrlimit(kind)[1]
    return most if hard == resource.RLIM_INFINITY else min(hard, most)


def remove_group(parent):
    """With what is in it; the last process may just be leaving."""
    deadline = time.monotonic() + MINUTES
    for folder, _, _ in os.walk(parent, topdown=False):
        while True:
            try:
                os.rmdir(folder)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


class Images:
    """Built at first use; or the reason why that cannot be, each time."""

    def __init__(self):
        self.folder = self.archives = self.error = None

    def make(self):
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if os.getuid() != 0 or missing:
            raise harness.Skip("needs root and " + ", ".join(TOOLS))
        self.folder = tempfile.mkdtemp(prefix="bellows-images-")
        atexit.register(self.remove)
        os.mkdir(os.path.join(self.folder, "tmp"))
        self.archives = built.images(harness.BIN, self.path("out"), *NAMES)
        with open(self.path("containers.conf"), "w", encoding="utf-8") as file:
            file.write(SETTINGS.format(
                limit(resource.RLIMIT_NOFILE, 16384),
                limit(resource.RLIMIT_NPROC, 32768)))
        for name in NAMES:
            self.obey(self.podman("load", "--quiet", "--input",
                                  self.archive(name)))

    def get(self):
        """Whatever went wrong the first time goes wrong again."""
        if self.error:
            raise self.error
        if not self.folder:
            try:
                self.make()
            except Exception as error:
                self.error = error
                raise
        return self

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def archive(self, name):
        return os.path.join(self.archives, name + ".tar")

    def podman(self, *words):
        return ["/usr/bin/env", f"CONTAINERS_CONF={self.path('containers.conf')}",
                f"TMPDIR={self.path('tmp')}", "podman", "--root",
                self.path("storage"), "--runroot", self.path("run"),
                "--tmpdir", self.path("libpod"), *words]

    def obey(self, words):
        at = subprocess.run(words, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env=dict(os.environ, TMPDIR=self.path("tmp")),
                            timeout=25 * MINUTES, check=False)
        assert at.returncode == 0, f"{words[:4]}: {at.stdout[-1500:]}"
        return at.stdout

    def remove(self):
        subprocess.run(self.podman("rm", "--all", "--force", "--time", "0"),
                       capture_output=True, timeout=MINUTES, check=False)
        subprocess.run(["umount", "--recursive",
                        self.path("storage", "overlay")],
                       capture_output=True, timeout=MINUTES, check=False)
        for parent in glob.glob(f"/sys/fs/cgroup/*{CGROUP}"):
            remove_group(parent)
        shutil.rmtree(self.folder, ignore_errors=True)


IMAGES = Images()


class Pod:
    """What a cluster gives to a container of a job: volumes, and no more."""

    def __init__(self, room, name="pod"):
        self.room, self.name = room, name
        self.volumes = {}

    def folder(self, at, mode=0o2777, group=GROUP):
        """A volume of the pod's group, as the kubelet leaves it."""
        path = self.room.path(f"{self.name}{at.replace('/', '-')}")
        if not os.path.isdir(path):
            os.mkdir(path)
            os.chown(path, 0, group)
            os.chmod(path, mode)
        self.volumes[at] = path
        return path

    def secret(self, at, **texts):
        """Files of root's that the group may read, behind two links."""
        path = self.folder(at, mode=0o3777)
        os.mkdir(os.path.join(path, "..1"))
        os.symlink("..1", os.path.join(path, "..data"))
        for name, text in texts.items():
            file = os.path.join(path, "..1", name)
            harness.Room.write(self.room, file, text)
            os.chown(file, 0, GROUP)
            os.chmod(file, 0o440)
            os.symlink(f"..data/{name}", os.path.join(path, name))

    def words(self, image, *more):
        volumes = [f"--volume={path}:{at}"
                   for at, path in self.volumes.items()]
        return IMAGES.podman(
            "run", "--rm", f"--cgroup-parent={CGROUP}", "--name", f"{self.name}-{os.getpid()}",
            "--read-only", "--read-only-tmpfs=false", "--cap-drop=all",
            "--security-opt=no-new-privileges", f"--group-add={GROUP}",
            "--tmpfs=/tmp:mode=1777", "--pull=never", *volumes, *more,
            f"localhost/{image}:dev")


def run(room, image, *words, name="pod", more=("--network=none",)):
    """In a container without anything but a folder for temporary files."""
    IMAGES.get()
    return room.run(*Pod(room, name).words(image, *more), *words, patience=120)


def job(pod, pace=naps.BRISKLY, **keys):
    """Its ranks nap; of its volume /data.  Returns that on this machine."""
    data = pod.folder("/data")
    naps.furnish(data, pace)
    keys = {"name": "heat", "app": "parint", "dir": "/data",
            "command": harness.flow(["parint", *WORK.words]),
            "ranks": "{initial: 2, min: 1, max: 4}",
            "checkpoint": "{dir: ., deadline: 30s}",
            **{key: json.dumps(value) for key, value in naps.KEYS.items()},
            **keys}
    text = "".join(f"{key}: {value}\n" for key, value in keys.items())
    path = os.path.join(pod.folder("/etc/bellows/job", mode=0o755, group=0),
                        "job.yaml")
    harness.Room.write(pod.room, path, text)
    return data


# ---- tests ----

def they_are_built_and_not_larger_than_they_were(room):
    images = IMAGES.get()
    said = harness.read(os.path.join(images.archives, "said"), "r")
    print("\n".join("# " + line for line in said.splitlines()))
    for name, largest in LARGEST.items():
        size = os.path.getsize(images.archive(name)) / 1e6
        assert size < largest, f"{name} has {size:.0f} MB"
    assert os.listdir(images.path("tmp")) == [], "podman left files"


def they_run_as_nobody_special_on_a_root_that_is_read_only(room):
    script = ("id -u; id -un; grep ^CapEff /proc/self/status; "
              "touch /opt/bellows/x || touch /tmp/x && bellows --version")
    for name in NAMES:
        said = run(room, name, "sh", "-c", script).ends_with(0)
        said = said.output.splitlines()
        assert said[:2] == ["10001", "bellows"], said
        assert said[2].split()[1].strip("0") == "", said
        assert said[3].startswith("bellows "), said


def the_programs_of_the_applications_are_there(room):
    said = run(room, "bellows-parint", "parint", "--version").ends_with(0)
    assert said.output.startswith("parint "), said.output
    said = run(room, "bellows-gromacs", "mpiexec", "-n", "2", "gmx_mpi",
               "--version").ends_with(0)
    assert "GROMACS version" in said.output, said.output


def nothing_to_compile_or_to_read_is_in_them(room):
    script = ("command -v gcc cc meson python3 sshd man; "
              "ls -d /usr/share/man/*/* /usr/share/locale/*/* /src /build; "
              "find /var/lib/apt/lists /var/cache/apt -type f; true")
    for name in NAMES:
        said = run(room, name, "sh", "-c", script).ends_with(0)
        assert said.output == "", said.output


def the_entrypoint_takes_the_role_from_the_host(room):
    for host, role, program in (
            ("heat-master-0", "", "coordinator"), ("x", "", "executor"),
            ("heat-master-0", "monitor", "monitor")):
        more = ("--network=none", f"--hostname={host}",
                f"--env=BELLOWS_ROLE={role}", "--env=BELLOWS_COORDINATOR=x:1")
        said = run(room, "bellows", "--version", more=more).ends_with(0)
        assert said.output.startswith(f"bellows-{program} "), said.output


def a_whole_job_runs_and_grows_in_one_container(room):
    IMAGES.get()
    pod = Pod(room)
    job(pod, scale="{schedule: [{at: 30%, ranks: 3}]}")
    at = room.run(*pod.words("bellows-parint", "--network=none"), "bellows",
                  "run", "/etc/bellows/job/job.yaml", patience=240)
    at.ends_with(0).says("running on 3 ranks")
    assert harness.digest(at.output) == WORK.digest()


class Job:
    """Master and workers on hosts of their own, one container on each."""

    def __init__(self, room, hosts, image):
        self.room, self.hosts, self.image = room, hosts, image
        self.keys = room.path("keys")
        room.run("bellows", "keys", self.keys, "--name", "heat").ends_with(0)
        self.master = self.pod("heat-master-0")
        self.data = job(self.master, naps.SLOWLY)
        self.master.folder("/var/lib/bellows")
        self.lead = self.start(self.master, "n1")
        room.wait("a coordinator", lambda: self.lead.is_over()
                  or "listening" in self.lead.errors)

    def pod(self, name):
        pod = Pod(self.room, name)
        role = "coordinator" if "master" in name else "executor"
        pod.secret("/etc/bellows/token", token=TOKEN + "\n")
        pod.secret("/etc/bellows/tls", **{
            part: harness.read(os.path.join(self.keys, role, part), "r")
            for part in ("ca.crt", "tls.crt", "tls.key")})
        return pod

    def start(self, pod, host):
        return self.room.start(*self.hosts.on(host), *pod.words(
            self.image, "--network=host", f"--hostname={pod.name}",
            f"--env=BELLOWS_POD_IP={self.hosts.hosts[host]['address']}",
            f"--env=VC_MASTER_HOSTS={self.hosts.hosts['n1']['address']}"))

    def worker(self, number):
        pod = self.pod(f"heat-worker-{number}")
        pod.volumes["/data"] = self.data
        return self.start(pod, f"n{number + 2}")

    def inside(self, *words):
        """A command within the master's container."""
        return self.room.run(*self.hosts.on("n1"), *IMAGES.podman(
            "exec", f"heat-master-0-{os.getpid()}", *words))


def a_job_of_containers_with_a_secret_grows(room):
    IMAGES.get()
    with bed.Bed(room, 4) as hosts:
        room.prefix = []
        heat = Job(room, hosts, "bellows-parint")
        workers = [heat.worker(i) for i in range(2)]
        first = heat.inside("sh", "-c", "cat /proc/1/comm")
        assert first.output.startswith("bellows-coordi"), first.output
        room.wait("a step", lambda: heat.lead.is_over()
                  or "parint: iteration" in heat.lead.output, 120)
        token = room.write("token", TOKEN + "\n")
        os.chmod(token, 0o600)
        room.run(*hosts.on("n1"), os.path.join(harness.BIN, "bellows"),
                 "scale", "--connect", "127.0.0.1:7000", "--token-file", token,
                 "--tls", heat.keys, "3").ends_with(0)
        workers.append(heat.worker(2))
        room.wait("three ranks", lambda: heat.lead.is_over()
                  or "ranks=3" in heat.lead.errors, 240)
        naps.hurry(heat.data)
        heat.lead.ends_with(0, 240)
        for worker in workers:
            worker.ends_with(0)
        assert harness.digest(heat.lead.output) == WORK.digest()
        assert re.search("ranks=3", heat.lead.errors), "it did not grow"


def three_lines_add_bellows_to_another_image(room):
    images = IMAGES.get()
    text = harness.read(os.path.join(SOURCE, "docs", "containers.md"), "r")
    lines = re.search(r"^    COPY --from=\S*bellows.*\n    .*\n    .*$", text,
                      re.M).group(0)
    os.mkdir(room.path("image"))
    # Another's image: with Open MPI, without Bellows, and without its user.
    room.write("image/theirs", "FROM localhost/bellows-parint:dev\nUSER 0\n"
               "RUN rm -r /opt/bellows && sed -i /bellows/d /etc/passwd\n"
               "ENTRYPOINT []\nENV PATH=/usr/local/bin:/usr/bin:/bin\n")
    room.write("image/with", "FROM localhost/theirs:dev\n" +
               re.sub("^ +", "", lines, flags=re.M) + "\n")
    for name in ("theirs", "with"):
        images.obey(images.podman(
            "build", "--isolation=chroot", "--quiet", "--pull=never",
            f"--tag=localhost/{name}:dev", f"--file={room.path('image', name)}",
            room.path("image")))
    run(room, "theirs", "bellows", "--version").ends_with(127)
    said = run(room, "with", "bellows", "--version").ends_with(0)
    assert said.output.startswith("bellows "), said.output
    pod = Pod(room)
    job(pod, pace=0)
    at = room.run(*pod.words("with", "--network=none", "--passwd=false"),
                  "sh", "-c", "id -un; bellows run /etc/bellows/job/job.yaml",
                  patience=240).ends_with(0).says("cannot find name for user")
    assert harness.digest(at.output) == WORK.digest()


def without_what_it_needs_the_script_says_so(room):
    IMAGES.get()
    out = room.path("out")
    at = room.run(SCRIPT, out, "belows")
    assert at.ends_with(1).errors.startswith(
        "images: 'belows' is no image; bellows, bellows-parint"), at.errors
    at = room.run(shutil.which("setpriv"), "--reuid=65534", "--clear-groups", SCRIPT, out)
    assert at.ends_with(1).errors.startswith(
        "images: it needs to be run as root"), at.errors
    assert not os.path.exists(out)


harness.main(
    they_are_built_and_not_larger_than_they_were,
    they_run_as_nobody_special_on_a_root_that_is_read_only,
    the_programs_of_the_applications_are_there,
    nothing_to_compile_or_to_read_is_in_them,
    the_entrypoint_takes_the_role_from_the_host,
    a_whole_job_runs_and_grows_in_one_container,
    a_job_of_containers_with_a_secret_grows,
    three_lines_add_bellows_to_another_image,
    without_what_it_needs_the_script_says_so,
)
