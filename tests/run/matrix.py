#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each step of a rescale, each part of a job, each fault: none of them hangs a
job, loses it or changes its result.  args: BIN

Which of the cases are made is drawn by lot, so that each part meets each fault,
and then as many other pairs of step, part and fault as can be; BELLOWS_WHOLE=1:
all.  Besides, a few are drawn in which a program is stopped for half a minute,
or two programs are struck at once; and for each of them the launcher.
BELLOWS_SEED: of the lot.
"""

import itertools
import os
import pickle
import statistics
import tempfile

import harness
import misfortune

MANY, SLEEPS, PAIRS = 27, harness.some(25, 2), harness.some(50, 3)
AT_ONCE = 4
LAUNCHERS = ("stream", "ssh")
dice, figures, absent = harness.dice(), {}, []


def draw(cases, many):
    """The case that brings most that is new is the first."""
    drawn, seen = [], set()

    def news(case):
        pairs = set(itertools.combinations(case, 2)) - seen
        return (case.part, case.fault) in pairs, len(pairs)

    while len(drawn) < many:
        left = {case: news(case) for case in cases if case not in drawn}
        best = max(left.values())
        drawn.append(dice.choice([case for case in left
                                  if left[case] == best]))
        seen |= set(itertools.combinations(drawn[-1], 2))
    return drawn


def note(name):
    return os.path.join(notes, name)


def test_of(case, second=None):
    launcher = dice.choice(LAUNCHERS)
    name = misfortune.name_of(case, second)

    def test(room):
        print(f"# launcher: {launcher}")
        try:
            found = misfortune.befall(room, case, second, launcher)
            print(f"# felt: {found.felt}")
        except misfortune.NotThere:
            print("# no process was there to strike")
            found = None
        with open(note(name), "wb") as file:  # another process reads it
            pickle.dump(found, file)
    test.__name__ = name
    return test


def read_notes():
    for case in cases:
        path = note(misfortune.name_of(case))
        if not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            found = pickle.load(file)
        if found:
            figures[case] = found
        else:
            absent.append(case)


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


def most_of_them_were_felt(_):
    read_notes()
    for fault in ("kill", "hang", "cut"):
        tell("s until it was detected", fault, "detected")
        tell("s until ranks computed again", fault, "computing")
        tell(f"iterations of {misfortune.WORK.iterations} computed again",
             fault, "repeated")
    felt = [case for case, at in figures.items() if at.felt]
    print(f"# {len(felt)} disturbed, {len(figures) - len(felt)} passed by, "
          f"{len(absent)} had no process to strike")
    for fault in ("kill", "hang", "cut"):
        made = [case for case in figures if case.fault == fault]
        print(f"# {fault}: {len(made)} made, "
              f"{len(set(made) & set(felt))} felt")
    assert len(absent) * 4 <= len(cases), absent
    # a part that is stopped for a while is often not missed
    assert len(felt) * 2 >= len(figures)


cases = misfortune.all_cases("kill", "hang", "cut")
everything = len(cases)
cases = draw(cases, harness.some(everything, MANY))
print(f"# seed {harness.SEED}, {len(cases)} of {everything} cases")
tests = [test_of(case) for case in cases]
tests += [test_of(case) for case in
          dice.sample(misfortune.all_cases("sleep"), SLEEPS)]
tests += [test_of(*pair) for pair in dice.sample(misfortune.all_pairs(), PAIRS)]
if harness.MPIEXEC:
    misfortune.WORK.digest()  # once, and not in each process
with tempfile.TemporaryDirectory(prefix="b-") as notes:
    harness.main(*tests, side_by_side=AT_ONCE,
                 at_last=[most_of_them_were_felt])
