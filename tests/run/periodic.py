#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that nobody asks for.  args: BIN"""

import os
import re
import signal

import harness


def begun(room, work, checkpoint):
    at = room.start("bellows", "run", room.job(work, checkpoint=checkpoint))
    room.runs_on(2)
    return at


def made(job):
    """Checkpoints that were due, and gone on from."""
    return [at for at in job["history"]
            if at["due"] and at["result"] == "done"]


def steps(at, what):
    return [int(step) for step in re.findall(
        rf"^parint: {what} at iteration (\d+)", at.output, re.M)]


def at_least(seconds, job):
    """They are so far apart, from the first step after one to the next order."""
    apart = [after["ordered_ms"] - before["stepped_ms"] for before, after in
             zip(made(job), made(job)[1:])]
    assert apart and min(apart) >= seconds * 1000, (apart, job["history"])


def a_loss_goes_back_to_the_last_one_that_was_due(room):
    work = harness.lasting_work()
    at = begun(room, work, "{dir: ck, interval: 1s}")
    job = room.wait_job("two of them", lambda job: len(made(job)) >= 2
                        and job["state"] == "running"
                        and harness.has_stepped(job))
    assert job["ranks"] == 2 and job["target"] == 2
    at_least(0.9, job)
    os.kill(max(room.ours("parint")), signal.SIGKILL)
    room.runs_on(2, after=job["epoch"])
    room.finishes(at, work).says("a checkpoint cost a pause of")
    saved, resumed = steps(at, "checkpoint"), steps(at, "resumed")
    # each is gone on from, one of them twice
    assert len(resumed) == len(saved) + 1, (saved, resumed)
    assert sorted(set(resumed)) == saved, (saved, resumed)


def none_are_made_if_none_are_wanted(room):
    work = harness.lasting_work()
    at = begun(room, work, "{dir: ck, interval: none}")
    room.wait_job("a while", lambda job: job["step"] > 150)
    assert not room.status()["history"]
    room.finishes(at, work)
    assert steps(at, "checkpoint") == []


def what_they_cost_and_how_often_nodes_fail_tells_when(room):
    work = harness.lasting_work()
    at = begun(room, work, "{dir: ck, mtbf: 5s}")
    # the first would come late, for nothing is known of their cost
    room.scale(3).ends_with(0)
    job = room.wait_job("one of them", made)
    assert made(job)[0]["from"] == 3
    room.finishes(at, work)


def a_rescale_goes_on_from_them_as_from_others(room):
    work = harness.lasting_work()
    at = begun(room, work, "{dir: ck, interval: 1s}")
    for ranks in (3, 2, 4):
        room.run("bellows", "scale", "heat", ranks).ends_with(0)
        room.runs_on(ranks)
    room.finishes(at, work)


harness.main(
    a_loss_goes_back_to_the_last_one_that_was_due,
    none_are_made_if_none_are_wanted,
    what_they_cost_and_how_often_nodes_fail_tells_when,
    a_rescale_goes_on_from_them_as_from_others,
)
