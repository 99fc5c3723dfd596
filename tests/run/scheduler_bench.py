#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of many jobs: what it takes for the paper's jobs, and that it
measures real ones beside the simulator.  args: BIN"""

import os
import re
import sys

import harness

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench")
sys.path.insert(1, BENCH)
sys.dont_write_bytecode = True
import elastic  # noqa: E402  pylint: disable=wrong-import-position
import queued  # noqa: E402  pylint: disable=wrong-import-position

PROGRAM = os.path.join(BENCH, "scheduler")
PATIENCE = 120
STEP = "parint: iteration {} of 100 at {:.6f}\n"
# Two jobs of a few seconds, a large one on two ranks and a medium one on one.
SHORT = ["--bin", harness.BIN, "--jobs", "2", "--slots", "4", "--scale", "80",
         "--runs", "1", "--policy", "elastic"]


def near(a, b):
    return abs(a - b) < 1e-6


def times_are_the_papers_on_the_fewest_and_on_the_most_slots(_room):
    small, medium, large, xlarge = elastic.Jobs(60, 1, 16).kinds
    assert xlarge.ranks == [16, 60], xlarge.ranks
    for kind, ranks, seconds in ((small, 2, 120), (small, 8, 39.84),
                                 (medium, 16, 148), (large, 8, 1960),
                                 (xlarge, 60, 460)):
        assert near(kind.steps * kind.step(ranks), seconds), kind.name


def fewer_slots_have_smaller_jobs_of_the_same_length(_room):
    whole, half = elastic.Jobs(60, 12, 16), elastic.Jobs(30, 12, 16)
    assert half.kinds[3].ranks == [8, 30], half.kinds[3].ranks
    for one, other in zip(whole.kinds, half.kinds):
        assert near(one.shortest, other.shortest), one.name
    assert near(whole.gap, 7.5) and near(whole.rescale_gap, 15)


def costs_are_a_line_that_is_never_below_zero(_room):
    assert queued.line([(1, 3.0), (3, 7.0)]) == (1.0, 2.0)
    assert queued.line([(4, 1.0), (4, 2.0)]) == (1.5, 0.0)
    assert queued.line([(1, 3.0), (3, 1.0)]) == (2.0, 0.0)
    at_0, each = queued.line([(2, 1.0), (4, 4.0)])
    assert at_0 == 0 and near(each, 0.9), each


def a_job_that_was_parked_has_no_pause_while_it_was(_room):
    job = elastic.Jobs(60, 12, 2).all[1]    # 0.4 s a step on 4 ranks
    told = {"exit_code": 0, "submitted_ms": 99000, "started_ms": 100000,
            "ended_ms": 113000, "rescales": 0, "parks": 1}
    decisions = [{"at_ms": at, "action": action} for at, action in (
        (99000, "wait"), (100000, "start"), (101500, "park"),
        (110500, "start"))]
    output = "parint: MPI_Init took 0.1 s\n" + STEP.format(1, 101.4) + \
        STEP.format(2, 101.8) + "parint: MPI_Init took 0.1 s\n" + \
        STEP.format(3, 111.4) + "parint: digest 0123456789abcdef\n"
    ran = queued.Ran(job, told, decisions, output, [(101, 4), (111.2, 4)])
    gaps, changes = [ran.gap(i) for i in (0, 1)], list(ran.changes())
    assert [n for n, _ in gaps] == [4, 4], gaps
    assert near(gaps[0][1], 1.0) and near(gaps[1][1], 0.5), gaps
    assert changes == [(101.5, 101.8, True)], changes


def a_job_starts_when_others_have_left_the_slots_that_it_is_given(_room):
    jobs = elastic.Jobs(60, 12, 2).all
    told = {"exit_code": 0, "submitted_ms": 99000, "started_ms": 100000,
            "ended_ms": 113000, "rescales": 1, "parks": 0}
    begun = "parint: MPI_Init took 0.1 s\n"
    output = begun + STEP.format(1, 99.9) + STEP.format(2, 100.7) + begun + \
        STEP.format(3, 101.9) + "parint: digest 0123456789abcdef\n"
    start = {"at_ms": 100000, "action": "start"}
    other = queued.Ran(jobs[0], told, [{"at_ms": 99990, "action": "resize"}],
                       output, [(99, 8), (101, 16)])
    ran = queued.Ran(jobs[1], told, [start], output, [(99, 4)])
    ran.wait_for([other, ran])
    assert ran.started == 100.0, ran.started    # the other one grew
    other.sizes = [16, 8]
    ran.wait_for([other, ran])
    assert near(ran.started, 100.7), ran.started


def real_jobs_are_measured_beside_the_simulator(room):
    at = room.run(PROGRAM, *SHORT, "--dir", room.tmp,
                  patience=PATIENCE).ends_with(0)
    rows = re.findall(r"^\| elastic \| 1 \| ([\d.]+) \|.*?\| ([\d.]+) \|",
                      at.output, re.M)
    assert len(rows) == 4, at.output
    shortest = elastic.Jobs(4, 80, 1).kinds[2].shortest
    for total in rows[0]:
        assert float(total) >= round(shortest, 1), (rows, shortest)
    assert os.listdir(room.tmp) == []


def jobs_that_do_not_end_in_time_are_told_and_nothing_is_left(room):
    at = room.run(PROGRAM, *SHORT, "--dir", room.tmp, "--patience", "2",
                  patience=PATIENCE)
    assert at.end() == 1
    assert "failed: elastic: run 1: the jobs do not end in 2 s" in at.output
    assert not room.ours("parint") and os.listdir(room.tmp) == []


harness.main(times_are_the_papers_on_the_fewest_and_on_the_most_slots,
             fewer_slots_have_smaller_jobs_of_the_same_length,
             costs_are_a_line_that_is_never_below_zero,
             a_job_that_was_parked_has_no_pause_while_it_was,
             a_job_starts_when_others_have_left_the_slots_that_it_is_given,
             real_jobs_are_measured_beside_the_simulator,
             jobs_that_do_not_end_in_time_are_told_and_nothing_is_left)
