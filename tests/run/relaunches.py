#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job that relaunches its ranks again and again does not wear out.

args: BIN.  60 relaunches, or 1000 with BELLOWS_WHOLE=1, on 1 rank, 2 ranks, 1
rank and so on; the coordinator, the monitor and the executor of rank 0 are the
same from the first to the last, and no zombie, no descriptor and less than 1 MiB
more is theirs at the end than after the first tenth of them.
"""

import re
import time

import harness

N = harness.some(1000, 60)  # the last one is to 1 rank again
WARM = N // 20 * 2
EACH = 20          # seconds that one relaunch may take
GROWTH = 1024      # KiB
LONG_LIVED = ("bellows-coordinator", "bellows-monitor")


def own_memory(pid):
    """In KiB, without libraries: what they take depends on other processes."""
    return int(re.search(rb"^Anonymous:\s+(\d+)", harness.read(
        f"/proc/{pid}/smaps_rollup"), re.M).group(1))


def what_they_hold(room, pids, most=None):
    """Descriptors, at most so many, and memory."""
    return room.settled(pids, 1, most), [own_memory(pid) for pid in pids]


def relaunch(room, ranks, pids):
    began = time.monotonic()
    room.run("bellows", "scale", "heat", ranks, "--wait", "--json",
             patience=EACH).ends_with(0)
    room.wait("the burial of the dead", lambda: not harness.zombies(*pids))
    room.programs.pop()
    return time.monotonic() - began


def many_relaunches_leave_no_trace(room):
    endless = harness.Work(1009, 2 ** 40, 1, pace=20000)
    at = room.start("bellows", "run",
                    room.job(endless, ranks=(1, 1, 2), restarts=0))
    room.runs_on(1)
    pids = [room.the(word) for word in (*LONG_LIVED, "bellows-executor")]
    before, took = None, []
    for number in range(N):
        took.append(relaunch(room, 2 - number % 2, pids))
        if number + 1 == WARM:
            room.runs_on(1)
            before = what_they_hold(room, pids)
    job = room.runs_on(1)
    after = what_they_hold(room, pids, before[0])
    print(f"# {N} relaunches, median {sorted(took)[N // 2]:.3f} s, slowest "
          f"{max(took):.3f} s; of coordinator, monitor, executor: "
          f"descriptors {before[0]} -> {after[0]}, "
          f"KiB {before[1]} -> {after[1]}")
    odd = [entry for entry in job["history"] if entry["result"] != "done"
           or sorted((entry["from"], entry["to"])) != [1, 2]]
    assert job["rescales"] == N and not odd, (job["rescales"], odd)
    assert all(now < then + GROWTH for then, now in zip(before[1], after[1]))
    room.run("bellows", "cancel", "heat").ends_with(0)
    at.ends_with(130)


harness.main(many_relaunches_leave_no_trace)
