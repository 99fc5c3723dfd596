#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark against the ideal: what it takes for ideal, and that a cell of
it is measured by real jobs; and that of a queue, by a short one.  args: BIN"""

import glob
import importlib.util
import os
import re
import sys
import types

import harness

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench")
sys.path.insert(1, BENCH)
import decisions  # noqa: E402  pylint: disable=wrong-import-position
import model  # noqa: E402  pylint: disable=wrong-import-position

KUB = os.path.join(BENCH, "kub")
QUEUE_LOAD = os.path.join(BENCH, "queue-load")
PATIENCE = 240
# Three jobs of a few seconds: on 2 ranks, on 4, and from 2 to 4.
SHORT = ["--bin", harness.BIN, "--app", "parint", "--nloop", "32", "-n", "1",
         "--length", "8", "--array-size", "2000000"]


def cell(name):
    return next(at for at in model.rescaled() if at.name == name)


def the_ideal_pays_each_part_at_its_own_speed(_room):
    alone = {2: 100.0, 4: 50.0, 6: 40.0}
    assert abs(cell("2->4@30%").ideal(alone) - 65) < 1e-9
    assert abs(cell("2->6@70%").ideal(alone) - 82) < 1e-9
    assert abs(cell("4->6@50%").ideal(alone) - 45) < 1e-9
    assert model.fixed()[2].ideal(alone) == 40.0


def kub_is_compared_with_its_own_ideal(_room):
    # 0.3 * 478 + 0.7 * 200 = 283.4 of 330 s; 0.7 * 200 + 0.3 * 166 of 188 s
    assert round(cell("2->4@30%").kub("gromacs"), 3) == 0.859
    assert round(cell("4->6@70%").kub("gromacs"), 3) == 1.010
    assert model.fixed()[0].kub("gromacs") != model.fixed()[0].kub("gromacs")


def a_cell_alone_takes_the_sizes_that_it_needs_with_it(_room):
    names = [at.name for at in model.needed(["4->6@50%"])]
    assert names == ["4", "6", "4->6@50%"], names
    assert len(model.needed(None)) == 12


def judged(forced, grew):
    """What is told of a cell that takes 100 s without a rescale."""
    at, free = model.decided(["2->4@30%"])[1:]

    def runs(seconds):
        return [types.SimpleNamespace(wall=seconds, pause=1.0,
                                      decision=(grew, 0.25, "a reason"))]
    return decisions.Judged(at, {"2": runs(100.0), at.name: runs(forced),
                                 free.name: runs(100.0)})


def a_decision_is_wrong_only_where_more_than_the_limit_is_at_stake(_room):
    for forced, grew, right in (
            (96.0, True, "1 of 1"), (96.0, False, "0 of 1"),
            (97.5, True, "either"), (97.5, False, "either"),
            (102.5, True, "either"), (102.5, False, "either"),
            (104.0, True, "0 of 1"), (104.0, False, "1 of 1")):
        row = judged(forced, grew).row()
        assert row[4] == f"{100 - forced:+.1f} %" and row[7] == right, row


def what_the_monitor_stated_last_is_the_decision(_room):
    held = decisions.Held(model.decided(["2->4@30%"])[2])
    held.granted = 0.31
    held.stated = [(0.1, 4, "first"), (0.2, 2, "second"), (0.4, 4, "third"),
                   (0.9, 4, "fourth")]
    assert held.decision([2, 4]) == (True, 0.4, "third")
    held.stated = held.stated[:2]
    assert held.decision([2]) == (False, 0.2, "second")
    try:
        held.decision([2, 4])
    except decisions.Failed as failure:
        assert "stated" in str(failure)
    else:
        raise AssertionError("it grew, and nobody stated that")


def groups():
    return set(glob.glob("/sys/fs/cgroup/**/bellows-bed-bench-*",
                         recursive=True))


def need_root():
    if os.getuid() != 0:
        raise harness.Skip("control groups need root")
    if not glob.glob("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") and \
            not os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        raise harness.Skip("no control groups that limit a processor")


def a_cell_is_measured_beside_its_ideal(room):
    need_root()
    before = groups()
    at = room.run(KUB, *SHORT, "--plain", "--only", "2->4@30%", "--dir",
                  room.path("tmp"), patience=PATIENCE).ends_with(0)
    row = re.search(r"^\| 2 -> 4 at 30 % \| 1 \|(.*)\|$", at.output, re.M)
    assert row, at.output
    taken, ideal, share = (float(text) for text in row[1].split("|")[:3])
    assert taken > 1 and ideal > 1 and abs(ideal / taken - share) < 0.01, row[0]
    ours = set(re.findall(r"bench-\d+", " ".join(groups() - before)))
    assert f"bench-{at.pid}" not in ours, ours


def what_benefit_decides_is_measured_beside_what_is_right(room):
    need_root()
    if not importlib.util.find_spec("grpc"):
        raise harness.Skip("no grpc for Python here")
    at = room.run(KUB, *SHORT, "--decide", "--only", "2->4@50%", "--share", "0.8", "--length",
                  "4", "--dir", room.path("tmp"),
                  patience=PATIENCE).ends_with(0)
    row = re.search(r"^\| 2 -> 4 at 50 % \| 1 \|(.*)\|$", at.output, re.M)
    assert row, at.output
    alone, forced, gain = row[1].split("|")[:3]
    off = 100 * (1 - float(forced) / float(alone))
    assert abs(float(gain.strip(" %")) - off) < 0.1, row[0]
    assert re.search(r"^- 2->4@50%: (.*2 -> 4: \S+ s are left, gain \S+ \+- "
                     r"\S+ s, price \S+ s|its steps were not measured .*)$",
                     at.output, re.M), at.output


def what_was_made_is_removed_when_it_is_interrupted(room):
    need_root()
    at = room.start(KUB, *SHORT, "--plain", "--length", "60", "--dir",
                    room.path("tmp"), start_new_session=True)
    name = f"bellows-bed-bench-{at.pid}"
    room.wait("a rank", lambda: room.ours("parint"))
    assert any(name in path for path in groups())
    at.tell(harness.signal.SIGINT)
    assert at.end() == 1
    assert not any(name in path for path in groups())


def a_user_who_is_not_root_gets_a_sentence(room):
    if os.getuid() != 0:
        user = []
    else:
        user = ["/usr/bin/setpriv", "--reuid", "65534", "--clear-groups"]
    words = [*user, KUB, *SHORT, "--bin", harness.BIN]
    at = room.run(words[0], *words[1:])
    assert at.end() == 1
    at.says("need root")


def the_time_from_a_free_slot_to_its_grant_is_measured_by_real_jobs(room):
    at = room.run(QUEUE_LOAD, harness.BIN, "--running", 2, "--queued", 5,
                  "--ends", 3, "--each", 0.2, "--span", 0.1, "--asks", 1,
                  "--restarts", 1, patience=PATIENCE).ends_with(0)
    rows = re.findall(r"^\| jobs that it (\w+): from a free slot to its grant "
                      r"\| (\d+) \| (\S+) \| (\S+) \| (\S+) \|$",
                      at.output, re.M)
    assert [row[:2] for row in rows] == [("started", "3"), ("adopted", "1")], \
        at.output
    for row in rows:
        p50, p99, largest = map(float, row[2:])
        assert 0 <= p50 <= p99 <= largest < PATIENCE, row
    memory = re.search(r"^\| memory with all jobs, PSS and RSS, MiB "
                       r"\| (\S+), (\S+) \|$", at.output, re.M)
    assert 0 < float(memory[1]) <= float(memory[2]), at.output


harness.main(the_ideal_pays_each_part_at_its_own_speed,
             kub_is_compared_with_its_own_ideal,
             a_cell_alone_takes_the_sizes_that_it_needs_with_it,
             a_decision_is_wrong_only_where_more_than_the_limit_is_at_stake,
             what_the_monitor_stated_last_is_the_decision,
             a_cell_is_measured_beside_its_ideal,
             what_benefit_decides_is_measured_beside_what_is_right,
             what_was_made_is_removed_when_it_is_interrupted,
             a_user_who_is_not_root_gets_a_sentence,
             the_time_from_a_free_slot_to_its_grant_is_measured_by_real_jobs)
