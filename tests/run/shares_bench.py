#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of shares make of what bellows-supersteps has written.
args: BIN"""

import contextlib
import io
import os
import sys

import harness

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench")
sys.path.insert(1, BENCH)
sys.dont_write_bytecode = True
import stressed  # noqa: E402  pylint: disable=wrong-import-position

HEAD = "step,task,shares,workload,seconds,model_seconds,processor_s," \
    "throttled_s,memory_mib,change_s\n"
# Of static: b is last in both steps.
STATIC = """0,a,500,10,1.0,1.0,0.5,0,1,0
0,b,500,10,4.0,4.0,2.0,0,1,0
1,a,500,10,1.0,2.0,0.5,0,1,0
1,b,500,10,4.0,4.0,2.0,0,1,0
"""
# The same work with other shares, on a machine that is busy in the second step.
MOVED = """0,a,200,10,2.5,2.5,0.5,0,1,0.1
0,b,800,10,2.5,2.5,2.0,0,1,0.2
1,a,200,10,2.5,2.5,0.5,0,1,0
1,b,800,10,3.5,2.5,2.0,0,1,0
"""


def log(room, text):
    return stressed.read_log(room.write("log.csv", HEAD + text), 2)


def a_step_is_as_long_as_its_slowest_task_and_the_change(room):
    steps = log(room, MOVED)
    # one rank changes both shares; two do so side by side
    assert stressed.changes_of(steps, 1) == [0.1 + 0.2]
    assert stressed.changes_of(steps, 2) == [0.2]
    assert abs(stressed.total(steps, 2, stressed.by_clock) - 6.2) < 1e-9
    assert abs(stressed.total(steps, 2, stressed.by_accounting) - 5.2) < 1e-9


def the_gain_is_over_static_in_the_same_round(room):
    rounds = [{"static": log(room, STATIC), "scenario": log(room, MOVED)}]
    gain = stressed.gains(rounds, "scenario", 2, stressed.by_clock)
    assert [round(value, 6) for value in gain] == [round(1 - 6.2 / 8, 6)], gain
    with contextlib.redirect_stdout(io.StringIO()) as out:
        stressed.print_planners(rounds, 2, True)
    assert out.getvalue().splitlines()[-2] == \
        "| scenario | 6.2 | 22.5 % (22.5 to 22.5) | 35.0 % (35.0 to 35.0) | 1 " \
        "| 200 | 200 |", out.getvalue()


def a_profile_is_wrong_by_what_its_task_took_besides(room):
    errors = stressed.errors_of(log(room, STATIC))
    assert errors["b"] == 0 and abs(errors["a"] - 1 / 3) < 1e-9, errors


def each_says_what_it_measures(room):
    for name in ("shares", "pod-shares"):
        at = room.run(os.path.join(BENCH, name), "--help").ends_with(0)
        assert "What it is worth to move shares" in at.output
        room.run(os.path.join(BENCH, name), "x", "--planners",
                 "scenario").ends_with(2).says("static is what the others")


harness.main(a_step_is_as_long_as_its_slowest_task_and_the_change,
             the_gain_is_over_static_in_the_same_round,
             a_profile_is_wrong_by_what_its_task_took_besides,
             each_says_what_it_measures)
