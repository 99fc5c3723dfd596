#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job that is rescaled often does not wear out.  args: BIN"""

import harness

WALK = [4, 1, 6, 3, 2, 5, 2, 6, 1, 2, 3, 4, 5, 6, 4, 3, 1, 5, 4, 2]
GROWTH = 4 * 1024  # KiB

LEADERS = ("bellows-coordinator", "bellows-monitor")


def no_zombie_stays(room):
    parents = [pid for word in (*LEADERS, "bellows-executor", "bellows")
               for pid in room.ours(word)]
    room.wait("the burial of the dead", lambda: not harness.zombies(*parents))


def what_they_hold(room, most=None):
    """Descriptors, at most so many, and memory of both leaders."""
    pids = [room.the(word) for word in LEADERS]
    return room.settled(pids, 2, most), [harness.memory(pid) for pid in pids]


def twenty_rescales_leave_no_trace(room):
    work = harness.work_for(40)
    at = room.start("bellows", "run", room.job(work))
    before = None
    room.runs_on(2)
    for number, ranks in enumerate(WALK, 1):
        room.scale(ranks).ends_with(0)
        no_zombie_stays(room)
        if number == 5:
            room.runs_on(2)
            before = what_they_hold(room)
    job = room.runs_on(2)
    after = what_they_hold(room, before[0])
    print(f"# descriptors {before[0]} -> {after[0]}, "
          f"KiB {before[1]} -> {after[1]}")
    assert all(now <= then + GROWTH
               for then, now in zip(before[1], after[1]))
    asked = [(entry["from"], entry["to"], entry["result"])
             for entry in job["history"]]
    room.finishes(at, work, 400)
    assert asked == [(a, b, "done") for a, b in zip([2] + WALK, WALK)], asked
    assert job["rescales"] == len(WALK) == 20


harness.main(twenty_rescales_leave_no_trace)
