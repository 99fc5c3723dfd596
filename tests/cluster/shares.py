#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks in supersteps on a real Kubernetes, whose pods are resized between two
steps.  args: BIN"""

import csv
import json
import os
import re

import kube  # first: it knows where harness is
import elastic
import harness
import naps

STEPS = 4
TASKS = ("a", "b")
# Of an executor's pod.
REQUESTS = f"""\
            requests:
              cpu: {elastic.CPU}
              memory: 128Mi
"""
# What limits the container of a task, of either version of control groups.
TASK = """
cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us \
    > /data/limit-$1-$2 2> /dev/null || true
"""


def write(folder, name, text):
    """Into the volume; the job's user reads and writes there."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, 0o666)


def furnish(folder, least):
    """Two tasks whose workloads take turns."""
    write(folder, "task.sh", TASK)
    write(folder, "profile.csv", "".join(
        f"{task},{workload},{least * times},{workload / times}\n"
        for task in TASKS for workload in (1, 2, 3, 4)
        for times in (1, 2, 4, 8)))
    for number, task in enumerate(TASKS):
        write(folder, f"{task}.csv", "".join(
            f"{1 + 3 * ((step + number) % 2)}\n" for step in range(20)))
    write(folder, "app.json", json.dumps({
        "steps": STEPS, "profile": "profile.csv", "change": 0, "first": 10,
        "shares": {"total": 10 * least, "least": least, "increment": least},
        "tasks": [{"name": task, "series": f"{task}.csv", "command": [
            "/bin/sh", "/data/task.sh", task, "{step}"]} for task in TASKS]}))


def begin(space, *pairs, least=100):
    """A rank in each of two pods, a task on each rank."""
    elastic.make_secrets(space)
    naps.prepare(space)
    furnish(naps.volume(space), least)
    text = elastic.overlay(space, "volcano-parint", [
        "bellows-supersteps", "/data/app.json", "--by", "pods", "--planner",
        "window-1", "--forecast", "known", "--log", "/data/log.csv"])
    naps_of_ranks = re.search(r"^ +environment: .*\n", text, re.M).group()
    for before, after in (("app: parint", "app: supersteps"),
                          (naps_of_ranks, ""), *pairs):
        assert before in text, before
        text = text.replace(before, after)
    space.apply(text)


def rows(space):
    path = os.path.join(naps.volume(space), "log.csv")
    with open(path, encoding="ascii") as file:
        return list(csv.DictReader(file))


def limit(space, row):
    """Shares that the kernel gave its container meanwhile."""
    numbers = harness.read(os.path.join(
        naps.volume(space), f"limit-{row['task']}-{row['step']}"), "r").split()
    return int(numbers[0]) // 100  # of a period of 0.1 s


def pods_are_resized_to_the_shares_of_their_tasks(room, space):
    begin(space)
    heat = elastic.Heat(room, space)
    heat.ends("Completed")
    found = rows(space)
    assert len(found) == STEPS * len(TASKS), found
    assert [limit(space, row) for row in found] == [
        int(row["shares"]) for row in found], found
    shares = [int(row["shares"]) for row in found if row["task"] == "a"]
    assert shares == [200, 800] * (STEPS // 2), shares
    assert heat.restarts() == 0
    said = heat.output()
    assert f"supersteps: all {STEPS} steps are done" in said
    assert re.search(r"the shares changed \d+ times, in [\d.]+ s", said), said


def a_resize_that_the_kubelet_does_not_do_is_told(room, space):
    """Pods of the class Guaranteed request what they may have, which is more
    here than their nodes have."""
    begin(space, (REQUESTS, REQUESTS.replace("requests", "limits") + REQUESTS),
          least=90000)
    heat = elastic.Heat(room, space)
    heat.runs_on(2)
    space.wait("the monitor says why", lambda: re.search(
        r"pod=heat-worker-\d has not got its \d+ shares of processors: "
        r"(Infeasible|Deferred): \S", space.logs("heat-monitor-0")))
    heat.ends("Completed")
    said = heat.output()
    assert re.search(r"rank \d: its pod does not have \d+\.\d+ processors "
                     r"after 30 s; the step begins with what it has", said), said
    assert f"supersteps: all {STEPS} steps are done" in said
    assert heat.restarts() == 0


if __name__ == "__main__":
    kube.main(pods_are_resized_to_the_shares_of_their_tasks,
              a_resize_that_the_kubelet_does_not_do_is_told,
              prepare=elastic.load)
