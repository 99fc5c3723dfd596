#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each step of a rescale, each part of a job, each fault: none of them hangs a
job, loses it or changes its result.  args: BIN

Which of the cases are made is drawn by lot, so that each step, part and fault is
among them; BELLOWS_WHOLE=1: all.  BELLOWS_SEED: of the lot.
"""

import os
import random
import statistics

import harness
import misfortune

SEED = int(os.environ.get("BELLOWS_SEED", "2023"))
CASES = 16  # in which each is
figures, absent = {}, []


def draw(cases, many):
    """Whoever brings most that is new is first."""
    dice, drawn, seen = random.Random(SEED), [], set()
    while len(drawn) < many:
        left = [case for case in cases if case not in drawn]
        news = {case: len(set(case) - seen) for case in left}
        drawn.append(dice.choice([case for case in left
                                  if news[case] == max(news.values())]))
        seen |= set(drawn[-1])
    return drawn


def test_of(case):
    def test(room):
        try:
            figures[case] = misfortune.befall(room, case)
        except misfortune.NotThere:
            absent.append(case)
    test.__name__ = misfortune.name_of(case)
    return test


def tell(what, fault, figure):
    found = sorted((getattr(at, figure), misfortune.name_of(case))
                   for case, at in figures.items()
                   if case.fault == fault and at.detected is not None
                   and getattr(at, figure) is not None)
    values = [value for value, _ in found]
    if len(values) > 1:
        p95 = statistics.quantiles(values, n=20, method="inclusive")[-1]
        print(f"# {fault}, {what}: {len(values)} times, median "
              f"{statistics.median(values):.2f}, 95 % {p95:.2f}, most "
              f"{values[-1]:.2f} ({found[-1][1]})")


def iterations():
    return harness.work_for(misfortune.RUN).iterations


def every_case_was_made_or_had_nobody_to_befall(_):
    for fault in ("kill", "hang", "cut"):
        tell("s until it was detected", fault, "detected")
        tell("s until ranks computed again", fault, "computing")
        tell(f"iterations of {iterations()} computed again", fault,
             "repeated")
    print(f"# {len(figures)} cases, {len(absent)} more had nobody to befall")
    assert len(figures) + len(absent) == len(cases)
    assert len(absent) * 4 <= len(cases), absent


everything = misfortune.all_cases()
if os.getuid() != 0:
    everything = [case for case in everything if case.fault != "cut"]
cases = draw(everything, harness.some(len(everything), CASES))
print(f"# seed {SEED}, {len(cases)} of {len(everything)} cases")
harness.main(*map(test_of, cases), every_case_was_made_or_had_nobody_to_befall)
