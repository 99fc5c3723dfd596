#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever is sent to a coordinator, its job goes on.  args: BIN

A job runs while an attacker tries something.  Then it still runs, since its first
start; its digest is right; and the coordinator has as many descriptors as before.
"""

import contextlib
import os
import queue
import socket
import threading

import grpc_client
import harness
import http2
from grpc_client import COORDINATOR, TIMEOUT, Client, grpc, refusal
from http2 import (AWAY, DATA, GREETING, HEADERS, MORE, PING, PREFACE, PRIORITY,
                   PUSH, RESET, SETTINGS, WINDOW, frame)

# Ranks that have made a step, and compute as soon as the attack is over.
PATIENT = """echo 'parint: iteration 1 of 9 at 0.0'
while [ ! -e go ]; do sleep 0.1; done
exec parint "$@" """
STRANGERS_OF_HOST = 32  # lib/rpc/connections.c
INVALID = grpc.StatusCode.INVALID_ARGUMENT
DENIED = grpc.StatusCode.PERMISSION_DENIED
NOT_FOUND = grpc.StatusCode.NOT_FOUND


class Target:
    """A coordinator with a job that runs."""

    def __init__(self, room, prefix=()):
        self.room, self.work = room, harness.work_for(1)
        room.prefix = list(prefix)
        self.at, self.client = grpc_client.begin(
            room, self.work, command=harness.flow(
                ["sh", "-c", PATIENT, "parint", *self.work.words]))
        room.prefix = []
        self.address = harness.read(room.path("state", "c", "address"),
                                    "r").strip()
        grpc_client.wait_for(room, self.client, "RUNNING")
        self.pid = room.the("bellows-coordinator")
        self.before = harness.descriptors(self.pid)

    def connect(self):
        host, port = self.address.rsplit(":", 1)
        return socket.create_connection((host, int(port)), TIMEOUT)

    def connect_and_call(self):
        """A connection of which a call was let in."""
        at = self.connect()
        at.sendall(GREETING + http2.call(1, http2.head(
            f"/{COORDINATOR}/WatchJob")))
        while b"grpc" not in (said := at.recv(65536)):
            if not said:
                raise ConnectionError
        return at

    def call(self, method, service=COORDINATOR):
        return self.client.call(service, method)

    def send(self, method, data, service=COORDINATOR):
        """Bytes as a message; what is said to it, with its status."""
        call = self.client.channel.unary_unary(f"/{service}/{method}")
        try:
            call(data, timeout=TIMEOUT)
        except grpc.RpcError as error:
            return error.code(), error.details()
        return grpc.StatusCode.OK, ""

    def stream(self, method):
        return Stream(self.client, method)

    def goes_on(self):
        """As if nothing had happened, to its end."""
        job = self.client.job()
        assert self.client.state(job) == "RUNNING", job.reason
        assert job.epoch == 1 and not job.history
        assert job.size == job.target == 2
        self.room.wait("the descriptors", lambda:
                       harness.descriptors(self.pid) <= self.before)
        self.room.write("go", "")
        output = self.at.ends_with(0, 180).output
        assert harness.digest(output) == self.work.digest()


class Stream:
    """A call to which messages are sent one by one."""

    def __init__(self, client, method):
        at = client.learn(COORDINATOR).methods_by_name[method]
        self.request = grpc_client.class_of(at.input_type)
        self.waiting = queue.Queue()
        self.call = client.channel.stream_stream(
            f"/{COORDINATOR}/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=grpc_client.class_of(
                at.output_type).FromString)(
                    iter(self.waiting.get, None), timeout=TIMEOUT)

    def send(self, **fields):
        self.waiting.put(self.request(**fields))
        return self

    def next(self):
        return next(self.call)

    def refusal(self, code):
        """The sentence with which it is ended."""
        def read_all():
            for _ in self.call:
                pass
        try:
            return refusal(read_all, code)
        finally:
            self.waiting.put(None)

    def hang_up(self):
        self.waiting.put(None)
        self.call.cancel()


def attacked(test):
    """The test, on a target that has to go on."""
    def run(room):
        target = Target(room)
        test(room, target)
        target.goes_on()
    run.__name__ = test.__name__
    return run


def is_hung_up_on(room, at):
    """Reads what comes until the other side ends it."""
    at.settimeout(harness.PATIENCE)
    with contextlib.suppress(ConnectionResetError):
        while at.recv(65536):
            pass
    at.close()


# what may follow the preface and does not lead anywhere
FRAMES = {
    "lengths": frame(DATA, 0, 1, b"", 0xffffff),
    "headers that are none": frame(HEADERS, 4, 1, b"\xff" * 64),
    "headers without end": frame(HEADERS, 0, 1, b"") +
                           frame(MORE, 0, 1, b"\x00\x01a\x01b" * 3000) * 200,
    "data of no stream": frame(DATA, 0, 7, b"x" * 1000),
    "settings of half a number": frame(SETTINGS, 0, 0, b"\0\0\0"),
    "settings on a stream": frame(SETTINGS, 0, 3, b""),
    "a promise": frame(PUSH, 4, 1, b"\0\0\0\2"),
    "pings": frame(PING, 0, 0, b"12345678") * 5000,
    "windows": frame(WINDOW, 0, 0, b"\x7f\xff\xff\xff") * 2,
    "resets": b"".join(frame(RESET, 0, 2 * i + 1, b"\0\0\0\x08")
                       for i in range(5000)),
    "frames of no kind": frame(0xee, 0xff, 0x7fffffff, b"?" * 100) * 100,
    "priorities": frame(PRIORITY, 0, 1, b"\0\0\0\1\0") * 5000,
    "good-bye": frame(AWAY, 0, 0, b"\0\0\0\0\0\0\0\0"),
}


# ---- connections ----

@attacked
def connections_that_send_nothing_or_one_byte_at_a_time_are_closed(room, target):
    silent = [target.connect() for _ in range(20)]
    slow = [target.connect() for _ in range(20)]
    over = threading.Event()

    def drip():
        """As slow as it takes; ends when they are hung up on."""
        for byte in PREFACE * 1000:
            for at in slow:
                with contextlib.suppress(OSError):
                    at.send(bytes([byte]))
            if over.wait(0.5):
                return
    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    for at in silent + slow:
        is_hung_up_on(room, at)
    over.set()
    thread.join()


@attacked
def two_hundred_idle_connections_get_few_places(room, target):
    idle = [target.connect() for _ in range(200)]
    for at in idle:
        with contextlib.suppress(OSError):
            at.sendall(GREETING)
    room.wait("a few of them", lambda: 0 < harness.descriptors(target.pid)
              - target.before <= STRANGERS_OF_HOST)
    late = grpc.insecure_channel(
        target.address, [("grpc.use_local_subchannel_pool", 1)])
    grpc.channel_ready_future(late).result(TIMEOUT)
    late.close()
    for at in idle:
        at.close()


@attacked
def what_is_no_http2_is_hung_up_on(room, target):
    for text in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                 b"POST /bellows.v1.Coordinator/Cancel HTTP/1.1\r\n\r\n",
                 b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500,
                 b"SSH-2.0-x\r\n", b"\0" * 70000, bytes(range(256)) * 300,
                 PREFACE[:10] + b"\xff" * 5000):
        at = target.connect()
        with contextlib.suppress(ConnectionError):
            at.sendall(text)
        is_hung_up_on(room, at)


@attacked
def frames_that_lead_nowhere_do_no_harm(room, target):
    for frames in FRAMES.values():
        for first in (GREETING, PREFACE):
            at = target.connect()
            with contextlib.suppress(OSError):
                at.sendall(first + frames)
                at.shutdown(socket.SHUT_WR)
            is_hung_up_on(room, at)
    assert target.client.job().step > 0


@attacked
def calls_without_a_message_are_borne(room, target):
    channel = grpc.insecure_channel(
        target.address, [("grpc.use_local_subchannel_pool", 1)])
    waiting = queue.Queue()
    calls = [channel.stream_stream(f"/{COORDINATOR}/{method}")(
        iter(waiting.get, None)) for method in ("Scale", "ActiveServer")
        for _ in range(300)]
    assert target.client.job().step > 0
    for call in calls:
        call.cancel()
        waiting.put(None)
    channel.close()


def text(field, data):
    """Of protobuf, as it is on the wire."""
    size, n = b"", len(data)
    while n > 0x7f:
        size, n = size + bytes([n & 0x7f | 0x80]), n >> 7
    return bytes([field << 3 | 2]) + size + bytes([n]) + data


@attacked
def messages_that_are_none_or_too_large_are_refused(room, target):
    for method in sorted(grpc_client.CALLS - {"GetJob", "WatchJob"}):
        for data in (b"\xff\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x0b"):
            code, said = target.send(method, data)
            assert code == INVALID and said.startswith("not a "), (code, said)
    exhausted = grpc.StatusCode.RESOURCE_EXHAUSTED
    code, _ = target.send("Supply", text(1, b"x" * (5 << 20)))
    assert code == exhausted, code
    code, said = target.send("Supply", text(1, b"x" * (3 << 20)))
    assert code == INVALID and "239" in said
    zipped = grpc.insecure_channel(
        target.address, compression=grpc.Compression.Gzip)
    answer = refusal(lambda: zipped.unary_unary(f"/{COORDINATOR}/Supply")(
        text(1, b"x" * (3 << 20)), timeout=TIMEOUT),
        grpc.StatusCode.UNIMPLEMENTED)
    assert answer
    zipped.close()


# ---- names and texts ----

NAMES = [b"$(touch owned)", b"`touch owned`", b"a;touch owned", b"a b", b"",
         b".", b"..", b"../../owned", b"/etc/passwd", b"a/b", b"a\nb", b"a\r",
         b"-oProxyCommand=touch owned" + b"x" * 60, b"\x1b[2Jx", b"%s%n",
         b"\xc3\xa4", b"x" * 64, b"x" * 65536]
NO_TEXTS = [b"w0\0x", b"\0", b"\xff", b"\xc3"]


@attacked
def names_that_are_none_are_refused(room, target):
    rest = bytes([2 << 3, 1, 4 << 3, 1])  # incarnation and slots
    for name in NAMES:
        code, said = target.send("JobInit", text(1, name) + rest)
        assert code == INVALID and said.startswith("name: "), (name, said)
    for name in NO_TEXTS:
        code, said = target.send("JobInit", text(1, name) + rest)
        assert code == INVALID and said.startswith("not a "), (name, said)
    for address in NAMES[:4] + [b"10.0.0.1\n127.1.0.1 slots=9", b"x" * 128]:
        code, said = target.send("JobInit", text(1, b"w9") + text(3, address)
                                 + rest)
        assert code == INVALID and said.startswith("address: "), said
    names = [member.name for member in target.client.job().members]
    assert sorted(names) == ["w0", "w1"]
    for folder, _, files in os.walk(room.folder):
        assert "owned" not in files, folder


@attacked
def texts_are_shown_as_texts(room, target):
    """The job is shown in UTF-8, and no log gets a line of the attacker's."""
    reason = b"\x1b]0;x\x07 one\ntwo $(touch owned) " + b"\xc3\xa4" * 300
    code, _ = target.send("Scale", bytes([1 << 3, 99]) + text(4, reason))
    assert code == grpc.StatusCode.OK
    code, _ = target.send("Supply", text(1, reason[:200]))
    assert code == grpc.StatusCode.OK
    assert "two" in target.client.job().trouble
    lines = target.at.errors.splitlines()
    assert not any(line.startswith("two") for line in lines)
    assert "\x1b" not in target.at.errors
    shown = room.run("bellows", "status", "c").ends_with(0)
    assert "\x1b" not in shown.output


# ---- lies ----

def liar(target, name="liar", incarnation=7):
    """A member that the job does not need: it has no ranks."""
    target.call("JobInit")(name=name, incarnation=incarnation, slots=1)
    return {"name": name, "incarnation": incarnation}


@attacked
def reports_about_ranks_of_others_are_refused_and_change_nothing(room, target):
    lies = [
        ({"gate_arrived": {"epoch": 1, "rank": 0}},
         "liar speaks of its ranks of start 1, and has none"),
        ({"ranks_up": {"epoch": 1, "rank": [0, 1]}},
         "liar speaks of its ranks of start 1, and has none"),
        ({"ranks_up": {"epoch": 1, "failure": "no", "exit_code": 256}},
         "liar speaks of its ranks of start 1, and has none"),
        ({"ranks_gone": {"epoch": 1}},
         "liar speaks of its ranks of start 1, and has none"),
        ({"ranks_gone": {"epoch": 77}},
         "liar speaks of start 77, which never was: the newest is 1"),
        ({"save_begun": {"epoch": 1}},
         "liar speaks of rank 0 of start 1, which is not its own: it has 0 of "
         "2 ranks"),
        ({"log_lines": {"epoch": 1, "line": ["parint: iteration 9 of 9"]}},
         "liar speaks of rank 0 of start 1, which is not its own: it has 0 of "
         "2 ranks"),
        ({"program_ended": {"launch": 1, "status": 256}},
         "liar speaks of program 1, which runs on w"),
    ]
    for number, (lie, sentence) in enumerate(lies, 1):
        identity = liar(target, incarnation=number)
        said = target.stream("ActiveServer").send(
            **identity, **lie).refusal(DENIED)
        assert said.startswith(sentence), said
        target.room.wait("the log", lambda sentence=sentence:
                         sentence in target.at.errors)
    assert target.client.job().step > 0


@attacked
def output_for_ranks_of_others_is_refused(room, target):
    identity = liar(target)
    line = b"parint: digest 0123456789abcdef\n"
    said = target.stream("Output").send(
        **identity, epoch=1, rank=0, data=line).refusal(DENIED)
    assert said.startswith("liar speaks of rank 0 of start 1"), said
    said = target.stream("Output").send(
        **identity, epoch=9, rank=0, data=line).refusal(DENIED)
    assert said.startswith("liar speaks of start 9"), said
    said = target.stream("Output").send(
        name="w0", incarnation=1, epoch=1, rank=0, data=line).refusal(NOT_FOUND)
    assert said == "executor 'w0' has not joined"
    assert "0123456789abcdef" not in target.at.output
    assert not os.path.exists(room.path("state", "c", "epoch-9.stdout"))


@attacked
def a_checkpoint_report_for_ranks_of_others_is_refused(room, target):
    identity = liar(target)
    judge = target.call("Checkpointing")
    good = {"complete": True, "newer": True, "step": 5}
    said = refusal(lambda: judge(**identity, epoch=1, **good), DENIED)
    assert said.startswith("liar speaks of rank 0 of start 1"), said
    said = refusal(lambda: judge(name="w0", epoch=1, **good), NOT_FOUND)
    assert said == "executor 'w0' has not joined"


@attacked
def an_executor_keeps_its_name_while_its_stream_is_open(room, target):
    join = target.call("JobInit")
    said = refusal(lambda: join(name="w0", incarnation=5, slots=1),
                   grpc.StatusCode.ALREADY_EXISTS)
    assert said.startswith("name: another executor is called w0"), said
    target.call("EndExec")(name="w0", incarnation=5, reason="bye")
    said = refusal(lambda: target.call("RetrieveKeys")(name="w0"),
                   grpc.StatusCode.FAILED_PRECONDITION)
    assert said


@attacked
def messages_out_of_order_are_refused(room, target):
    said = target.stream("ActiveServer").send(
        name="early", incarnation=1, heartbeat={"ranks": 1}).refusal(NOT_FOUND)
    assert said == "executor 'early' has not joined"
    said = target.stream("ActiveServer").send(
        heartbeat={"ranks": 1}).refusal(NOT_FOUND)
    assert said == "executor '' has not joined"
    identity = liar(target)
    first = target.stream("ActiveServer").send(
        **identity, heartbeat={"ranks": 9})
    assert first.next().WhichOneof("what") == "probe"
    assert first.next().WhichOneof("what") == "lease"
    second = target.stream("ActiveServer").send(
        **identity, probed={"token": 99, "failure": "no", "exit_code": 1})
    second.next()
    assert first.call.code() == grpc.StatusCode.OK  # there is one at a time
    second.send(probed={"token": 99}).send(sshd={"port": 99999})
    second.send(heartbeat={"leaving": True})
    target.call("EndExec")(**identity, reason="bye")
    target.call("EndExec")(**identity, reason="again")
    said = refusal(lambda: target.call("JobInit")(**identity, slots=1),
                   grpc.StatusCode.FAILED_PRECONDITION)
    assert said == "this executor left the job or was given up"
    second.hang_up()


@attacked
def kubs_calls_are_not_served_unless_they_are_asked_for(room, target):
    for method in ("Scale", "RetrieveKeys", "JobInit", "activeServer",
                   "checkpointing", "endExec"):
        code, said = target.send(method, b"", "mpi_monitor.Monitor")
        assert code == grpc.StatusCode.UNIMPLEMENTED and said, (method, code)


# ---- more than it can have ----

def more_connections_than_its_limit_are_borne(room):
    """The soft one, which it raises; its ranks have it as it was."""
    target = Target(room, ["prlimit", "--nofile=256:4096"])
    many = [target.connect_and_call() for _ in range(600)]
    room.wait("all of them", lambda: harness.descriptors(target.pid)
              >= target.before + len(many))
    assert Client(target.address).job().step > 0
    for pid in room.ours("mpiexec"):
        limits = harness.read(f"/proc/{pid}/limits", "r")
        assert "Max open files            256 " in limits, limits
    for at in many:
        at.close()
    target.goes_on()


def more_connections_than_there_can_be_leave_it_listening(room):
    """Some are refused, and later connections are let in."""
    target = Target(room, ["prlimit", "--nofile=256:256"])
    many, refused = [], 0
    for _ in range(400):
        try:
            many.append(target.connect_and_call())
        except ConnectionError:
            refused += 1
    assert 150 < refused < 400, refused
    assert harness.descriptors(target.pid) < 200  # some are kept
    assert target.client.job().step > 0
    for at in many:
        at.close()
    room.wait("the descriptors", lambda:
              harness.descriptors(target.pid) <= target.before)
    late = grpc.insecure_channel(
        target.address, [("grpc.use_local_subchannel_pool", 1)])
    grpc.channel_ready_future(late).result(TIMEOUT)
    late.close()
    target.goes_on()


harness.main(
    connections_that_send_nothing_or_one_byte_at_a_time_are_closed,
    two_hundred_idle_connections_get_few_places,
    what_is_no_http2_is_hung_up_on,
    frames_that_lead_nowhere_do_no_harm,
    calls_without_a_message_are_borne,
    messages_that_are_none_or_too_large_are_refused,
    names_that_are_none_are_refused,
    texts_are_shown_as_texts,
    reports_about_ranks_of_others_are_refused_and_change_nothing,
    output_for_ranks_of_others_is_refused,
    a_checkpoint_report_for_ranks_of_others_is_refused,
    an_executor_keeps_its_name_while_its_stream_is_open,
    messages_out_of_order_are_refused,
    kubs_calls_are_not_served_unless_they_are_asked_for,
    more_connections_than_its_limit_are_borne,
    more_connections_than_there_can_be_leave_it_listening,
)
