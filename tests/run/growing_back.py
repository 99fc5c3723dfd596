#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job that loses an executor of 4 gets back to 4 ranks without a request.
args: BIN

Each executor is lost in turn, when it has lived long enough not to count as one
whose start failed.  BELLOWS_WHOLE=1: 20 times in each place, for the figures of
docs/reliability.md.  tests/cluster/faults.py does the same with pods.
"""

import signal
import time

import bed
import harness
import losses

LIVED = 5  # seconds, as in monitor/provider_local.c and provider_hosts.c
WORK = harness.Work(10007, 2 ** 30, 1, pace=40000)  # ends when it is told to


def executor_of(room, name):
    return next(pid for pid in room.ours("bellows-executor")
                if name in harness.command(pid))


def have_lived(room):
    return min(harness.age(pid) for pid in room.ours("bellows-executor")) \
        > LIVED


def lose_one(room, number, figures):
    room.wait("executors that have lived", lambda: have_lived(room))
    job = room.runs_on(4)
    began = time.monotonic()
    name = losses.member(job, number)
    harness.send(executor_of(room, name), signal.SIGKILL)
    after = room.wait_job("4 ranks again",
                          lambda at: losses.is_back(at, job["epoch"]))
    figures.lost(time.monotonic() - began, after)


def it_grows_back(room, *options):
    at = room.start("bellows", "run", *options,
                    room.job(WORK, ranks=(4, 1, 4), restarts=100))
    room.runs_on(4)
    figures = losses.Figures()
    for _ in range(losses.TIMES):
        room.scale(3).ends_with(0)
        room.scale(4).ends_with(0)
        figures.asked(room.runs_on(4))
    for number in range(losses.TIMES):
        lose_one(room, number, figures)
    figures.print()
    room.run("bellows", "cancel", "heat").ends_with(0)
    at.ends_with(130)


def after_a_loss_a_local_job_grows_back(room):
    it_grows_back(room)


def after_a_loss_a_job_on_hosts_grows_back(room):
    with bed.Bed(room, 6) as at:
        it_grows_back(room, "--hosts", at.file())


harness.main(
    after_a_loss_a_local_job_grows_back,
    after_a_loss_a_job_on_hosts_grows_back,
)
