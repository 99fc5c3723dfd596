#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kub's own programs drive a job.  args: BIN

All that its clients know is Kub's field numbers (kub_worker.py).  Workers are
hosts of their own, with an address and an sshd on port 22.
"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys

import bed
import harness
from harness import Skip

try:
    import grpc
    import kub_worker
    from kub_worker import confirmation, integer, text
except ImportError:
    print("1..0 # SKIP no grpc for Python here")
    sys.exit(0)

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "kub_worker.py")
CLONE_NEWNET = 0x40000000
HERE = "10.77.0.1"
# an address of its own: it would else change with its ports, and be unknown to
# the workers for seconds
BRIDGE = [["link", "add", "br0", "address", "02:77:00:00:00:01", "type",
           "bridge"],
          ["addr", "add", HERE + "/24", "dev", "br0"],
          ["link", "set", "br0", "up"]]
CONTAINER = ["unshare", "--net", "--uts", "--pid", "--fork", "--mount-proc",
             "--kill-child"]
ASK_EVERY = "0.5"  # seconds; Kub's own is 10
RARELY = "25"      # more than a start waits for, less than a lost one is silent


# ---- the bed ----

def ip(*words):
    return subprocess.run(["ip", *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)


def be_a_host():
    """A network of our own: ports are free, and nothing is left of it.  Before
    there are threads, for each has its own."""
    if os.getuid() != 0 or ctypes.CDLL(None).unshare(CLONE_NEWNET) != 0:
        return False
    return ip("link", "set", "lo", "up").returncode == 0


IS_ALONE = be_a_host()


def needs_hosts():
    for name in ("ip", "unshare", "ssh-keygen", "ssh"):
        if not shutil.which(name):
            raise Skip(f"needs {name}")
    if not os.path.exists("/usr/sbin/sshd"):
        raise Skip("needs sshd")
    if not IS_ALONE:
        raise Skip("needs the right to make a network")
    if HERE not in ip("addr").stdout:
        for words in BRIDGE:
            at = ip(*words)
            if at.returncode != 0:
                raise Skip(f"ip {' '.join(words)}: {at.stderr.strip()}")


class Worker:
    """Volcano makes the first ones with the job's key; those that Kub's
    scheduler makes have "scale" in their name, and ask for it."""

    def __init__(self, job, number, name="mpiworker", every=ASK_EVERY):
        room, self.address = job.room, f"10.77.0.{10 + number}"
        folder = room.path(f"w{number}")
        os.mkdir(folder)
        if name == "mpiworker":
            shutil.copy(job.key + ".pub", f"{folder}/authorized_keys")
        self.at = room.start(
            shutil.which("unshare"), *CONTAINER[1:], sys.executable, "-B",
            WORKER, f"heat-{name}-{number}", self.address, job.address, folder,
            every)
        found = room.wait("a container", lambda: self.at.is_over() or
                          harness.children(self.at.pid))
        assert found is not True, self.at.errors
        self.pid, link = found[0], f"v{number}"
        for words in (["link", "add", link, "type", "veth", "peer", "name",
                       "eth0", "netns", str(self.pid)],
                      ["link", "set", link, "master", "br0", "up"]):
            at = ip(*words)
            assert at.returncode == 0, at.stderr
        room.wait("an executor", lambda: self.at.is_over() or
                  "JobInit" in self.at.output)

    def said(self):
        return self.at.output.splitlines()

    def rank(self):
        """The process that computes in this container."""
        found = [pid for pid in harness.processes()
                 if os.path.basename((harness.command(pid) or [""])[0])
                 == "parint" and bed.network(pid) == bed.network(self.pid)]
        assert len(found) == 1, found
        return found[0]

    def has_ended(self):
        self.at.ends_with(0)
        assert self.said()[-2:] == ["activeServer 6", "endExec 4"]


class Job:
    """A coordinator that serves Kub's programs, and its client."""

    def __init__(self, room, work, listen=HERE, **keys):
        self.key = room.path("key")
        if not os.path.exists(self.key):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "",
                            "-f", self.key], check=True)
        keys = {"kub": "true",
                "mpi": f"{{launcher: ssh, key: {self.key}}}",
                "command": harness.flow([os.path.join(harness.BIN, "parint"),
                                         *work.words]), **keys}
        self.room, self.state = room, room.path("state", "heat")
        os.makedirs(self.state, 0o700, exist_ok=True)
        self.token = room.write("state/heat/token", 32 * "k" + "\n")
        os.chmod(self.token, 0o600)
        room.stale = re.compile("token")  # ours, for the command line to find
        self.at = room.start(
            "bellows-coordinator", "--job", room.job(work, **keys), "--state",
            self.state, "--listen", f"{listen}:0", "--unencrypted",
            "--token-file", self.token)
        self.address = room.wait("an address", lambda: self.at.is_over() or
                                 harness.read(f"{self.state}/address",
                                              "r").strip())
        assert self.address is not True, self.at.errors

    def call(self, name, request=b""):
        with grpc.insecure_channel(self.address,
                                   [("grpc.enable_http_proxy", 0)]) as channel:
            return kub_worker.call(channel, name, request)

    def scale(self, nodes, mode="horizontal"):
        return confirmation(self.call("Scale",
                                      integer(1, nodes) + text(2, mode)))

    def asks(self, request=b""):
        return confirmation(self.call("activeServer", request))[0]

    def join(self, address):
        return confirmation(self.call("JobInit", text(1, address)))

    def refuses(self, code, sentence, name, request=b""):
        try:
            self.call(name, request)
        except grpc.RpcError as error:
            assert error.code() == code, error
            assert sentence in error.details(), error.details()
            return
        assert False, f"{name} is answered"

    def ends_as(self, work):
        """With 0, and what plain mpiexec computes."""
        self.room.finishes(self.at, work)
        steps = [line for line in self.at.output.splitlines()
                 if line.startswith("parint: ")]
        assert len(steps) == len(self.at.output.splitlines())

    def stop(self):
        self.at.tell(signal.SIGINT)


# ---- jobs ----

def a_scheduler_and_workers_of_kub_run_a_job_and_grow_it(room):
    needs_hosts()
    work = harness.lasting_work()
    job = Job(room, work, ranks=(1, 1, 4))
    first = Worker(job, 0)
    room.runs_on(1)
    assert job.scale(1) == (1, "from 1 to 2 ranks")
    room.wait_job("a wish for two", lambda at: at["state"] == "growing")
    second = Worker(job, 1, name="scale")
    room.runs_on(2)
    job.ends_as(work)
    assert len([line for line in job.at.output.splitlines()
                if "parint: resumed at" in line]) == 1
    first.has_ended()
    second.has_ended()
    said = first.said()
    assert said[0] == "JobInit 3 10.77.0.10 has joined"
    assert second.said()[:2] == ["RetrieveKeys 3",
                                 "JobInit 3 10.77.0.11 has joined"]
    assert said.count("activeServer 5") == said.count("checkpointing 2") == 1
    assert "activeServer 5" not in second.said()


def begun(room, first=0, every=ASK_EVERY):
    """A job on two workers that computes for longer than the test takes."""
    needs_hosts()
    job = Job(room, harness.work_for(60), ranks=(2, 1, 4))
    workers = [Worker(job, first + i, every=every) for i in range(2)]
    room.runs_on(2)
    return job, workers


def is_saved_and_stopped(job, *workers):
    job.stop()
    job.at.ends_with(75)
    for worker in workers:
        worker.has_ended()
    assert os.path.exists(job.room.path("ck", "parint.ckpt"))


def a_surplus_worker_is_told_to_end_when_the_job_shrinks(room):
    job, workers = begun(room)
    assert job.scale(-1) == (1, "from 2 to 1 ranks")
    workers[1].has_ended()
    room.runs_on(1)
    is_saved_and_stopped(job, workers[0])


def a_worker_that_dies_is_found_at_once_and_costs_the_job_nothing_more(room):
    job, workers = begun(room)
    os.kill(workers[1].pid, signal.SIGKILL)
    room.computes_on(1)
    job.at.says("executor=10.77.0.11 lost: its sshd: ")
    is_saved_and_stopped(job, workers[0])


def workers_are_told_of_a_checkpoint_when_it_is_there_and_not_before(room):
    job, workers = begun(room)
    rank = workers[1].rank()
    os.kill(rank, signal.SIGSTOP)
    assert job.scale(-1)[0] == 1
    room.wait_job("the order to save", lambda at: at["state"] == "saving")
    before = len(workers[0].said())
    room.wait("two more answers", lambda:
              len(workers[0].said()) > before + 1)
    assert "activeServer 5" not in workers[0].said()
    assert not os.path.exists(room.path("ck", "parint.ckpt"))
    os.kill(rank, signal.SIGCONT)
    room.runs_on(1)
    assert workers[0].said().count("activeServer 5") == 1
    is_saved_and_stopped(job, workers[0])


def one_worker_that_confirms_is_enough(room):
    job, workers = begun(room)
    assert job.scale(-1)[0] == 1
    room.runs_on(1)
    workers[1].has_ended()
    assert workers[0].said().count("checkpointing 2") == 1
    assert "checkpointing 2" not in workers[1].said()
    is_saved_and_stopped(job, workers[0])
    assert " lost: " not in job.at.errors


def a_job_goes_on_when_each_worker_has_asked_again_and_none_confirms(room):
    job, workers = begun(room, 1)
    assert job.scale(-1)[0] == 1
    room.runs_on(1)
    workers[1].has_ended()
    for worker in workers:
        assert worker.said().count("activeServer 5") == 1
        assert "checkpointing 2" not in worker.said()
    is_saved_and_stopped(job, workers[0])
    assert " lost: " not in job.at.errors


def a_job_goes_on_after_a_while_when_no_worker_confirms(room):
    """They ask so rarely that none asks twice before it goes on."""
    job, workers = begun(room, 1, RARELY)
    assert job.scale(-1)[0] == 1
    room.runs_on(1)
    assert " lost: " not in job.at.errors
    for worker in workers:
        assert worker.said().count("activeServer 5") <= 1
    room.runs_out(job.at)
    for worker in workers:
        worker.has_ended()


# ---- answers ----

def what_is_wrong_is_answered_with_a_sentence(room):
    code = grpc.StatusCode
    job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1")
    for name in "activeServer", "checkpointing", "endExec":
        job.refuses(code.NOT_FOUND, "no executor of this job is at 127.0.0.1",
                    name)
    assert job.scale(7) == (0, "9 is more than ranks.max, which is 6")
    assert job.scale(1, "vertical")[0] == 0
    job.stop()
    job.at.ends_with(75)


def a_host_name_means_the_address_that_the_call_comes_from(room):
    job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1")
    name = text(1, "heat-mpiworker-0")
    assert confirmation(job.call("JobInit", name)) == (
        3, "127.0.0.1 has joined")
    assert job.call("RetrieveKeys", name)[1]
    at = room.wait_job("an executor", lambda at: at["members"])
    assert [one["name"] for one in at["members"]] == ["127.0.0.1"]
    job.call("endExec")
    job.stop()
    job.at.ends_with(75)


def two_workers_of_one_address_are_one(room):
    job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1")
    assert job.join("127.0.0.1") == (3, "127.0.0.1 has joined")
    assert job.join("::ffff:127.0.0.1") == (3, "127.0.0.1 is here already")
    assert job.join("fd00::5") == (3, "fd00--5 has joined")
    at = room.wait_job("two executors", lambda at: len(at["members"]) == 2)
    assert [one["name"] for one in at["members"]] == ["127.0.0.1", "fd00--5"]
    other = text(1, "fd00--5")
    assert job.asks() == job.asks(other) == 4
    assert confirmation(job.call("endExec", other))[0] == 4
    job.stop()
    room.wait("the end", lambda: job.asks() == 6)
    assert confirmation(job.call("endExec"))[0] == 4
    job.at.ends_with(75)


def a_worker_that_was_given_up_is_told_to_end_and_may_join_again(room):
    job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1")
    assert job.join("127.0.0.1") == (3, "127.0.0.1 has joined")
    job.call("endExec")
    job.at.says("executor=127.0.0.1 lost: it ended")
    assert job.asks(text(1, "orted")) == 6
    assert confirmation(job.call("checkpointing"))[0] == 2
    assert confirmation(job.call("endExec"))[0] == 4
    assert job.join("127.0.0.1") == (3, "127.0.0.1 has joined")
    assert job.asks() == 4
    job.call("endExec")
    job.stop()
    job.at.ends_with(75)


def the_private_key_is_given_away_by_name_alone(room):
    for asked in "false", "true":
        job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1",
                  kub_private_key=asked)
        keys = job.call("RetrieveKeys", text(1, "127.0.0.1"))
        assert keys[3] == 3
        assert re.fullmatch(rb"ssh-ed25519 [^\n]+\n", keys[1])
        private = keys.get(2, b"")
        assert private.startswith(b"-----BEGIN OPENSSH PRIVATE KEY-----\n") \
            if asked == "true" else private == b""
        job.stop()
        job.at.ends_with(75)


def a_job_that_encrypts_serves_them_at_an_address_of_their_own(room):
    keys = room.path("keys")
    room.run("bellows", "keys", keys).ends_with(0)
    path = room.job(harness.Work(1003, 20, 7), kub="true",
                    mpi="{launcher: ssh}")
    words = ["--job", path, "--state", room.path("state", "heat"), "--listen",
             "127.0.0.1:0", "--tls", os.path.join(keys, "coordinator")]
    room.run("bellows-coordinator", *words).ends_with(64).says(
        "Kub's programs", "do not encrypt; --kub ADDR")
    at = room.start("bellows-coordinator", *words, "--kub", "127.0.0.1:0")
    found = room.wait("an address", lambda: at.is_over() or re.search(
        r"served at (\S+), unencrypted", at.errors))
    with grpc.insecure_channel(found.group(1),
                               [("grpc.enable_http_proxy", 0)]) as channel:
        assert confirmation(kub_worker.call(
            channel, "JobInit", text(1, "127.0.0.1")))[0] == 3
        # and nothing but them
        for method in "GetJob", "Scale", "Cancel":
            try:
                channel.unary_unary("/bellows.v1.Coordinator/" + method)(
                    b"", timeout=10)
                raise AssertionError(method)
            except grpc.RpcError as error:
                assert error.code() == grpc.StatusCode.UNIMPLEMENTED
    at.tell(signal.SIGINT)
    at.tell(signal.SIGINT)
    at.end()


def an_address_for_them_needs_a_job_that_asks(room):
    room.run("bellows-coordinator", "--job",
             room.job(harness.Work(1003, 20, 7)), "--state",
             room.path("state", "heat"), "--kub",
             "127.0.0.1:0").ends_with(64).says("does not say kub: true")


def keys_are_given_to_executors_that_have_joined(room):
    job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1")
    assert job.call("RetrieveKeys", text(1, "127.0.0.1"))[3] == 3
    job.refuses(grpc.StatusCode.PERMISSION_DENIED,
                "nodeIP: '10.0.0.9' is neither", "RetrieveKeys",
                text(1, "10.0.0.9"))
    job.stop()
    job.at.ends_with(75)


def the_first_to_join_decides_for_all(room):
    job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1")
    assert job.join("fd00::5")[0] == 3
    ours = ["--coordinator", job.address, "--name", "w", "--tmpdir",
            room.tmp, "--token-file", job.token]
    room.run("bellows-executor", *ours).says(
                 "the executors of this job are polled, as Kub's are; it "
                 "takes no others")
    job.stop()
    room.wait("the end", lambda: job.asks(text(1, "fd00::5")) == 6)
    job.call("endExec", text(1, "fd00::5"))
    job.at.ends_with(75)

    job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1")
    ours[1] = job.address
    room.start("bellows-executor", *ours)
    room.wait_job("an executor", lambda at: at["members"])
    job.refuses(grpc.StatusCode.FAILED_PRECONDITION,
                "the executors of this job hold a stream; it takes no others",
                "JobInit", text(1, "fd00::5"))
    job.stop()
    job.at.ends_with(75)


def a_job_that_does_not_ask_for_it_does_not_serve_it(room):
    job = Job(room, harness.Work(1003, 20, 7), listen="127.0.0.1",
              kub="false", mpi="{launcher: stream}")
    for name in ("Scale", "RetrieveKeys", "JobInit", "activeServer",
                 "checkpointing", "endExec"):
        job.refuses(grpc.StatusCode.UNIMPLEMENTED,
                    "its job file does not say kub: true", name)
    job.stop()
    job.at.ends_with(75)


harness.main(
    what_is_wrong_is_answered_with_a_sentence,
    a_host_name_means_the_address_that_the_call_comes_from,
    two_workers_of_one_address_are_one,
    a_worker_that_was_given_up_is_told_to_end_and_may_join_again,
    keys_are_given_to_executors_that_have_joined,
    the_private_key_is_given_away_by_name_alone,
    a_job_that_encrypts_serves_them_at_an_address_of_their_own,
    an_address_for_them_needs_a_job_that_asks,
    the_first_to_join_decides_for_all,
    a_job_that_does_not_ask_for_it_does_not_serve_it,
    a_scheduler_and_workers_of_kub_run_a_job_and_grow_it,
    a_surplus_worker_is_told_to_end_when_the_job_shrinks,
    a_worker_that_dies_is_found_at_once_and_costs_the_job_nothing_more,
    workers_are_told_of_a_checkpoint_when_it_is_there_and_not_before,
    one_worker_that_confirms_is_enough,
    a_job_goes_on_when_each_worker_has_asked_again_and_none_confirms,
    a_job_goes_on_after_a_while_when_no_worker_confirms,
)
