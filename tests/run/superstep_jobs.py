#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs in supersteps, whose shares of the processors change between them.
args: BIN"""

import csv
import json
import os
import re
import signal

import control_groups
import harness

STEPS = 6
TASKS = ("a", "b")
PROFILE = [(workload, shares) for workload in (1, 2, 3, 4)
           for shares in (100, 200, 400, 800)]
# A task says when its steps begin and end, and what limits it meanwhile.
TOLD = r"""
echo "begins $1 $2" >> told
while [ -e hold-$1-$2 ]; do read -t 0.05 _ <> pipe; done
%s
echo "ends $1 $2" >> told
"""


def application(room, shell="", memory=None, steps=STEPS, **keys):
    """Two tasks whose workloads take turns.  shell: what they do besides, with
    $1 as the task and $2 as the step."""
    room.write("task.sh", TOLD % shell)
    if not os.path.exists(room.path("pipe")):
        os.mkfifo(room.path("pipe"))
    room.write("profile.csv", "task,workload,shares,seconds\n" + "".join(
        f"{task},{workload},{shares},{workload * 100 / shares}\n"
        for task in TASKS for workload, shares in PROFILE))
    tasks = []
    for number, task in enumerate(TASKS):
        room.write(f"{task}.csv", "".join(
            f"{1 + 3 * ((step + number) % 2)}\n" for step in range(20)))
        tasks.append({"name": task, "series": f"{task}.csv", "command": [
            "/bin/bash", "task.sh", task, "{step}", "{workload}"],
            **({"memory": memory} if memory else {})})
    return room.write("app.json", json.dumps({
        "steps": steps, "profile": "profile.csv", "change": 0, "first": 10,
        "shares": {"total": 1000, "least": 100, "increment": 100},
        "tasks": tasks, **keys}))


def job(room, *words, ranks=(2, 1, 2), **keys):
    return room.write("heat.yaml", "".join(
        f"{key}: {value}\n" for key, value in {
            "name": "heat", "app": "supersteps",
            "command": harness.flow(["bellows-supersteps", "app.json", *words]),
            "ranks": "{{initial: {}, min: {}, max: {}}}".format(*ranks),
            "checkpoint": "{dir: ck, deadline: 30s}", **keys}.items()))


def hold(room, task, step):
    return room.write(f"hold-{task}-{step}", "")


def told(room):
    return harness.read(room.path("told"), "r").splitlines() \
        if os.path.exists(room.path("told")) else []


def each_step_was_one(room, twice=()):
    """Begun when all of the one before had ended; each task once, but for those
    of the steps that were made twice."""
    lines = [line.split() for line in told(room)]
    steps = [int(step) for _, _, step in lines]
    assert steps == sorted(steps), lines
    for task in TASKS:
        ends = [int(step) for what, at, step in lines
                if what == "ends" and at == task]
        assert sorted(set(ends)) == list(range(STEPS)), ends
        assert [step for step in ends if ends.count(step) > 1 and
                step not in twice] == [], ends


def rows(room):
    with open(room.path("log.csv"), encoding="ascii") as file:
        return list(csv.DictReader(file))


def a_step_begins_when_all_tasks_of_the_one_before_have_ended(room):
    application(room)
    held = hold(room, "a", 2)
    at = room.start("bellows", "run", job(room))
    room.wait("b has ended", lambda: "ends b 2" in told(room))
    assert "begins b 3" not in told(room)
    os.remove(held)
    at.ends_with(0)
    each_step_was_one(room)
    assert f"supersteps: all {STEPS} steps are done" in at.output


def limits_are_the_shares_that_the_planner_says(room):
    application(room, f"{control_groups.LIMIT} > quota-$1-$2")
    room.run("bellows", "run", job(
        room, "--planner", "window-1", "--forecast", "known", "--log",
        "log.csv")).ends_with(0)
    for row in rows(room):
        quota = harness.read(room.path(
            f"quota-{row['task']}-{row['step']}")).split()[0]
        # of a period of 10 ms
        assert int(quota) == 10 * int(row["shares"]), (row, quota)
    shares = [int(row["shares"]) for row in rows(room) if row["task"] == "a"]
    assert shares == [200, 800] * (STEPS // 2), shares


def a_rescale_waits_for_the_end_of_a_step(room):
    application(room)
    held = hold(room, "b", 3)
    at = room.start("bellows", "run", job(room))
    room.wait("step 3", lambda: "begins b 3" in told(room))
    scale = room.start("bellows", "scale", "heat", 1, "--wait")
    room.wait("it is told", lambda: "to be left after this step" in at.output)
    os.remove(held)
    scale.ends_with(0)
    at.ends_with(0)
    each_step_was_one(room)
    assert "supersteps: goes on from step 4 of 6" in at.output


def a_step_that_was_lost_is_made_again(room):
    application(room)
    held = hold(room, "a", 3)
    at = room.start("bellows", "run", job(room))
    room.wait("step 3", lambda: "begins a 3" in told(room))
    os.kill(max(room.ours("bellows-supersteps")), signal.SIGKILL)
    room.wait("it is begun again",
              lambda: told(room).count("begins a 3") > 1)
    os.remove(held)
    at.ends_with(0)
    each_step_was_one(room, twice=(3,))


def a_task_that_fails_ends_the_job_and_nothing_is_lost(room):
    application(room, "[ $1$2 != b4 ] || [ -e mended ] || exit 3")
    at = room.run("bellows", "run", job(room, restarts=0))
    at.ends_with(70).says("supersteps: step 4: task b ended with status 3")
    room.write("mended", "")
    at = room.run("bellows", "run", job(room)).ends_with(0)
    assert "supersteps: goes on from step 4 of 6" in at.output
    each_step_was_one(room)
    assert told(room).count("begins a 4") == 1


def a_task_without_enough_memory_is_told(room):
    application(room, "exec /usr/bin/python3 -c 'b\"x\" * 300000000'",
                memory=32)
    room.run("bellows", "run", job(room, restarts=0)).ends_with(70).says(
        "supersteps: step 0: task a was killed by signal 9, maybe for want of "
        "memory")


def what_is_wrong_is_said_before_anything_runs(room):
    application(room)
    for words, code, sentence in (
            (["--planner", "exact"], 65,
             "there is no planner 'exact' for a real run"),
            (["--forecast", "given"], 65, "the task a has no 'forecast' file"),
            (["--group", "/no/such/group"], 70,
             "cannot make the control group")):
        room.run("bellows", "run", job(room, *words)).ends_with(code).says(
            sentence)
    path = application(room)
    with open(path, encoding="ascii") as file:
        app = json.load(file)
    del app["tasks"][1]["command"]
    room.write("app.json", json.dumps(app))
    room.run("bellows", "run", job(room)).ends_with(65).says(
        "app.json: the task b has no 'command'")
    room.write("b.csv", "nan\n" * 20)
    room.run("bellows", "run", job(room)).ends_with(65).says(
        "the value is 'nan', and not a number")
    assert told(room) == []


def an_mpi_program_in_supersteps_has_its_digest(room):
    """Each step computes 100 iterations more, and saves them."""
    work = harness.Work(10007, 100 * STEPS, 1)
    application(room, "[ $1 = b ] || mpiexec --oversubscribe -n 2 parint "
                "--array-size 10007 --iterations $(((1 + $2) * 100)) --nloop 1 "
                "--checkpoint mine > parint-$2")
    room.run("bellows", "run", job(room)).ends_with(0)
    last = harness.read(room.path(f"parint-{STEPS - 1}"), "r")
    assert harness.digest(last) == work.digest()


control_groups.need()
harness.main(
    a_step_begins_when_all_tasks_of_the_one_before_have_ended,
    limits_are_the_shares_that_the_planner_says,
    a_rescale_waits_for_the_end_of_a_step,
    a_step_that_was_lost_is_made_again,
    a_task_that_fails_ends_the_job_and_nothing_is_lost,
    a_task_without_enough_memory_is_told,
    what_is_wrong_is_said_before_anything_runs,
    an_mpi_program_in_supersteps_has_its_digest,
    side_by_side=4,
)
