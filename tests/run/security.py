#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rights of each role, and what answers on a job's hosts, as
docs/security.md says.  args: BIN"""

import errno
import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import warnings

import bed
import harness
from certificates import SERVER, make_keys, on_hosts, read

try:
    import grpc
except ImportError:
    print("1..0 # SKIP no grpc for Python here")
    sys.exit(0)

COORDINATOR = "/bellows.v1.Coordinator/"
HEALTH = "/grpc.health.v1.Health/"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
TOKEN = "a-token-of-this-test"
EXECUTORS = {"JobInit", "RetrieveKeys", "ActiveServer", "Output",
             "Checkpointing", "EndExec"}
MAY = {
    "coordinator": set(),
    "executor": EXECUTORS,
    "monitor": {"Supply", "Scale", "GetJob", "WatchJob"},
    "client": {"Scale", "GetJob", "WatchJob", "Cancel", "History"},
    "scheduler": {"Grant", "Cancel", "GetJob", "WatchJob"},
}
METHODS = sorted(set().union(*MAY.values()))
PARTS = ("ca.crt", "tls.crt", "tls.key")
TIMEOUT = 20
STRANGERS = 300  # connections of somebody else, all at once
CODE = grpc.StatusCode


# ---- programs ----

def make_token(room):
    path = room.write("token", TOKEN + "\n")
    os.chmod(path, 0o600)
    return path


def logged(room, at, pattern):
    found = room.wait(pattern, lambda: at.is_over()
                      or re.search(pattern, at.errors))
    assert found is not True, at.errors
    return found.group(1)


class Coordinator:
    """One that encrypts, beside a port for health; it waits for executors."""

    def __init__(self, room, keys, host="127.0.0.1", **job):
        self.room, self.keys = room, keys
        self.state = room.path("state", "heat")
        self.token = make_token(room)
        self.at = room.start(
            "bellows-coordinator", "--job",
            room.job(harness.work_for(2), **job), "--state",
            self.state, "--listen", f"{host}:0", "--tls",
            os.path.join(keys, "coordinator"), "--token-file", self.token,
            "--health", f"{host}:0")
        self.health = logged(room, self.at, r"health at http://(\S+)/healthz")
        self.address = logged(room, self.at, r"listening on (\S+), by mutual")

    def ends(self):
        self.at.tell(signal.SIGINT)
        self.at.tell(signal.SIGINT)
        self.at.end()


# ---- calls ----

def channel_as(address, folder=None, ca=None):
    """With the identity in a folder; ca: another authority to believe.  Each has
    a connection of its own."""
    options = [("grpc.enable_http_proxy", 0),
               ("grpc.use_local_subchannel_pool", 1),
               ("grpc.ssl_target_name_override", SERVER)]
    if not folder:
        return grpc.insecure_channel(address, options[:2])
    own = [read(folder, name) for name in PARTS]
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(
        ca or own[0], own[2], own[1]), options)


def ask(channel, path, token=TOKEN):
    """Code and message of a call with an empty message, of whatever kind."""
    metadata = [("authorization", f"Bearer {token}")] if token else []
    call = channel.stream_stream(path)(iter([b""]), timeout=TIMEOUT,
                                       metadata=metadata)
    try:
        next(call)
        call.cancel()
        return CODE.OK, ""
    except StopIteration:
        return CODE.OK, ""
    except grpc.RpcError as error:
        return error.code(), error.details()


def each_role_may_call_what_is_its_own_and_nothing_else(room):
    at = Coordinator(room, make_keys(room))
    for role in ("executor", "monitor", "client", "scheduler"):
        with channel_as(at.address, os.path.join(at.keys, role)) as channel:
            for method in METHODS:
                if method == "Cancel" and method in MAY[role]:
                    continue  # it would end the job
                code, said = ask(channel, COORDINATOR + method)
                assert (code == CODE.PERMISSION_DENIED) == \
                    (method not in MAY[role]), (role, method, code)
                if code == CODE.PERMISSION_DENIED:
                    assert method in said and f"'{role}'" in said, said
    # all of that has changed nothing
    room.run("bellows", "status", "heat", "--tls", at.keys, "--token-file",
             at.token).ends_with(0)
    with channel_as(at.address, os.path.join(at.keys, "client")) as channel:
        assert ask(channel, COORDINATOR + "Cancel")[0] == CODE.OK
    at.at.ends_with(130)


def callers_without_a_certificate_of_the_job_are_not_answered(room):
    keys, others = make_keys(room), make_keys(room, "others")
    at = Coordinator(room, keys)
    ca = read(keys, "client", "ca.crt")
    strangers = [channel_as(at.address),
                 channel_as(at.address, os.path.join(others, "client")),
                 channel_as(at.address, os.path.join(others, "client"), ca),
                 # a server's is not for calling
                 channel_as(at.address, os.path.join(keys, "coordinator"))]
    for channel in strangers:
        for path in (COORDINATOR + "GetJob", HEALTH + "Check", REFLECTION):
            code, said = ask(channel, path)
            assert code == CODE.UNAVAILABLE, (code, said)
        channel.close()
    with channel_as(at.address, os.path.join(keys, "client")) as channel:
        assert ask(channel, COORDINATOR + "GetJob", None)[0] == \
            CODE.UNAUTHENTICATED
        assert ask(channel, COORDINATOR + "GetJob", TOKEN + "x")[0] == \
            CODE.UNAUTHENTICATED
        assert ask(channel, COORDINATOR + "GetJob")[0] == CODE.OK
    at.ends()


def callers_that_guess_the_token_have_to_wait(room):
    at = Coordinator(room, make_keys(room))
    with channel_as(at.address, os.path.join(at.keys, "client")) as channel:
        before = channel_as(at.address, os.path.join(at.keys, "client"))
        assert ask(before, COORDINATOR + "GetJob")[0] == CODE.OK
        codes = [ask(channel, COORDINATOR + "GetJob", f"{TOKEN}{i}")[0]
                 for i in range(40)]
        assert codes[:10] == [CODE.UNAUTHENTICATED] * 10
        assert CODE.RESOURCE_EXHAUSTED in codes[10:]
        # a client with the right token, from this address too, is not held up
        assert ask(before, COORDINATOR + "GetJob")[0] == CODE.OK
        room.wait("the right one is heard again", lambda: ask(
            channel, COORDINATOR + "GetJob")[0] == CODE.OK)
        before.close()
    at.ends()


def an_executor_waits_while_others_guess_the_token(room):
    at = Coordinator(room, make_keys(room))
    hands = {}
    with channel_as(at.address, os.path.join(at.keys, "client")) as channel:
        def is_held_up():
            return ask(channel, COORDINATOR + "GetJob",
                       TOKEN + "x")[0] == CODE.RESOURCE_EXHAUSTED

        room.wait("this host is held up", is_held_up)
        # one may be heard in the moment at which a guess is free again
        for name in ("w0", "w1", "w2"):
            os.mkdir(room.path(name))
            hands[name] = room.start(
                "bellows-executor", "--coordinator", at.address, "--name",
                name, "--tls", os.path.join(at.keys, "executor"),
                "--token-file", at.token, "--tmpdir", room.path(name))
        room.wait("an executor is held up", lambda: sum(
            is_held_up() for _ in range(20)) and any(
                "RESOURCE_EXHAUSTED" in hand.errors
                for hand in hands.values()))
    room.wait("all of them have joined", lambda: all(
        f"executor={name} joined" in at.at.errors for name in hands))
    at.at.ends_with(0)
    for hand in hands.values():
        hand.ends_with(0)
        assert hand.errors.count("RESOURCE_EXHAUSTED") <= 1, hand.errors


def health_is_a_page_for_every_caller_and_nothing_else_is(room):
    at = Coordinator(room, make_keys(room))
    for method, path, status in (("GET", "/healthz", 200),
                                 ("HEAD", "/healthz", 200),
                                 ("POST", "/healthz", 405),
                                 ("GET", "/metrics", 404),
                                 ("POST", COORDINATOR + "GetJob", 404)):
        page = http.client.HTTPConnection(at.health, timeout=TIMEOUT)
        page.request(method, path)
        assert page.getresponse().status == status, (method, path)
        page.close()
    with channel_as(at.health) as channel:
        assert ask(channel, HEALTH + "Check", None)[0] == CODE.UNAVAILABLE
    at.ends()


# ---- the command line ----

def nobody_is_let_in_by_accident(room):
    job = room.job(harness.Work(1003, 20, 7))
    words = ["--job", job, "--state", room.path("state", "heat"), "--listen",
             "0.0.0.0:0"]
    room.run("bellows-coordinator", *words).ends_with(64).says(
        "--listen 0.0.0.0:0 is reached from other machines: --tls DIR",
        "--unencrypted does without")
    room.run("bellows-coordinator", *words[:-1], "127.0.0.1:0").ends_with(64) \
        .says("--listen 127.0.0.1:0 is open to everybody on this machine")
    room.run("bellows-coordinator", *words, "--unencrypted", "--tls",
             "x").ends_with(64).says("one of them")
    at = room.start("bellows-coordinator", *words, "--unencrypted")
    logged(room, at, r"listening on (0.0.0.0:\d+)\n")
    at.tell(signal.SIGINT)
    at.tell(signal.SIGINT)
    at.end()


def an_executor_with_the_certificate_of_another_is_refused(room):
    at = Coordinator(room, make_keys(room))
    room.run("bellows-executor", "--coordinator", at.address, "--tls",
             os.path.join(at.keys, "monitor"), "--token-file", at.token,
             "--tmpdir", room.tmp).ends_with(69).says(
        "JobInit is for an executor, and this certificate is of 'monitor'")
    at.ends()


# ---- what answers ----

def open_ports(host, number):
    """What is listened on there, asked from another host: a program of its own,
    since a network is a process's."""
    text = subprocess.run(
        [*host, sys.executable, "-c", """
import errno, select, socket, sys
found, at, waiting = [], 1, {}
while at < 65536 or waiting:
    while at < 65536 and len(waiting) < 500:
        s = socket.socket()
        s.setblocking(False)
        r = s.connect_ex((sys.argv[1], at))
        if r in (0, errno.EINPROGRESS):
            waiting[s] = at
        at += 1
    ready = select.select([], list(waiting), [], 10)[1]
    for s in ready or list(waiting):
        if ready and s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
            found.append(waiting[s])
        del waiting[s]
        s.close()
print(*sorted(found))
""", number], capture_output=True, text=True, check=True,
        timeout=harness.PATIENCE).stdout
    return {int(port) for port in text.split()}


def holder_of(host, port):
    text = subprocess.run([*host, "ss", "-Hltnp", f"sport = :{port}"],
                          capture_output=True, text=True, check=True).stdout
    return set(re.findall(r'users:\(\("([^"]+)"', text))


def port_of(address):
    return int(address.rpartition(":")[2])


def the_coordinators_host_answers_at_its_ports_and_no_other(room):
    with bed.Bed(room, 2) as at:
        keys, host = make_keys(room), at.hosts["n0"]["address"]
        waiting = Coordinator(room, keys, host)
        assert open_ports(at.on("n1"), host) == {
            port_of(waiting.address), port_of(waiting.health)}
        waiting.ends()
        room.stale = re.compile("x^")
        job = on_hosts(room, at, harness.work_for(600))
        room.runs_on(2)
        own = port_of(harness.read(room.path("state", "heat", "address"),
                                   "r"))
        found = open_ports(at.on("n1"), host)
        assert own in found
        # MPI's own: its daemons report to it
        for port in found - {own}:
            assert holder_of(at.on("n0"), port) == {"mpiexec"}, port
        job.tell(signal.SIGINT)
        job.ends_with(75, 120)


def what_listens_speaks_tls_and_asks_for_a_certificate(room):
    at = Coordinator(room, make_keys(room))
    context = ssl.create_default_context(
        cafile=os.path.join(at.keys, "client", "ca.crt"))
    context.set_alpn_protocols(["h2"])
    host, port = at.address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), TIMEOUT) as raw:
        try:
            with context.wrap_socket(raw, server_hostname=SERVER) as one:
                assert one.version() in ("TLSv1.2", "TLSv1.3")
                one.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                            b"\0\0\0\4\0\0\0\0\0")
                said = one.recv(100)
                assert said == b"", f"it answers {said}"
        except (ssl.SSLError, ConnectionError):
            pass  # hung up on, one way or another
    old = ssl.create_default_context(
        cafile=os.path.join(at.keys, "client", "ca.crt"))
    old.set_ciphers("ALL:@SECLEVEL=0")  # or we would not offer them at all
    warnings.simplefilter("ignore", DeprecationWarning)
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        old.minimum_version = old.maximum_version = version
        with socket.create_connection((host, int(port)), TIMEOUT) as raw:
            try:
                old.wrap_socket(raw, server_hostname=SERVER)
                raise AssertionError(f"{version} is spoken")
            except (ssl.SSLError, ConnectionError):
                pass
    at.ends()


def strangers_disturb_no_job(room):
    """Garbage, what is not encrypted, and silence, all at once."""
    keys, work = make_keys(room), harness.lasting_work()
    job = room.start("bellows", "run", room.job(work), "--listen",
                     "127.0.0.1:0", "--tls", keys)
    room.runs_on(2)
    host, port = harness.read(room.path("state", "heat", "address"),
                              "r").strip().rsplit(":", 1)
    words = [b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
             b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", os.urandom(4096)]
    strangers = []
    for number in range(STRANGERS):
        at = socket.create_connection((host, int(port)), TIMEOUT)
        try:
            at.sendall(words[number % len(words)])
        except OSError as refusal:
            assert refusal.errno in (errno.EPIPE, errno.ECONNRESET)
        strangers.append(at)
    room.scale(3).ends_with(0)
    room.finishes(job, work)
    for at in strangers:
        at.close()


# ---- rights ----

def rights_of(pid):
    text = harness.read(f"/proc/{pid}/status", "r")
    return (re.search(r"^NoNewPrivs:\s+(\d)", text, re.M).group(1) == "1",
            int(re.search(r"^CapEff:\s+(\w+)", text, re.M).group(1), 16))


def programs_and_ranks_gain_no_rights(room):
    reach = 1 << 21 | 1 << 19 | 1 << 12 | 1 << 16  # SYS_ADMIN, SYS_PTRACE, NET_ADMIN, SYS_MODULE
    job = room.start("bellows", "run", room.job(harness.work_for(60)))
    room.runs_on(2)
    for name in ("bellows-coordinator", "bellows-monitor", "bellows-executor",
                 "mpiexec", "parint"):
        for pid in room.ours(name):
            none, capabilities = rights_of(pid)
            assert none and not capabilities & reach, (name, capabilities)
    job.tell(signal.SIGINT)
    job.ends_with(75, 120)


def a_job_that_needs_them_keeps_its_rights(room):
    job = room.start("bellows", "run", room.job(harness.work_for(60),
                                                rights="keep"))
    room.runs_on(2)
    before = rights_of(os.getpid())
    for name in ("bellows-coordinator", "bellows-executor", "parint"):
        for pid in room.ours(name):
            assert rights_of(pid) == before, name
    job.tell(signal.SIGINT)
    job.ends_with(75, 120)


harness.main(
    each_role_may_call_what_is_its_own_and_nothing_else,
    callers_without_a_certificate_of_the_job_are_not_answered,
    callers_that_guess_the_token_have_to_wait,
    an_executor_waits_while_others_guess_the_token,
    health_is_a_page_for_every_caller_and_nothing_else_is,
    nobody_is_let_in_by_accident,
    an_executor_with_the_certificate_of_another_is_refused,
    the_coordinators_host_answers_at_its_ports_and_no_other,
    what_listens_speaks_tls_and_asks_for_a_certificate,
    strangers_disturb_no_job,
    programs_and_ranks_gain_no_rights,
    a_job_that_needs_them_keeps_its_rights,
)
