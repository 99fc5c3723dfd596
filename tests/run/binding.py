#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks are bound as the job file asks for, and that is read back.
args: BIN COUNTER"""

import json
import os
import re

import counted
import harness
from counted import COUNTER, STEPS

MOST = 6  # ranks


def job(room, ranks, *keys, restarts=3):
    save = ["--save", "{checkpoint}/state"]
    return room.write("heat.yaml", f"""name: heat
app: generic
command: {harness.flow([COUNTER, STEPS, *save])}
restart: {harness.flow([COUNTER, STEPS, *save, "--from",
                        "{checkpoint}/state"])}
ranks: {{initial: {ranks}, max: {MOST}}}
restarts: {restarts}
checkpoint: {{dir: ck, deadline: 20s}}
generic:
  files: [state]
  save: {{signal: SIGUSR2}}
  progress: "^step ([0-9]+) of ([0-9]+)$"
  resumed: "^from step ([0-9]+)$"
environment: {counted.environment(room)}
""" + "\n".join(keys))


def bound_from_outside(room):
    """Of each rank what /proc says of it."""
    found = {}
    for pid in room.ours("counter"):
        status = harness.read(f"/proc/{pid}/status", "r")
        rank = harness.number_of(pid, "OMPI_COMM_WORLD_RANK")
        found[rank] = re.search(r"^Cpus_allowed_list:\s*(\S+)$", status,
                                re.M)[1]
    return found


def ranks_of(binding):
    """Each rank's processors in a text like "0=0 1-2=1"."""
    found = {}
    for part in binding.split():
        ranks, processors = part.split("=")
        first, _, last = ranks.partition("-")
        for rank in range(int(first), int(last or first) + 1):
            found[rank] = processors
    return found


def is_told(room, ranks):
    """Status and journal say of the running start what is the case; returns
    it."""
    now = room.runs_on(ranks)
    found = bound_from_outside(room)
    assert ranks_of(now["binding"]) == found, (now["binding"], found)
    history = room.run("bellows", "history", "heat", "--json").ends_with(0)
    lines = [json.loads(line) for line in history.output.splitlines()]
    last = [line for line in lines if line["entry"] == "binding"][-1]
    assert ranks_of(last["processors"]) == found, (last, found)
    assert last["epoch"] == now["epoch"], last
    assert len(found) == ranks, found
    return found


def cores(room):
    machine = room.status()["members"][0]["machine"]
    return machine["cores"], machine["processors"]


def each_rank_has_a_core_of_its_own_while_there_are_enough(room):
    at = room.start("bellows", "run", job(room, 1, "placement: {bind: core}"))
    room.runs_on(1)
    number, every = cores(room)
    if number < 2:
        raise harness.Skip("one core is one rank's")
    alone = is_told(room, 1)
    assert alone[0] != every, alone
    room.scale(2).ends_with(0)
    both = is_told(room, 2)
    assert both[0] != both[1] and both[0] == alone[0], both
    assert "not bound" not in at.errors, at.errors
    if number < MOST:
        room.scale(number + 1).ends_with(0)
        crowd = is_told(room, number + 1)
        assert set(crowd.values()) == {every}, crowd
        at.says("some ranks are not bound to a core each: executor ",
                f" and those that share its processors: {number + 1} ranks "
                f"have {number} cores")
    room.run("bellows", "cancel", "heat").ends_with(0)
    at.ends_with(130)


def a_rank_that_is_bound_elsewhere_is_a_failed_start(room):
    """A program between the daemon and the gate binds rank 1 again."""
    every = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    script = (f"[ $OMPI_COMM_WORLD_RANK = 1 ] && exec taskset -c {every} "
              '"$0" "$@"; exec "$0" "$@"')
    at = room.start("bellows", "run", job(
        room, 2, "placement: {bind: core}",
        f"mpi: {{arguments: {harness.flow(['sh', '-c', script])}}}",
        restarts=0))
    at.end()
    if "not bound to a core each" in at.errors:
        raise harness.Skip("two ranks have one core")
    at.ends_with(69)
    said = re.search(r"rank 1 is bound to processors (\S+), planned was (\S+)",
                     at.errors)
    assert said, at.errors
    assert counted.sums(at.output) == [], at.output


def a_cpuset_that_shrinks_is_told_and_the_next_start_keeps_to_it(room):
    """The affinity of the executor stands for the cpuset of its host: both are
    what the kernel lets it use."""
    at = room.start("bellows", "run", job(room, 1, "placement: {bind: core}"))
    room.runs_on(1)
    every = sorted(os.sched_getaffinity(0))
    if len(every) < 2:
        raise harness.Skip("a set of one processor cannot shrink")
    first = room.the("bellows-executor")
    os.sched_setaffinity(first, {every[1]})
    room.wait("it is told", lambda: "worker-0 may use other processors now: "
              in at.errors)
    at.says(f"1 core, processors {every[1]}")
    room.scale(2).ends_with(0)
    found = is_told(room, 2)
    assert found == {0: f"{every[1]}", 1: f"{every[0]}"}, found
    room.run("bellows", "cancel", "heat").ends_with(0)
    at.ends_with(130)


harness.main(
    each_rank_has_a_core_of_its_own_while_there_are_enough,
    a_rank_that_is_bound_elsewhere_is_a_failed_start,
    a_cpuset_that_shrinks_is_told_and_the_next_start_keeps_to_it,
)
