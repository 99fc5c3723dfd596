#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executors come when they come; the job starts once all are.  args: BIN"""

import os
import re
import time

import harness

STARTS = harness.some(100, 40)
WORK = harness.Work(1003, 20, 7, pace=1)  # its ranks keep what they load

print(f"# seed {harness.SEED}")


def start_cold(room, number):
    dice = harness.dice(number)
    ranks = dice.randint(1, 4)
    delays = sorted((dice.random() * 0.3, f"w{i}") for i in range(ranks))
    what = f"start {number}: {delays}"
    folder = room.path(f"s{number}")
    for name in ("", "ck", *(name for _, name in delays)):
        os.mkdir(os.path.join(folder, name))
    path = room.write(f"s{number}/heat.yaml", harness.read(
        room.job(WORK, ranks=(ranks, 1, 6)), "r"))
    at = room.start("bellows-coordinator", "--job", path, "--state",
                    room.path("state", f"s{number}"))
    hands = join(room, folder, delays, room.path("state", f"s{number}"))
    assert at.end() == 0, f"ended with {at.end()}: {what}"
    for hand in hands:
        assert hand.end() == 0, f"an executor ended with {hand.end()}: {what}"
    assert harness.digest(at.output) == WORK.digest(), what
    check_log(at.errors, ranks, what)


def join(room, folder, delays, state):
    """Executors at their moments, also before the coordinator listens."""
    began, hands = time.monotonic(), []
    for delay, name in delays:
        room.wait("its moment", lambda delay=delay:
                  time.monotonic() - began >= delay)
        hands.append(room.start(
            "bellows-executor", "--coordinator",
            f"unix:{state}/coordinator.sock", "--name", name, "--tmpdir",
            os.path.join(folder, name)))
    return hands


def check_log(log, ranks, what):
    told = re.findall(r"executor=\S+ (joined|ready)\b|epoch=(\d+) "
                      r"(wiring up|failed|up)\b", log)
    words = [first or f"{word} {epoch}" for first, epoch, word in told]
    assert words.count("wiring up 1") == 1, f"{words} {what}"
    before = words[:words.index("wiring up 1")]
    assert before.count("joined") == before.count("ready") == ranks, \
        f"{words} {what}"
    assert words[len(before):] == ["wiring up 1", "up 1"], f"{words} {what}"


def cold_starts_each_launch_once_and_with_all(room):
    for number in range(STARTS):
        start_cold(room, number)


harness.main(cold_starts_each_launch_once_and_with_all)
