#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A foreign client, with no .proto file at hand, against `room serve`.

Requests are encoded by hand; what reflection answers is all that this client
knows of the server's types.
"""
import os
import queue
import signal
import subprocess
import sys
import threading
import time

try:
    import grpc
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    print("1..0 # SKIP no grpc for Python here")
    sys.exit(0)

REFLECTION = "/grpc.reflection.%s.ServerReflection/ServerReflectionInfo"
HEALTH = "/grpc.health.v1.Health/"
SERVING, NOT_SERVING, SERVICE_UNKNOWN = 1, 2, 3
TIMEOUT = 10


def varint(n):
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def fields(data):
    """Yields number and value (int or bytes) of every field."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        else:
            assert key & 7 == 2, "wire type"
            size = number()
            yield key >> 3, data[at:at + size]
            at += size


def get(data, field, default=None):
    return next((v for n, v in fields(data) if n == field), default)


def ask(channel, request, version="v1"):
    """One question to reflection; the answer's fields."""
    method = channel.stream_stream(REFLECTION % version)
    answers = list(method(iter([request]), timeout=TIMEOUT))
    assert len(answers) == 1, "one answer"
    assert get(answers[0], 2, b"") == request, "the request is repeated"
    return answers[0]


def files_of(answer):
    files = get(answer, 4)
    assert files is not None, "files"
    return [descriptor_pb2.FileDescriptorProto.FromString(data)
            for n, data in fields(files) if n == 1]


def error_of(answer):
    error = get(answer, 7)
    assert error is not None, "an error"
    return get(error, 1)


def code_of(call):
    try:
        call()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def check(channel, service):
    answer = channel.unary_unary(HEALTH + "Check")(
        text(1, service) if service else b"", timeout=TIMEOUT)
    return get(answer, 1, 0)


def watch(channel, service):
    seen = queue.Queue()
    call = channel.unary_stream(HEALTH + "Watch")(
        text(1, service), timeout=TIMEOUT)

    def read():
        try:
            for answer in call:
                seen.put(get(answer, 1, 0))
        except grpc.RpcError as error:
            seen.put(error.code())

    threading.Thread(target=read, daemon=True).start()
    return call, seen


def change_health(channel, server, expected):
    os.kill(server.pid, signal.SIGUSR1)
    end = time.monotonic() + TIMEOUT
    while check(channel, "test.room.Room") != expected:
        assert time.monotonic() < end, "health changes"


# ---- tests ----

def the_server_and_its_service_are_healthy(channel, server):
    assert check(channel, "") == SERVING
    assert check(channel, "test.room.Room") == SERVING


def an_unknown_service_is_not_found(channel, server):
    assert code_of(lambda: check(channel, "x")) == grpc.StatusCode.NOT_FOUND


def a_watcher_is_told_of_every_change(channel, server):
    call, seen = watch(channel, "test.room.Room")
    whole, others = watch(channel, "")
    assert seen.get(timeout=TIMEOUT) == SERVING
    assert others.get(timeout=TIMEOUT) == SERVING
    change_health(channel, server, NOT_SERVING)
    assert seen.get(timeout=TIMEOUT) == NOT_SERVING
    change_health(channel, server, SERVING)
    assert seen.get(timeout=TIMEOUT) == SERVING
    call.cancel()
    whole.cancel()
    assert seen.get(timeout=TIMEOUT) == grpc.StatusCode.CANCELLED
    assert others.get(timeout=TIMEOUT) == grpc.StatusCode.CANCELLED


def an_unknown_service_may_be_watched(channel, server):
    call, seen = watch(channel, "x")
    assert seen.get(timeout=TIMEOUT) == SERVICE_UNKNOWN
    change_health(channel, server, NOT_SERVING)
    assert check(channel, "") == SERVING
    change_health(channel, server, SERVING)
    assert seen.empty() and call.is_active()
    call.cancel()


def both_versions_of_reflection_list_all_services(channel, server):
    for version in "v1", "v1alpha":
        answer = get(ask(channel, text(7, ""), version), 6)
        names = [get(item, 1).decode() for n, item in fields(answer)]
        assert names == ["test.room.Room", "grpc.health.v1.Health",
                         "grpc.reflection.v1.ServerReflection"], names


def symbols_are_found_in_their_files(channel, server):
    for symbol, name in (
            ("bellows.v1.Coordinator", "bellows.proto"),
            ("bellows.v1.Coordinator.JobInit", "bellows.proto"),
            ("bellows.v1.Report", "bellows.proto"),
            ("bellows.v1.Report.heartbeat", "bellows.proto"),
            ("bellows.v1.Report.what", "bellows.proto"),
            ("grpc.health.v1.Health", "health.proto"),
            ("grpc.health.v1.HealthCheckResponse.ServingStatus",
             "health.proto"),
            ("grpc.health.v1.HealthCheckResponse.SERVING", "health.proto"),
            ("grpc.reflection.v1.ServerReflection", "reflection.proto")):
        files = files_of(ask(channel, text(4, symbol)))
        assert files[0].name == name, symbol


def what_is_unknown_is_not_found(channel, server):
    for symbol in ("", ".", "x", "bellows", "bellows.v1", "bellows.v1.",
                   "bellows.v1.Coordinator.", "bellows.v1.Coordinator.No",
                   "bellows.v1.Report.heartbeat.x", "bellows.v1.Repor",
                   "bellows.v1.Reports", "x" * 100000):
        assert error_of(ask(channel, text(4, symbol))) == 5, symbol
    assert error_of(ask(channel, text(3, "no.proto"))) == 5
    assert error_of(ask(channel, text(5, text(1, "x")))) == 5
    assert error_of(ask(channel, text(6, "x"))) == 5
    assert error_of(ask(channel, b"")) == 3


def a_file_is_found_by_its_name(channel, server):
    files = files_of(ask(channel, text(3, "bellows.proto")))
    assert files[0].package == "bellows.v1"
    names = [file.name for file in files]
    assert len(names) == len(set(names))
    for file in files:
        assert set(file.dependency) <= set(names)


def a_type_has_no_extensions(channel, server):
    answer = get(ask(channel, text(6, "bellows.v1.Report")), 5)
    assert list(fields(answer)) == [(1, b"bellows.v1.Report")]


def many_questions_on_one_stream_are_answered_in_order(channel, server):
    names = ["bellows.proto", "health.proto"] * 500
    method = channel.stream_stream(REFLECTION % "v1")
    answers = method((text(3, name) for name in names), timeout=TIMEOUT)
    assert [files_of(a)[0].name for a in answers] == names


def a_client_made_of_reflection_alone_works(channel, server):
    pool = descriptor_pool.DescriptorPool()
    for file in reversed(files_of(
            ask(channel, text(4, "grpc.health.v1.Health")))):
        pool.Add(file)
    method = pool.FindServiceByName("grpc.health.v1.Health") \
        .methods_by_name["Check"]
    factory = message_factory.MessageFactory(pool)
    call = channel.unary_unary(
        HEALTH + "Check",
        factory.GetPrototype(method.input_type).SerializeToString,
        factory.GetPrototype(method.output_type).FromString)
    request = factory.GetPrototype(method.input_type)(service="")
    assert call(request, timeout=TIMEOUT).status == SERVING


def the_largest_message_passes_and_a_larger_one_is_exhausted(channel, server):
    echo = channel.unary_unary("/test.room.Room/Echo")
    largest = text(3, b"x" * ((4 << 20) - 5))
    assert len(largest) == 4 << 20
    assert echo(largest, timeout=TIMEOUT) == largest
    assert code_of(lambda: echo(largest + b"\0", timeout=TIMEOUT)) == \
        grpc.StatusCode.RESOURCE_EXHAUSTED
    chat = channel.stream_stream("/test.room.Room/Chat")
    assert code_of(lambda: list(chat(iter([largest + b"\0"]),
                                     timeout=TIMEOUT))) == \
        grpc.StatusCode.RESOURCE_EXHAUSTED


def garbage_is_an_invalid_argument(channel, server):
    garbage = b"\xff" * 100
    unary = channel.unary_unary(HEALTH + "Check")
    stream = channel.stream_stream(REFLECTION % "v1")
    assert code_of(lambda: unary(garbage, timeout=TIMEOUT)) == \
        grpc.StatusCode.INVALID_ARGUMENT
    assert code_of(lambda: list(stream(iter([garbage]), timeout=TIMEOUT))) == \
        grpc.StatusCode.INVALID_ARGUMENT


def a_unary_call_with_no_message_is_refused(channel, server):
    echo = channel.stream_stream("/test.room.Room/Echo")
    note = text(1, "x")
    assert code_of(lambda: list(echo(iter([]), timeout=TIMEOUT))) == \
        grpc.StatusCode.INVALID_ARGUMENT
    assert list(echo(iter([note]), timeout=TIMEOUT)) == [note]


def compressed_messages_are_not_taken(channel, server):
    echo = channel.unary_unary("/test.room.Room/Echo")
    bomb = text(3, bytes(3 << 20))
    assert code_of(lambda: echo(bomb, timeout=TIMEOUT,
                                compression=grpc.Compression.Gzip)) == \
        grpc.StatusCode.UNIMPLEMENTED


def an_unknown_method_is_unimplemented(channel, server):
    for path in "/x/y", HEALTH + "Other", HEALTH + "Checks", "/":
        call = channel.unary_unary(path)
        assert code_of(lambda: call(b"", timeout=TIMEOUT)) == \
            grpc.StatusCode.UNIMPLEMENTED, path


def a_deadline_is_kept(channel, server):
    call = channel.unary_unary("/test.room.Room/Ignore")
    assert code_of(lambda: call(b"", timeout=0.2)) == \
        grpc.StatusCode.DEADLINE_EXCEEDED


def a_header_arrives_and_a_refusal_has_its_message(channel, server):
    call = channel.unary_unary("/test.room.Room/Header")
    assert get(call(text(1, "who"), timeout=TIMEOUT,
                    metadata=[("who", "me")]), 1) == b"me"
    try:
        channel.unary_unary("/test.room.Room/Refuse")(
            text(1, "s\u00fcgar %"), timeout=TIMEOUT)
        assert False, "refused"
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert error.details() == "no s\u00fcgar %"


TESTS = [
    the_server_and_its_service_are_healthy,
    an_unknown_service_is_not_found,
    a_watcher_is_told_of_every_change,
    an_unknown_service_may_be_watched,
    both_versions_of_reflection_list_all_services,
    symbols_are_found_in_their_files,
    what_is_unknown_is_not_found,
    a_file_is_found_by_its_name,
    a_type_has_no_extensions,
    many_questions_on_one_stream_are_answered_in_order,
    a_client_made_of_reflection_alone_works,
    the_largest_message_passes_and_a_larger_one_is_exhausted,
    garbage_is_an_invalid_argument,
    a_unary_call_with_no_message_is_refused,
    compressed_messages_are_not_taken,
    an_unknown_method_is_unimplemented,
    a_deadline_is_kept,
    a_header_arrives_and_a_refusal_has_its_message,
    the_server_and_its_service_are_healthy,
]


def run(address, server):
    failures = 0
    print("1..%d" % len(TESTS))
    options = [("grpc.max_receive_message_length", -1),
               ("grpc.enable_http_proxy", 0)]
    with grpc.insecure_channel(address, options) as channel:
        for n, test in enumerate(TESTS, 1):
            try:
                test(channel, server)
                print("ok %d - %s" % (n, test.__name__), flush=True)
            except Exception as error:
                failures += 1
                print("# %s: %s" % (type(error).__name__,
                                    str(error).replace("\n", "\n# ")))
                print("not ok %d - %s" % (n, test.__name__), flush=True)
    return failures


def main():
    server = subprocess.Popen([sys.argv[1], "serve", "127.0.0.1:0"],
                              stdout=subprocess.PIPE, text=True)
    try:
        failures = run(server.stdout.readline().strip(), server)
        alive = server.poll() is None
    finally:
        server.kill()
        server.wait()
    sys.exit(failures > 0 or not alive)


main()
