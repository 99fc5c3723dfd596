#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What binds an MPI program: bellows profile -- COMMAND.  args: BIN BOUND"""

import json
import os
import signal
import sys

import harness

BOUND = os.path.abspath(sys.argv.pop(2))
SECONDS = "1.5"
CLASSES = ("point_to_point", "collective", "one_sided", "files")


def profile(room, *words, code=0, before=(), **more):
    """What is told as JSON of the command `words`."""
    at = room.run("bellows", "profile", "--json", *before, "--", *words,
                  **more).ends_with(code)
    return json.loads(at.output)


def is_sane(told):
    """Numbers that any machine gives, however busy it is."""
    assert told["profile"] in ("cpu", "memory", "network"), told
    assert 0 <= told["confidence"] <= 1, told
    assert 1e8 < told["triad_bytes_per_s"] < 1e12, told
    for measured, none in (("pages", "no_pages"), ("counters", "no_counters")):
        if told[measured] is None:
            assert told[none], told
            continue
        assert 0 <= told[measured]["bytes_per_s"] < 1e12, told
        assert 1e7 < told[measured]["triad_bytes_per_s"] < 1e12, told
    if told["pages"] is None and told["counters"] is None:
        assert told["bandwidth"] is None and told["confidence"] <= 0.25 or \
            told["profile"] == "network", told
    else:
        assert 0 <= told["bandwidth"] < 10, told
    return told


def shares(told):
    return {name: told["mpi"][name]["share"] for name in CLASSES}


def messages_bind_a_ring(room):
    told = is_sane(profile(room, BOUND, "ring", SECONDS))
    assert told["profile"] == "network" and told["reason"] == "messages", told
    assert told["ranks"] >= 2 and told["mpi"]["ranks"] == told["ranks"], told
    assert told["mpi"]["finished"] == told["ranks"], told
    assert told["mpi"]["least_share"] > 0.9, told
    ring = told["mpi"]["point_to_point"]
    assert ring["share"] > told["mpi"]["collective"]["share"], told
    # each call hands over 32768 doubles
    sent = ring["bytes_per_s"] / ring["calls_per_s"]
    assert abs(sent - 8 * 32768) < 1, told


def exchanges_of_all_with_all_are_collective(room):
    told = is_sane(profile(room, BOUND, "alltoall", SECONDS,
                           before=("--ranks", "3")))
    assert told["profile"] == "network" and told["ranks"] == 3, told
    assert shares(told)["collective"] > 0.9, told
    assert shares(told)["point_to_point"] == 0, told
    # a call of MPI_Alltoall hands over 3 parts of 10922 doubles; beside each
    # there is an MPI_Bcast of 4 bytes
    all_to_all = told["mpi"]["collective"]
    sent = all_to_all["bytes_per_s"] / all_to_all["calls_per_s"]
    assert abs(sent - (8 * 3 * (32768 // 3) + 4) / 2) < 1, told


def ranks_that_wait_for_a_slow_one_are_not_bound_by_the_network(room):
    told = is_sane(profile(room, BOUND, "late", SECONDS))
    assert told["profile"] != "network", told
    assert told["mpi"]["mean_share"] > 1.3 * told["mpi"]["least_share"], told
    assert told["mpi"]["mean_share"] > 0.25, told


def a_program_that_computes_is_not_bound_by_the_network(room):
    loop = is_sane(profile(room, BOUND, "loop", SECONDS))
    triad = is_sane(profile(room, BOUND, "triad", SECONDS))
    for told in (loop, triad):
        assert told["profile"] != "network", told
        assert told["mpi"]["least_share"] < 0.1, told
    # what binds them, a busy machine may hide; where the memory of both was
    # measured, the order of the two is certain
    if loop["bandwidth"] is not None and triad["bandwidth"] is not None:
        assert loop["bandwidth"] < triad["bandwidth"], (loop, triad)


def people_read_a_verdict_and_the_line_of_a_job_file(room):
    at = room.run("bellows", "profile", "--", BOUND, "ring",
                  SECONDS).ends_with(0)
    lines = at.output.splitlines()
    assert lines[0].startswith("network, with a confidence of "), at.output
    assert lines[-1] == "job file: placement.profile: network", at.output
    assert "point to point: " in at.output, at.output
    assert "ring: " in at.errors, "the program's output is lost"


def a_program_without_mpi_is_told(room):
    told = is_sane(profile(room, BOUND, "alone", SECONDS))
    assert told["mpi"] is None and told["profile"] != "network", told
    room.run("bellows", "profile", "--", "true").ends_with(0)
    at = room.programs[-1]
    assert "which is too short for a profile" in at.output, at.output
    assert "the program has not called MPI_Init" in at.output, at.output


def a_program_that_does_not_end_is_ended_at_the_limit(room):
    told = is_sane(profile(room, BOUND, "ring", "1000",
                           before=("--limit", "5s")))
    assert told["ended_at_limit"] is True and told["profile"] == "network", told
    assert told["mpi"]["finished"] == 0, told
    assert told["mpi"]["least_share"] > 0.9, told
    assert not room.ours("bound"), "the ranks are left"
    # and one that does not want to end, of which a busy machine may see nothing
    at = room.run("bellows", "profile", "--limit", "2s", "--", "sh", "-c",
                  "trap '' TERM; while :; do :; done")
    assert at.end() in (0, 71), at.errors
    assert "was ended at the limit" in at.output + at.errors, at.errors
    assert not room.ours("sh"), "the ranks are left"


def nothing_that_the_program_has_started_is_left(room):
    room.run("bellows", "profile", "--", "sh", "-c",
             "sleep 1000 > /dev/null 2>&1 & :").ends_with(0)
    assert not room.ours("sleep"), "a process of the program is left"


def a_signal_ends_it_with_its_ranks(room):
    at = room.start("bellows", "profile", "--", BOUND, "ring", "1000")
    room.wait("the ranks", lambda: len(room.ours("bound")) >= 2)
    at.tell(signal.SIGINT)
    at.ends_with(130).says("interrupted")
    assert not room.ours("bound"), "the ranks are left"


def what_cannot_be_measured_is_told(room):
    room.write("plain", "not a program")
    for words, code, sentence in (
            (["--"], 64, "there is no command behind '--'"),
            (["file", "--", "true"], 64, "'file' before '--' is one word"),
            (["--repeat", "2", "--", "true"], 64, "--repeat goes with a file"),
            (["--ranks", "2", "file"], 64, "--ranks goes with -- COMMAND"),
            (["--limit", "2s", "file"], 64, "--limit goes with -- COMMAND"),
            (["--ranks", "257", "--", "true"], 64, "--ranks: '257'"),
            (["--", "no-such-program"], 127, "cannot run no-such-program: it"),
            (["--", "./no-such"], 127, "cannot run ./no-such: No such file"),
            (["--", "./plain"], 126, "cannot run ./plain: Permission denied"),
            (["--", BOUND, "fail"], 71, "on 2 ranks: it ended with status 3"),
            (["--limit", "1ms", "--", BOUND, "ring", "9"], 71,
             "was ended at the limit of 0.001 s, before anything could")):
        if "fail" in words:
            words = ["--ranks", "2", *words]
        room.run("bellows", "profile", *words).ends_with(code).says(sentence)
    told = profile(room, BOUND, "fail", code=71)
    assert told["exit_code"] == 71 and "status 3" in told["error"], told


def a_machine_without_mpiexec_is_told(room):
    room.run("bellows", "profile", "--", "/bin/true",
             env={"PATH": "/no/such"}).ends_with(71).says(
        "cannot run mpiexec: it is not in PATH")


harness.main(
    messages_bind_a_ring,
    exchanges_of_all_with_all_are_collective,
    ranks_that_wait_for_a_slow_one_are_not_bound_by_the_network,
    a_program_that_computes_is_not_bound_by_the_network,
    people_read_a_verdict_and_the_line_of_a_job_file,
    a_program_without_mpi_is_told,
    a_program_that_does_not_end_is_ended_at_the_limit,
    nothing_that_the_program_has_started_is_left,
    a_signal_ends_it_with_its_ranks,
    what_cannot_be_measured_is_told,
    a_machine_without_mpiexec_is_told,
)
