#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job under scale.policy: benefit gets the ranks that it gains by.
args: BIN

Ranks of paced parint are as much faster as there are more of them.
"""

import glob
import re

import harness


def log_of(room):
    path, = glob.glob(room.path("state", "*", "monitor.log"))
    return harness.read(path).decode()


def a_job_that_gains_by_ranks_grows_and_says_why(room):
    work = harness.lasting_work(steps=True)
    at = room.start("bellows", "run", room.job(
        work, ranks=(1, 1, 2), scale="{policy: benefit}"))
    job = room.runs_on(2)
    rescale = job["history"][-1]
    assert (rescale["from"], rescale["to"]) == (1, 2), rescale
    assert rescale["result"] == "done", rescale
    assert re.fullmatch(
        r"benefit: 1 -> 2 is a probe: it costs [0-9.]+ s at most, and "
        r"[0-9]+ s are left", rescale["reason"]), rescale["reason"]
    room.wait("the end of the probe", lambda: re.search(
        r"the probe of 2 ranks cost -?[0-9.]+ s: [0-9.]+ s a step, not "
        r"[0-9.]+", log_of(room)))
    room.wait("the decision", lambda: "size=2 stays: " in log_of(room))
    assert room.status()["ranks"] == 2
    room.finishes(at, work)


def a_job_that_does_not_gain_stays_and_says_why(room):
    work = harness.lasting_work(steps=True)
    at = room.start("bellows", "run", room.job(
        work, ranks=(1, 1, 2), scale="{policy: benefit, goal: cheapest}"))
    room.runs_on(1)
    room.wait("the decision", lambda: "size=1 stays: " in log_of(room))
    assert "scale=" not in log_of(room)
    assert not room.status()["history"]
    room.finishes(at, work)


harness.main(
    a_job_that_gains_by_ranks_grows_and_says_why,
    a_job_that_does_not_gain_stays_and_says_why,
)
