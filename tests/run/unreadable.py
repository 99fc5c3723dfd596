#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that are damaged in place, the only ones that a job has.

args: BIN COUNTER
"""

import os
import re
import signal

import counted
import harness
from crew import resumed

ONE = "dir: ck, deadline: 30s, keep: one"  # of two, one would be readable
ADVICE = ("cannot be read, and no older one is kept that can be; put a copy of "
          "it back, or let the job begin anew with checkpoint.unreadable: begin")
UNREADABLE = 78
RESTARTS = 50  # that must not be used up


def begun(room, work, checkpoint):
    """A job that has gone on from its checkpoint."""
    at = room.start("bellows", "run", room.job(
        work, restarts=RESTARTS, checkpoint=f"{{{checkpoint}}}"))
    room.runs_on(2)
    room.scale(3).ends_with(0)
    room.runs_on(3)
    return at


def damage(path):
    """In place, and behind all that is looked at before a start."""
    with open(path, "r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"damaged!")
    return harness.read(path)


def lose_a_rank(room, program="parint"):
    os.kill(max(room.ours(program)), signal.SIGKILL)


def log(room):
    return harness.read(room.path("state", "heat", "coordinator.log"), "r")


def starts(room):
    """That the newest coordinator has brought up."""
    return re.findall(r" epoch=(\d+) up ",
                      log(room).rsplit(" listening on ", 1)[1])


def says_it(room, at, path):
    """The same sentence as any other run, and the file is as it was."""
    at.ends_with(UNREADABLE).says(f"checkpoint {path} {ADVICE}")
    assert sorted(os.listdir(room.path("ck"))) == [
        "bellows-owner", os.path.basename(path)]


def a_checkpoint_damaged_in_place_leaves_its_copy_good(room):
    work = harness.lasting_work()
    at = begun(room, work, "dir: ck, deadline: 30s")
    kept = room.path("ck", "bellows-kept", "1", "parint.ckpt")
    room.wait("a copy", lambda: os.path.exists(kept))
    whole = harness.read(kept)
    damage(room.path("ck", "parint.ckpt"))
    assert harness.read(kept) == whole
    lose_a_rank(room)
    room.runs_on(3, after=3)
    step = resumed(at)[0]
    room.finishes(at, work).says(
        f"the one of step {step} cannot be read: going on from its copy")
    assert resumed(at) == [step, step]
    assert re.search(r"the checkpoint is kept as a copy, though parint replaces "
                     r"it, because it is small: 0\.1 MB in [\d.]+ s\n",
                     log(room))


def without_a_readable_checkpoint_the_job_says_so_once(room):
    path = room.path("ck", "parint.ckpt")
    at = begun(room, harness.lasting_work(), ONE)
    bad = damage(path)
    lose_a_rank(room)
    says_it(room, at, path)
    assert at.output.count("is damaged: its digest") <= 2, at.output
    assert starts(room) == ["1", "2", "3"]
    for _ in range(2):
        again = room.start("bellows", "run", room.path("heat.yaml"))
        says_it(room, again, path)
        assert starts(room) == ["1"]
        assert harness.read(path) == bad


def one_that_is_cut_short_is_not_started_from(room):
    path = room.path("ck", "parint.ckpt")
    at = begun(room, harness.lasting_work(), ONE)
    room.run("bellows", "cancel", "heat", "--save").ends_with(0)
    at.ends_with(75)
    os.truncate(path, os.path.getsize(path) // 2)
    bad = harness.read(path)
    for _ in range(2):
        says_it(room, room.start("bellows", "run", room.path("heat.yaml")),
                path)
        assert not starts(room)
        assert harness.read(path) == bad


def one_of_which_nothing_is_left_is_not_started_from(room):
    at = room.start("bellows", "run",
                    counted.job(room, ONE, restarts=RESTARTS))
    room.runs_on(2)
    room.scale(3).ends_with(0)
    room.runs_on(3)
    os.truncate(room.path("ck", "state"), 0)
    lose_a_rank(room, "counter")
    says_it(room, at, room.path("ck", "state"))
    assert starts(room) == ["1", "2"]


def the_job_begins_anew_where_the_job_file_allows_it(room):
    work = harness.lasting_work()
    at = begun(room, work, f"{ONE}, unreadable: begin")
    bad = damage(room.path("ck", "parint.ckpt"))
    lose_a_rank(room)
    room.runs_on(3, after=3)
    room.finishes(at, work).says(
        "it is now in bellows-kept/unreadable-1, and the job begins anew")
    assert len(resumed(at)) == 1, at.output
    kept = room.path("ck", "bellows-kept")
    assert os.listdir(kept) == ["unreadable-1"]
    assert harness.read(f"{kept}/unreadable-1/parint.ckpt") == bad


def so_it_does_where_the_first_start_would_find_it(room):
    work, path = harness.lasting_work(), room.path("ck", "parint.ckpt")
    at = begun(room, work, f"{ONE}, unreadable: begin")
    for number in 1, 2:
        room.run("bellows", "cancel", "heat", "--save").ends_with(0)
        at.ends_with(75)
        os.truncate(path, os.path.getsize(path) // 2)
        at = room.start("bellows", "run", room.path("heat.yaml"))
        room.wait_job("a step", harness.has_stepped)
        at.says(f"it is now in bellows-kept/unreadable-{number}")
        assert not resumed(at)
    room.finishes(at, work)


harness.main(
    a_checkpoint_damaged_in_place_leaves_its_copy_good,
    without_a_readable_checkpoint_the_job_says_so_once,
    one_that_is_cut_short_is_not_started_from,
    one_of_which_nothing_is_left_is_not_started_from,
    the_job_begins_anew_where_the_job_file_allows_it,
    so_it_does_where_the_first_start_would_find_it,
)
