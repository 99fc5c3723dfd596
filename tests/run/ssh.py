#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mpiexec goes by ssh, to an sshd that each executor runs.  args: BIN

Executors are processes of this machine, each with an sshd on a port of its own.
Where we are root, another user is one of a user database that only this test
sees; its start-up files do what they can to break a session.
"""

import ctypes
import os
import re
import shutil
import signal
import stat
import subprocess
import sys

import harness
from harness import Skip

try:
    import grpc
except ImportError:
    grpc = None

SHORT = harness.Work(1003, 20, 7)
SSH = "{launcher: ssh}"
CALL = "/bellows.v1.Coordinator/"
USER, UID = "bellows-test", 64901
MS_BIND = 0x1000
MNT_DETACH = 2
HOSTILE = "echo noise; PATH=/none; cd /; exit 9\n"


# ---- processes ----

def family(pid):
    """All living descendants."""
    known, added = {pid}, True
    while added:
        born = {at for at in harness.processes() if at not in known
                and (harness.stat(at) or (None, 0))[1] in known}
        added = bool(born)
        known |= born
    return [at for at in known if at != pid and harness.is_alive(at)]


def sshds(pid=None):
    """A title of sshd hides its environment, so they are found by descent."""
    return [at for at in family(pid or os.getpid())
            if harness.read(f"/proc/{at}/comm") == b"sshd\n"]


def listeners():
    return [at for at in sshds() if "[listener]" in " ".join(
        harness.command(at))]


def no_sshd_is_left(room):
    room.wait("the end of every sshd", lambda: not sshds(), 10)


def executor(room, name):
    return next(pid for pid in room.ours("bellows-executor")
                if name in harness.command(pid))


# ---- secrets ----

def secrets(key):
    """Pieces of the end of a private key, where the secret part is."""
    text = "".join(line for line in key.decode().splitlines()
                   if not line.startswith("-"))
    return [text[at:at + 24] for at in range(len(text) - 144, len(text) - 24,
                                             24)]


# ---- users ----

def forget_users():
    while ctypes.CDLL(None).umount2(b"/etc/passwd", MNT_DETACH) == 0:
        pass


class User:
    """Another user, for programs that root starts."""

    def __init__(self, room, shell, is_known=True):
        if os.getuid() != 0:
            raise Skip("needs to be root to be another user")
        forget_users()
        self.prefix = [shutil.which("setpriv"), f"--reuid={UID}", f"--regid={UID}",
                       "--clear-groups"]
        self.home = room.path("home")
        os.mkdir(self.home)
        for name in (".profile", ".bashrc", ".bash_profile", ".zshenv",
                     ".cshrc"):
            room.write(f"home/{name}", HOSTILE)
        for folder in (room.folder, room.tmp, room.state, room.path("ck"),
                       self.home):
            os.chown(folder, UID, UID)
        if is_known:
            self.know(room, shell)
        room.env["HOME"] = self.home
        if subprocess.run([*self.prefix, os.path.join(harness.BIN, "parint"),
                           "--help"], capture_output=True,
                          check=False).returncode:
            raise Skip("another user cannot run our programs")

    def know(self, room, shell):
        """Only this test's mount namespace sees it; the next one replaces it."""
        lines = [line for line in
                 harness.read("/etc/passwd", "r").splitlines(True)
                 if not line.startswith(USER + ":")]
        path = room.write("passwd", "".join(lines) + ":".join(
            [USER, "x", str(UID), str(UID), "", self.home, shell]) + "\n")
        os.chmod(path, 0o644)
        libc = ctypes.CDLL(None, use_errno=True)
        forget_users()
        if libc.mount(path.encode(), b"/etc/passwd", None, MS_BIND, None):
            raise Skip("needs the right to mount")

    def run(self, room, program, *args, **more):
        return room.run(self.prefix[0], *self.prefix[1:],
                        os.path.join(harness.BIN, program), *args, **more)


# ---- calls, by hand ----

def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def message(**fields):
    """f1="text", f2=7: of these numbers."""
    out = b""
    for name, value in fields.items():
        number = int(name[1:])
        if isinstance(value, str):
            out += varint(number << 3 | 2) + varint(len(value)) + value.encode()
        else:
            out += varint(number << 3) + varint(value)
    return out


class Client:
    def __init__(self, address, token=None):
        if grpc is None:
            raise Skip("no grpc for Python here")
        self.channel = grpc.insecure_channel(address)
        self.metadata = [("authorization", "Bearer " + token)] if token else []

    def call(self, method, request=b"", service=CALL):
        """The code, and the answer or the reason."""
        ask = self.channel.unary_unary(service + method)
        try:
            return "OK", ask(request, timeout=harness.PATIENCE,
                             metadata=self.metadata, wait_for_ready=True)
        except grpc.RpcError as error:
            return error.code().name, error.details()


def coordinator(room, *options, **keys):
    """One without executors; its address."""
    state = room.path("state", "alone")
    at = room.start("bellows-coordinator", "--job",
                    room.job(SHORT, **keys), "--state",
                    state, *options)
    path = os.path.join(state, "address")
    room.wait("the address", lambda: harness.read(path) or at.is_over())
    return at, harness.read(path, "r").strip()


def ends(at):
    at.tell(signal.SIGTERM)
    at.end()


# ---- a job ----

def a_job_by_ssh_goes_to_4_and_back_with_the_digest_of_plain_mpiexec(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work, mpi=SSH))
    path = room.path("state", "heat", "ssh", "key")
    key = room.wait("the key", lambda: harness.read(path))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    words = secrets(key)
    assert len(words) == 5 and all(len(word) == 24 for word in words)
    room.wait("mpiexec's ssh", lambda: [
        pid for pid in room.ours("ssh")
        if harness.command(pid)[1] == "-F"])
    for ranks in (4, 2):
        room.runs_on(6 - ranks)
        asked = room.start("bellows", "scale", "heat", ranks, "--wait")
        shown = room.wait("its end", lambda asked=asked: harness.in_sight(words)
                          or asked.is_over(), 180)
        assert shown is True, f"command lines with the key: {shown}"
        asked.ends_with(0)
    room.finishes(at, work)
    at.says("running on 4 ranks", "2 rescales")
    assert not harness.in_files(room.folder, words)
    no_sshd_is_left(room)


def start_up_files_of_a_user_break_nothing(room):
    user = User(room, "/bin/sh")
    for shell in ("/bin/bash", "/bin/sh"):
        user.know(room, shell)
        at = user.run(room, "bellows", "run", room.job(SHORT, mpi=SSH),
                      patience=180).ends_with(0)
        assert harness.digest(at.output) == SHORT.digest()
    no_sshd_is_left(room)


def a_user_whose_shell_runs_nothing_is_named(room):
    user = User(room, "/usr/sbin/nologin")
    user.run(room, "bellows", "run", room.job(SHORT,
                                              mpi=SSH)) \
        .ends_with(69).says("'command -v orted >/dev/null' ended with 1 there, "
                            f"run by the shell of {USER}")
    no_sshd_is_left(room)


def a_user_without_an_entry_is_named(room):
    user = User(room, "/bin/sh", is_known=False)
    user.run(room, "bellows", "run", room.job(SHORT,
                                              mpi=SSH)) \
        .ends_with(71).says(f"user {UID} has no entry in the user "
                            "database")


# ---- sshds ----

def others_come_and_no_rank_minds(room, at, work, old, epoch):
    room.wait("others", lambda: len(set(listeners()) - old) == 2)
    assert room.status()["epoch"] == epoch
    room.scale(3).ends_with(0)
    room.finishes(at, work)
    assert "was lost" not in at.errors
    no_sshd_is_left(room)


def an_sshd_that_dies_is_started_again_and_no_rank_minds(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work, mpi=SSH))
    epoch = room.runs_on(2)["epoch"]
    old = set(listeners())
    assert len(old) == 2
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    others_come_and_no_rank_minds(room, at, work, old, epoch)


def sshds_whose_files_are_removed_are_replaced_and_no_rank_minds(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work, mpi=SSH))
    epoch = room.runs_on(2)["epoch"]
    old = set(listeners())
    folders = {word.removeprefix(b"TMPDIR=") for pid in room.ours("parint")
               for word in harness.environment(pid)
               if word.startswith(b"TMPDIR=")}
    assert len(folders) == len(old) == 2, (folders, old)
    for folder in folders:
        shutil.rmtree(folder)
    others_come_and_no_rank_minds(room, at, work, old, epoch)


def an_executor_that_is_killed_takes_its_sshd_and_ranks_along(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work, mpi=SSH))
    room.runs_on(2)
    lost = executor(room, "worker-1")
    its = family(lost)
    # the one that listens, and that of mpiexec: our first look is over
    assert len(sshds(lost)) == 2
    os.kill(lost, signal.SIGKILL)
    room.wait("their end", lambda: not any(map(harness.is_alive, its)), 5)
    room.finishes(at, work)
    no_sshd_is_left(room)


def begin_with(room, address, *names):
    """A coordinator of two ranks, and executors at that address."""
    at, listens = coordinator(room, mpi=SSH, ranks=(2, 2, 2))
    for name in names:
        room.start("bellows-executor", "--coordinator", listens, "--name",
                   name, "--address", address)
    return at


def an_address_of_ipv6_is_one(room):
    if not os.path.exists("/proc/net/if_inet6") or \
            not harness.read("/proc/net/if_inet6"):
        raise Skip("no IPv6 here")
    at = begin_with(room, "::1", "a", "b").ends_with(0)
    at.says("lets us in at ::1 port")


def an_executor_that_cannot_be_reached_is_not_ready_and_says_why(room):
    at = begin_with(room, "240.0.0.1", "a").ends_with(69)
    at.says("sshd at 240.0.0.1 port ", "cannot connect")
    assert " ready" not in at.errors
    no_sshd_is_left(room)


def a_name_as_an_address_is_refused(room):
    begin_with(room, "localhost", "a").ends_with(71).says(
        "--address: 'localhost' is not an address of IPv4 or IPv6")


# ---- keys and tokens ----

def keys_are_for_members_only(room):
    at, address = coordinator(room, mpi=SSH)
    client = Client(address)
    member, stranger = message(f1="m", f2=5), message(f1="x", f2=5)
    assert client.call("JobInit", member + message(f4=1))[0] == "OK"
    assert client.call("RetrieveKeys", stranger)[0] == "PERMISSION_DENIED"
    assert client.call("RetrieveKeys", message(f1="m", f2=6))[0] == \
        "PERMISSION_DENIED"
    assert client.call("RetrieveKeys")[0] == "PERMISSION_DENIED"
    code, both = client.call("RetrieveKeys", member)
    assert code == "OK" and both.count(b"PRIVATE KEY-----") == 2
    assert b"ssh-ed25519 AAAA" in both
    code, public = client.call("RetrieveKeys", member + message(f3=1))
    assert code == "OK" and b"PRIVATE" not in public
    assert b"ssh-ed25519 AAAA" in public
    ends(at)


def the_stream_launcher_has_no_keys(room):
    at, address = coordinator(room)
    client = Client(address)
    member = message(f1="m", f2=5)
    assert client.call("JobInit", member + message(f4=1))[0] == "OK"
    assert client.call("RetrieveKeys", member) == \
        ("FAILED_PRECONDITION", "the stream launcher has no keys")
    ends(at)


TOKEN = "0123456789abcdef"


def a_token(room):
    path = room.write("token", TOKEN + "\n")
    os.chmod(path, 0o600)
    return path


def without_the_token_nobody_is_answered_but_health(room):
    path = a_token(room)
    at, address = coordinator(room, "--listen", "127.0.0.1:0", "--token-file",
                              path)
    # fewer wrong ones than would make this address wait
    for token, methods in ((None, ("GetJob", "JobInit", "RetrieveKeys")),
                           ("0123456789abcdeX", ("Scale", "Cancel"))):
        client = Client(address, token)
        for method in methods:
            assert client.call(method)[0] == "UNAUTHENTICATED"
        assert client.call("Check", service="/grpc.health.v1.Health/")[0] == \
            "OK"
    assert Client(address, "0123456789abcdef").call("GetJob")[0] == "OK"
    room.run("bellows-executor", "--coordinator", address).ends_with(69) \
        .says("a token is needed here")
    room.run("bellows", "status", "--connect", address).ends_with(69) \
        .says("UNAUTHENTICATED")
    room.run("bellows", "status", "--connect", address, "--token-file",
             path).ends_with(0)
    ends(at)


def a_token_that_others_can_read_is_refused(room):
    path = room.write("token", "0123456789abcdef\n")
    os.chmod(path, 0o644)
    job = room.job(SHORT)
    for program in (["bellows-coordinator", "--job", job, "--state",
                     room.path("state", "x")],
                    ["bellows-executor", "--coordinator", "unix:/none"],
                    ["bellows-monitor", "--job", job, "--coordinator",
                     "unix:/none", "--state", room.path("m")],
                    ["bellows", "run", job]):
        room.run(*program, "--token-file", path).ends_with(71).says(
            "others can read it (mode 0644); chmod 600")


def a_job_by_ssh_that_the_network_reaches_needs_a_token(room):
    job = room.job(SHORT, mpi=SSH)
    room.run("bellows-coordinator", "--job", job, "--state",
             room.path("state", "x"), "--listen", "0.0.0.0:0",
             "--unencrypted").ends_with(64) \
        .says("--listen 0.0.0.0:0: with mpi.launcher: ssh", "--token-file")


def a_private_key_is_not_sent_where_others_read_it(room):
    at, address = coordinator(room, "--listen", "0.0.0.0:0", "--unencrypted",
                              "--token-file", a_token(room), mpi=SSH)
    client = Client(address.replace("0.0.0.0", "127.0.0.1"), TOKEN)
    member = message(f1="m", f2=5)
    assert client.call("JobInit", member + message(f4=1))[0] == "OK"
    code, said = client.call("RetrieveKeys", member)
    assert code == "FAILED_PRECONDITION" and "not encrypted" in said, said
    code, public = client.call("RetrieveKeys", member + message(f3=1))
    assert code == "OK" and b"ssh-ed25519 AAAA" in public
    ends(at)


def run_makes_a_token_of_its_own_for_a_port(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work), "--listen",
                    "127.0.0.1:0")
    room.runs_on(2)
    path = room.path("state", "heat", "token")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    token = harness.read(path, "r").strip()
    address = harness.read(room.path("state", "heat", "address"), "r").strip()
    assert re.fullmatch(r"127\.0\.0\.1:[1-9]\d*", address)
    assert Client(address).call("GetJob")[0] == "UNAUTHENTICATED"
    assert not harness.in_sight([token])
    room.scale(3).ends_with(0)
    room.finishes(at, work)
    assert not harness.in_files(room.folder, [token])


if not os.path.exists("/usr/sbin/sshd"):
    print("1..0 # SKIP no sshd here")
    sys.exit(0)

harness.main(
    a_job_by_ssh_goes_to_4_and_back_with_the_digest_of_plain_mpiexec,
    start_up_files_of_a_user_break_nothing,
    a_user_whose_shell_runs_nothing_is_named,
    a_user_without_an_entry_is_named,
    an_sshd_that_dies_is_started_again_and_no_rank_minds,
    sshds_whose_files_are_removed_are_replaced_and_no_rank_minds,
    an_executor_that_is_killed_takes_its_sshd_and_ranks_along,
    an_address_of_ipv6_is_one,
    an_executor_that_cannot_be_reached_is_not_ready_and_says_why,
    a_name_as_an_address_is_refused,
    keys_are_for_members_only,
    the_stream_launcher_has_no_keys,
    without_the_token_nobody_is_answered_but_health,
    a_token_that_others_can_read_is_refused,
    a_job_by_ssh_that_the_network_reaches_needs_a_token,
    a_private_key_is_not_sent_where_others_read_it,
    run_makes_a_token_of_its_own_for_a_port,
)
