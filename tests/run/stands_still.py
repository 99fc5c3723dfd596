#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks compute on while a disk of their coordinator stands still.

args: BIN FAILING
"""

import contextlib
import os
import sys
import time

import harness

FAILING = os.path.abspath(sys.argv.pop(2))
# Seconds: an executor that is not answered for LONG has stopped its ranks, and
# is lost.  A machine that is busy with other tests stands still for one second.
LOST_AFTER, LONG = 3, 5
CALLS = "open", "stat", "access", "write", "fdatasync"


def begun(room, work, **keys):
    job = room.job(work, lost_after=f"{LOST_AFTER}s", **keys)
    at = room.start("bellows", "run", job, env={
        "LD_PRELOAD": FAILING, "HANGING": room.path("hanging")})
    room.runs_on(2)
    return at


@contextlib.contextmanager
def still(room, path, *programs):
    """Calls of these programs below that path do not return."""
    room.write("new", "".join(f"{program} {call} {path}\n"
                              for program in programs for call in CALLS))
    os.rename(room.path("new"), room.path("hanging"))
    try:
        yield
    finally:
        os.unlink(room.path("hanging"))


def met(room, word):
    """A call hangs."""
    room.wait(f"{word} hangs", lambda: word in harness.read(
        room.path("hanging.met")).decode())


def asks_for(room, ranks, *more):
    return room.start("bellows", "scale", "heat", ranks, "--json", *more)


def computes_for_long(room):
    """The ranks make steps, all the time, for longer than a lease lasts."""
    end = time.monotonic() + LONG
    job = room.status()
    while time.monotonic() < end:
        job = room.wait_job("another step",
                            lambda now: now["step"] > job["step"])
        assert job["ranks"] == 2 and job["epoch"] == 1, job
    return job


def nobody_was_lost(room, at, work, ranks=3):
    room.runs_on(ranks)
    room.finishes(at, work)
    assert "was lost" not in at.errors, at.errors


def ranks_compute_on_while_the_state_directory_stands_still(room):
    work = harness.lasting_work()
    at = begun(room, work)
    with still(room, room.path("state", "heat"), "bellows-coordinator"):
        asked = [asks_for(room, "+1"), asks_for(room, "+1")]
        met(room, "heat/journal")
        job = computes_for_long(room)
        assert job["want"] == 2, job
        assert not any(one.is_over() for one in asked)
    for one in asked:
        one.ends_with(0)
    nobody_was_lost(room, at, work, 4)


def ranks_compute_on_while_the_output_files_stand_still(room):
    work = harness.lasting_work()
    at = begun(room, work)
    with still(room, room.path("state", "heat", "epoch-"),
               "bellows-coordinator"):
        met(room, "epoch-1.stdout")
        shown = len(at.output)
        computes_for_long(room)
        assert len(at.output) > shown
    asks_for(room, 3, "--wait").ends_with(0)
    nobody_was_lost(room, at, work)
    first = harness.read(room.path("state", "heat", "epoch-1.stdout")).decode()
    assert len(first) > shown and at.output.startswith(first), first


def ranks_compute_on_while_the_checkpoint_directory_stands_still(room):
    work = harness.lasting_work()
    at = begun(room, work)
    with still(room, room.path("ck"), "bellows-coordinator", "bellows-launch"):
        asked = asks_for(room, 3, "--wait")
        room.wait_job("the order", lambda job: job["state"] == "saving")
        met(room, "bellows-launch")
        computes_for_long(room)
        # but for the record of its owner, on a thread of its own
        assert not [line for line in harness.read(
            room.path("hanging.met"), "r").splitlines()
                    if line.startswith("bellows-coordinator")
                    and "/bellows-owner" not in line]
    asked.ends_with(0)
    nobody_was_lost(room, at, work)


harness.main(ranks_compute_on_while_the_state_directory_stands_still,
             ranks_compute_on_while_the_output_files_stand_still,
             ranks_compute_on_while_the_checkpoint_directory_stands_still)
