#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks of supersteps that are measured, each with shares of its own.  args: BIN"""

import csv
import json
import os
import re
import signal

import control_groups
import harness

TASKS = ("a", "b")
WORDS = ("--shares", "100,1000", "--workloads", "1,2", "--repeat", "2")
CELLS = [(task, workload, shares) for task in TASKS for workload in "12"
         for shares in ("100", "1000")]


def application(room, shell, **keys):
    """Two tasks that run a command of the shell; $1 is the workload, $2 the task."""
    room.write("task.sh", shell)
    for task in TASKS:
        room.write(f"{task}.csv", "1\n2\n3\n")
    return room.write("app.json", json.dumps({
        "steps": 3, "profile": "profile.csv", "change": 0,
        "shares": {"total": 2000, "least": 100, "increment": 100},
        "tasks": [{"name": task, "series": f"{task}.csv", "command": [
            "/bin/sh", "task.sh", "{workload}", task]} for task in TASKS],
        **keys}))


def rows(room):
    with open(room.path("profile.csv"), encoding="ascii") as file:
        return list(csv.DictReader(file))


def cells(room):
    return [(row["task"], row["workload"], row["shares"])
            for row in rows(room)]


def each_cell_is_measured_with_its_shares(room):
    path = application(room, "i=0; while [ $i -lt $(($1 * 30000)) ]; do "
                       "i=$((i + 1)); done")
    at = room.run("bellows", "profile", path, *WORDS).ends_with(0)
    assert cells(room) == CELLS * 2, cells(room)
    held_back = {"100": 0, "1000": 0}
    for row in rows(room):
        limit = float(row["seconds"]) * int(row["shares"]) / 1000
        # a period of 10 ms more, as it may begin with a whole one
        assert float(row["processor_s"]) <= limit + 0.02, row
        held_back[row["shares"]] += float(row["throttled_s"])
    # by how much, the machine's other work decides
    assert held_back["100"] > held_back["1000"], held_back
    assert re.search(r"^a: seconds by workload and shares\n +100 +1000\n"
                     r" +1 +\S+ \+- *\d+% +\S+ \+- *\d+%$", at.output, re.M)
    assert f"{room.path('profile.csv')}: 8 cells, each measured 2 times; the " \
        "noisiest is " in at.output


def a_measurement_that_is_there_is_not_made_again(room):
    path = application(room, "echo $2 $1 >> made; [ $(wc -l < made) -ne 6 ]")
    room.run("bellows", "profile", path, *WORDS).ends_with(71).says(
        "b ended with status 1, with a workload of 1 and 1000 shares; 11 "
        "measurements are left, and the same command goes on with them")
    assert cells(room) == CELLS[:5]
    at = room.run("bellows", "profile", path, *WORDS, "--json").ends_with(0)
    assert sorted(cells(room)) == sorted(CELLS * 2)
    told = [json.loads(line) for line in at.output.splitlines()]
    assert [(cell["task"], str(cell["workload"]), str(cell["shares"]))
            for cell in told] == CELLS
    assert all(cell["least_s"] <= cell["mean_s"] <= cell["most_s"] and
               cell["times"] == 2 for cell in told)


def an_interrupted_profile_leaves_no_process(room):
    path = application(room, "sleep 1000")
    at = room.start("bellows", "profile", path, *WORDS)
    room.wait("a task", lambda: room.ours("sleep"))
    second = room.run("bellows", "profile", path, *WORDS).ends_with(71)
    second.says("another program measures into")
    at.tell(signal.SIGINT)
    at.ends_with(130).says("interrupted; 16 measurements are left")
    room.wait("its end", lambda: not room.ours("sleep"))


def what_cannot_be_measured_is_refused(room):
    path = application(room, "true")
    for words, code, sentence in (
            (["--shares", "1,x"], 64, "--shares: '1,x' is no list of at most"),
            (["--shares", "200,400"], 65, "shares are measured from 200 on"),
            (["--workloads", "2,1"], 65, "workloads are to ascend"),
            (["--group", "/no/such"], 71, "cannot make the control group")):
        room.run("bellows", "profile", path, *words).ends_with(code).says(
            sentence)
    room.write("none.json", harness.read(path, "r").replace("command", "comment"))
    room.run("bellows", "profile", "none.json").ends_with(65)
    assert not os.path.exists(room.path("profile.csv")) or rows(room) == []


control_groups.need()
harness.main(
    each_cell_is_measured_with_its_shares,
    a_measurement_that_is_there_is_not_made_again,
    an_interrupted_profile_leaves_no_process,
    what_cannot_be_measured_is_refused,
    side_by_side=4,
)
