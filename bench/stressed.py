# SPDX-License-Identifier: Apache-2.0
"""The eight classes of stress-ng of the published application as tasks that this
machine can run, and what planners made of them.

The work of each class is scaled so that its usual workload takes so many seconds of
a processor.  A log of bellows-supersteps has a row for each task in each step.
"""

import csv
import json
import os
import resource
import subprocess

from machine import median, percentile, say, table
from published import SCALE, SERIES, write_series

WORKLOADS = (10, 30, 50)        # that are measured
SHARES_OF = (1, 2, 4, 8, 12)    # the same: times the least
LEAST, MOST = 80, 1000          # of a program with one thread
TEXTS = ("task",)               # columns that are no numbers


# ---- the application ----

def processor_s(name, ops):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["stress-ng", f"--{name}", "1", f"--{name}-ops", str(ops)],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime)


def operations(name, seconds):
    """How many take so long."""
    ops = 1
    while (took := processor_s(name, ops)) < seconds / 2:
        ops = int(ops * max(1.5, min(8, 0.7 * seconds / took))) + 1
    return max(1, round(ops * seconds / took))


def write_application(folder, source, steps, shares, seconds):
    """tasks.json and the series, in that folder; source: what was published."""
    tasks = []
    for name, series in SERIES.items():
        ops = operations(name, seconds)
        say(f"{name}: {ops} operations take {seconds} s of a processor")
        write_series(os.path.join(source, "data", series + ".csv"),
                     os.path.join(folder, series + ".csv"))
        tasks.append({"name": name, "series": series + ".csv", "command": [
            "stress-ng", "--quiet", f"--{name}", "1", f"--{name}-ops",
            f"{{workload*{ops / SCALE['usual']:.6g}}}"]})
    path = os.path.join(folder, "tasks.json")
    with open(path, "w") as file:
        json.dump({"steps": steps, "change": 0, "profile": "profile.csv",
                   "shares": {"total": shares, "least": LEAST,
                              "increment": 10, "most": MOST},
                   **SCALE, "tasks": tasks}, file)
    return path


def measure_profile(bindir, path, shares_of=SHARES_OF, repeat=2):
    subprocess.run(
        [os.path.join(bindir, "bellows"), "profile", path, "--repeat",
         str(repeat), "--workloads", ",".join(map(str, WORKLOADS)),
         "--shares", ",".join(str(LEAST * n) for n in shares_of)],
        check=True, timeout=3600)


# ---- a run ----

def read_log(path, steps):
    """The rows of each step."""
    with open(path) as file:
        rows = [{key: value if key in TEXTS else float(value)
                 for key, value in row.items()} for row in csv.DictReader(file)]
    return [[row for row in rows if row["step"] == step]
            for step in range(steps)]


def slowest(steps, seconds):
    return sum(max(map(seconds, step)) for step in steps)


def by_clock(row):
    return row["seconds"]


def by_accounting(row):
    """As if it had had just its shares, and the machine nothing else to do."""
    return row["processor_s"] / row["shares"] * 1000


def changes_of(steps, ranks):
    """Seconds of each change: ranks make theirs side by side."""
    all_took = [max(sum(row["change_s"] for row in step[rank::ranks])
                    for rank in range(ranks)) for step in steps]
    return [took for took in all_took if took > 0]


def errors_of(steps):
    """By task, how far what the profile says is from what was."""
    names = [row["task"] for row in steps[0]]
    return {name: sum(abs(step[i]["seconds"] - step[i]["model_seconds"])
                      for step in steps) /
            sum(step[i]["model_seconds"] for step in steps)
            for i, name in enumerate(names)}


# ---- all of them: for each round the steps by planner ----

def total(steps, ranks, seconds):
    """With the changes, which no task computes in."""
    return slowest(steps, seconds) + sum(changes_of(steps, ranks))


def gains(rounds, planner, ranks, seconds):
    return [1 - total(one[planner], ranks, seconds) /
            total(one["static"], ranks, seconds) for one in rounds]


def span(values):
    values = [100 * value for value in values]
    return f"{median(values):.1f} % ({min(values):.1f} to {max(values):.1f})"


def milliseconds(seconds):
    return f"{1000 * seconds:.3g}"


def print_planners(rounds, ranks, accounted):
    """accounted: control groups have counted what each task had."""
    rows = []
    for planner in rounds[0]:
        took = [total(one[planner], ranks, by_clock) for one in rounds]
        changes = [took for one in rounds
                   for took in changes_of(one[planner], ranks)]
        row = [planner, f"{median(took):.1f}",
               span(gains(rounds, planner, ranks, by_clock))]
        if accounted:
            row.append(span(gains(rounds, planner, ranks, by_accounting)))
        row.append(f"{len(changes) / len(rounds):.0f}")
        row += [milliseconds(percentile(changes, percent)) if changes else ""
                for percent in (50, 99)]
        rows.append(row)
    table(["planner", "total (s)", "gain"]
          + (["gain by accounting"] if accounted else [])
          + ["changes", "a change: median (ms)", "99 % (ms)"], rows)


def print_errors(rounds):
    errors = [errors_of(steps) for one in rounds for steps in one.values()]
    table(["task", "profile wrong by"],
          [[name, span([one[name] for one in errors])] for name in errors[0]])
