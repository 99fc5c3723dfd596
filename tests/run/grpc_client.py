#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client that knows nothing of this project drives a job.  args: BIN

All it knows of the coordinator is what server reflection answers; the messages
of reflection itself are declared below.
"""

import sys
import threading

import harness

try:
    import grpc
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    print("1..0 # SKIP no grpc for Python here")
    sys.exit(0)

COORDINATOR = "bellows.v1.Coordinator"
HEALTH = "grpc.health.v1.Health"
REFLECTION = "grpc.reflection.{}.ServerReflection"
TIMEOUT = 60
CALLS = {"JobInit", "RetrieveKeys", "ActiveServer", "Output", "Checkpointing",
         "EndExec", "Scale", "Grant", "Supply", "Cancel", "GetJob",
         "WatchJob", "History"}
STRING, BYTES, INT32, MESSAGE = 9, 12, 5, 11


def class_of(descriptor):
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory().GetPrototype(descriptor)


def reflection_messages():
    """The part of grpc/reflection/v1/reflection.proto that is used here."""
    file = descriptor_pb2.FileDescriptorProto(
        name="reflection_subset.proto", package="r", syntax="proto3")

    def message(name, *fields):
        added = file.message_type.add(name=name)
        for field, number, kind, many in fields:
            at = added.field.add(name=field, number=number,
                                 label=3 if many else 1)
            if isinstance(kind, str):
                at.type, at.type_name = MESSAGE, f".r.{kind}"
            else:
                at.type = kind

    message("Request", ("file_by_filename", 3, STRING, False),
            ("file_containing_symbol", 4, STRING, False),
            ("list_services", 7, STRING, False))
    message("Files", ("file", 1, BYTES, True))
    message("Service", ("name", 1, STRING, False))
    message("Services", ("service", 1, "Service", True))
    message("Error", ("code", 1, INT32, False), ("text", 2, STRING, False))
    message("Response", ("files", 4, "Files", False),
            ("services", 6, "Services", False), ("error", 7, "Error", False))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return [class_of(pool.FindMessageTypeByName(f"r.{name}"))
            for name in ("Request", "Response")]


REQUEST, RESPONSE = reflection_messages()


class Client:
    """The server's types, as it tells them."""

    def __init__(self, address, version="v1"):
        self.channel = grpc.insecure_channel(address)
        self.version = version
        self.pool = descriptor_pool.DescriptorPool()
        self.files = set()

    def ask(self, **question):
        method = "/" + REFLECTION.format(self.version) + "/ServerReflectionInfo"
        call = self.channel.stream_stream(
            method, request_serializer=REQUEST.SerializeToString,
            response_deserializer=RESPONSE.FromString)
        answers = list(call(iter([REQUEST(**question)]), timeout=TIMEOUT))
        assert len(answers) == 1
        return answers[0]

    def services(self):
        # set, though empty: proto3 sends no empty text outside a oneof
        return {service.name for service in
                self.ask(list_services="*").services.service}

    def learn(self, symbol):
        files = self.ask(file_containing_symbol=symbol).files.file
        for data in reversed(files):  # imports come behind, and go first
            file = descriptor_pb2.FileDescriptorProto.FromString(data)
            if file.name not in self.files:
                self.files.add(file.name)
                self.pool.Add(file)
        return self.pool.FindServiceByName(symbol)

    def call(self, service, method, timeout=TIMEOUT):
        """The request's class, and a function to call it with one."""
        at = self.learn(service).methods_by_name[method]
        streams = {("Health", "Watch"), ("Coordinator", "WatchJob"),
                   ("Coordinator", "History")}
        kind = (self.channel.unary_stream
                if (service.rsplit(".", 1)[-1], method) in streams
                else self.channel.unary_unary)
        call = kind(
            f"/{service}/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=class_of(at.output_type).FromString)
        request = class_of(at.input_type)
        return lambda **fields: call(request(**fields), timeout=timeout)

    def job(self):
        return self.call(COORDINATOR, "GetJob")()

    def state(self, job):
        return job.DESCRIPTOR.fields_by_name["state"].enum_type \
            .values_by_number[job.state].name


def refusal(call, code):
    """What is said with the status; only that status is right."""
    try:
        call()
    except grpc.RpcError as error:
        assert error.code() == code, f"{error.code()}: {error.details()}"
        return error.details()
    raise AssertionError(f"not refused with {code}")


def begin(room, work, version="v1", **keys):
    """A coordinator on a port, and two executors."""
    state = room.path("state", "c")
    at = room.start("bellows-coordinator", "--job", room.job(work, **keys),
                    "--state", state, "--listen", "127.0.0.1:0",
                    "--unencrypted")
    address = room.wait("an address", lambda: harness.read(
        f"{state}/address", "r").strip())
    add_executors(room, address, 2)
    return at, Client(address, version)


def add_executors(room, address, n, first=0):
    for number in range(first, first + n):
        tmp = room.path(f"t{number}")
        room.run("/bin/mkdir", tmp).ends_with(0)
        room.start("bellows-executor", "--coordinator", address, "--name",
                   f"w{number}", "--tmpdir", tmp)


def wait_for(room, client, name):
    room.wait(name, lambda: client.state(client.job()) == name
              and client.job().step > 0)


def end(at, client):
    client.call(COORDINATOR, "Cancel")(reason="seen enough")
    at.ends_with(130)


# ---- tests ----

def both_versions_of_reflection_tell_all_services(room):
    at, client = begin(room, harness.work_for(60))
    for version in ("v1", "v1alpha"):
        asked = Client(harness.read(room.path("state", "c", "address"),
                                    "r").strip(), version)
        told = asked.services()
        assert {COORDINATOR, HEALTH, REFLECTION.format("v1")} <= told, told
        service = asked.learn(COORDINATOR)
        assert {method.name for method in service.methods} == CALLS
        assert asked.learn(HEALTH)
        assert asked.ask(file_containing_symbol="no.Such").error.code == 5
        assert asked.ask(file_by_filename="no.proto").error.code == 5
        assert asked.job().name == "heat"
    wait_for(room, client, "RUNNING")  # an executor that joins is released
    end(at, client)


def health_is_told_once_and_watched_to_the_end(room):
    at, client = begin(room, harness.work_for(60))
    check, watch = (client.call(HEALTH, name) for name in ("Check", "Watch"))
    assert check().status == 1
    assert check(service=COORDINATOR).status == 1
    refusal(lambda: check(service="no.Such"), grpc.StatusCode.NOT_FOUND)
    stream = watch(service=COORDINATOR)
    assert next(stream).status == 1
    unknown = watch(service="no.Such")
    assert next(unknown).status == 3
    wait_for(room, client, "RUNNING")
    end(at, client)
    for call in (stream, unknown):
        try:
            assert all(answer.status == 2 for answer in call)
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNAVAILABLE, error.code()


def a_job_is_scaled_and_watched_to_its_end(room):
    work = harness.lasting_work()
    at, client = begin(room, work)
    seen = []
    stream = client.call(COORDINATOR, "WatchJob")()
    reader = threading.Thread(target=lambda: seen.extend(stream), daemon=True)
    reader.start()
    wait_for(room, client, "RUNNING")
    scale = client.call(COORDINATOR, "Scale")
    answer = scale(ranks=3, request_id="one", reason="a third")
    assert (answer.accepted, getattr(answer, "from"), answer.to) == (True, 2, 3)
    again = scale(ranks=3, request_id="one")
    assert again.accepted and again.to == 3
    assert client.job().executors_wanted == 3
    add_executors(room, harness.read(room.path("state", "c", "address"),
                                     "r").strip(), 1, 2)
    room.wait("a step of 3 ranks", lambda: any(
        entry.stepped for entry in client.job().history))
    room.finishes(at, work)
    reader.join(TIMEOUT)
    assert not reader.is_alive() and stream.code() == grpc.StatusCode.OK
    check_watched(client, seen)


def check_watched(client, seen):
    states = [client.state(job) for job in seen]
    walk = [state for i, state in enumerate(states)
            if state != "RESUMING"  # proven before all ranks were heard of?
            and (i == 0 or states[i - 1] != state)]
    at = walk.index("GROWING")
    assert walk[at:at + 6] == ["GROWING", "PREPARING", "SAVING", "STOPPING",
                               "STARTING", "RUNNING"], walk
    last = seen[-1]
    assert client.state(last) == "DONE" and last.exit_code == 0
    assert last.size == 3 and last.rescales == 1 and last.progress == 1
    entry = last.history[0]
    assert (getattr(entry, "from"), entry.to, entry.result, entry.reason) == \
        (2, 3, "done", "a third")
    instants = [entry.asked, entry.executors, entry.prepared, entry.ordered,
                entry.saved, entry.stopped, entry.up, entry.stepped]
    assert 0 < instants[0] and instants == sorted(instants), instants
    steps = [job.step for job in seen]
    assert steps == sorted(steps)
    assert [span.ranks for span in last.spans if span.ranks] == [2, 3]


def what_is_wrong_has_the_status_that_is_documented(room):
    at, client = begin(room, harness.work_for(60))
    wait_for(room, client, "RUNNING")
    scale = client.call(COORDINATOR, "Scale")
    invalid = grpc.StatusCode.INVALID_ARGUMENT
    assert "size" in refusal(scale, invalid)
    assert "request_id" in refusal(
        lambda: scale(ranks=3, request_id="x" * 100), invalid)
    join = client.call(COORDINATOR, "JobInit")
    assert "name" in refusal(lambda: join(incarnation=1, slots=1), invalid)
    assert "name" in refusal(
        lambda: join(name="a/b", incarnation=1, slots=1), invalid)
    assert "slots" in refusal(lambda: join(name="x", incarnation=1), invalid)
    refusal(lambda: client.call(COORDINATOR, "RetrieveKeys")(name="w0"),
            grpc.StatusCode.FAILED_PRECONDITION)
    refusal(lambda: client.channel.unary_unary(f"/{COORDINATOR}/Frob")(
        b"", timeout=TIMEOUT), grpc.StatusCode.UNIMPLEMENTED)
    refusal(lambda: client.channel.unary_unary(f"/{COORDINATOR}/Scale")(
        b"\xff\xff", timeout=TIMEOUT), invalid)
    for size, reason in ((7, "ranks.max"), (2, "already"), (0, "0 ranks")):
        answer = scale(ranks=size)
        assert not answer.accepted and reason in answer.reason, answer.reason
    assert client.state(client.job()) == "RUNNING"
    end(at, client)


def why_executors_do_not_come_is_the_reason_of_what_is_dropped(room):
    """A grow in vain, then a start in vain."""
    at, client = begin(room, harness.work_for(60), scale="{deadline: 3s}")
    supply = client.call(COORDINATOR, "Supply")
    wait_for(room, client, "RUNNING")
    assert client.call(COORDINATOR, "Scale")(ranks=3).accepted
    supply(trouble="w2 cannot be scheduled: no cpu")
    assert client.job().trouble == "w2 cannot be scheduled: no cpu"
    room.wait("the deadline", lambda: client.job().history[0].result)
    assert client.job().history[0].result == (
        "the executors of the new size did not come within 3.0 s "
        "(scale.deadline): w2 cannot be scheduled: no cpu")
    supply(trouble="")
    assert client.job().trouble == ""
    assert "239" in refusal(lambda: supply(trouble="x" * 240),
                            grpc.StatusCode.INVALID_ARGUMENT)
    end(at, client)


def a_job_that_waits_in_vain_says_why(room):
    state = room.path("state", "c")
    at = room.start("bellows-coordinator", "--job",
                    room.job(harness.work_for(5), wait_deadline="4s"),
                    "--state", state, "--listen", "127.0.0.1:0",
                    "--unencrypted")
    client = Client(room.wait("an address", lambda: harness.read(
        f"{state}/address", "r").strip()))
    seen = client.call(COORDINATOR, "WatchJob")()
    client.call(COORDINATOR, "Supply")(trouble="no quota")
    last = list(seen)[-1]
    assert client.state(last) == "FAILED", last.state
    assert last.reason == ("the executors of the job did not come within "
                           "4.0 s (wait_deadline): no quota"), last.reason
    at.ends_with(69)


if __name__ == "__main__":
    harness.main(
        both_versions_of_reflection_tell_all_services,
        health_is_told_once_and_watched_to_the_end,
        a_job_is_scaled_and_watched_to_its_end,
        what_is_wrong_has_the_status_that_is_documented,
        why_executors_do_not_come_is_the_reason_of_what_is_dropped,
        a_job_that_waits_in_vain_says_why,
    )
