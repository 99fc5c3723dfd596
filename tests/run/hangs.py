#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""File systems that do not answer.  args: BIN FAILING LOGS

LOGS is the module of tests/unit/some_adapter.c that is parint with a log,
some.log.  What hangs is a call of failing.c.
"""

import os
import re
import shutil
import signal
import sys
import time

import harness
from crew import Crew

FAILING, LOGS = [os.path.abspath(sys.argv.pop(2)) for _ in range(2)]
LOST_AFTER = 2  # seconds


def can_hang(room):
    """Calls of all that is started from now on."""
    room.env.update(LD_PRELOAD=FAILING, HANGING=room.path("hanging"))


def hanging(room, call, path):
    """From now on calls of executors with a path that begins so hang."""
    room.write("new", f"bellows-executor {call} {path}\n")
    os.rename(room.path("new"), room.path("hanging"))


def hang(room, call, path):
    """The same; waits until one hangs."""
    hanging(room, call, path)
    room.wait("a call that hangs", lambda: f" {call} {path}" in
              harness.read(room.path("hanging.met"), "r"))


def answer(room):
    os.unlink(room.path("hanging"))


def computes_on(room, start=1):
    """The ranks of that start have made no way for others."""
    before = room.status()
    assert before["state"] == "running" and before["epoch"] == start, before
    now = room.wait_job("more steps", lambda job: job["step"] > before["step"])
    assert now["epoch"] == start, now


def followed(room, work):
    """Two executors; that of rank 0 follows a log."""
    can_hang(room)
    module = room.path("logs.so")  # open to nobody else
    shutil.copyfile(LOGS, module)
    os.chmod(module, 0o600)
    path = room.job(work, app="some", lost_after=f"{LOST_AFTER}s")
    words = ("--adapter", module)
    return Crew(room, path, 2, *words, listen=words).computes(2)


def an_executor_whose_read_hangs_keeps_its_place_and_computes_on(room):
    work = harness.lasting_work()
    crew = followed(room, work)
    hang(room, "open", room.path("some.log"))
    until = time.monotonic() + 2 * LOST_AFTER
    while time.monotonic() < until:
        computes_on(room)
    room.run("bellows", "scale", "heat", 3).ends_with(0)
    crew.join("w2")
    crew.computes(3)
    room.finishes(crew.lead, work)
    assert "was lost" not in crew.lead.errors
    crew.left("w0", "w1", "w2")  # though no call has returned
    told = re.findall(r"epoch=(\d) the log \S+ does not answer: (its last lines|"
                      "what is written before it does)",
                      "".join(hand.errors for hand in crew.hands.values()))
    # of the first start its end, of the second its beginning, and its end if
    # the release of its executor takes longer than two seconds
    assert told[:2] == [("1", "its last lines"),
                        ("2", "what is written before it does")], told
    assert told[2:] in ([], [("2", "its last lines")]), told


def one_whose_read_was_slow_reads_on(room):
    work = harness.lasting_work()
    room.write("some.log", "")
    crew = followed(room, work)
    with open(room.path("some.log"), "a", encoding="utf-8") as file:
        file.write("parint: iteration 1999999 of 2000000\n")
        hang(room, "pread", room.path("some.log"))
    computes_on(room)
    ranks = room.ours("parint")
    for rank in ranks:  # a step of theirs would take the place of that one
        os.kill(rank, signal.SIGSTOP)
    answer(room)
    room.wait_job("a line of the log", lambda job: job["step"] == 1999999)
    for rank in ranks:
        os.kill(rank, signal.SIGCONT)
    room.finishes(crew.lead, work)
    crew.left("w0", "w1")


def an_executor_whose_read_hangs_stops_its_ranks_when_its_lease_is_over(room):
    work = harness.lasting_work()
    crew = followed(room, work)
    ranks = room.ours("parint")
    hang(room, "open", room.path("some.log"))
    crew.lead.tell(signal.SIGSTOP)
    room.wait("they stand still", lambda: {
        (harness.stat(rank) or "-")[0] for rank in ranks} == {"T"})
    crew.lead.tell(signal.SIGKILL)
    crew.lead.end()
    crew.lead = crew.begin()
    room.runs_on(2, after=1)  # the log that hangs is given up
    assert not set(ranks) & set(room.ours("parint"))
    crew.done(work)


def a_save_whose_look_hangs_is_given_up_and_the_job_computes_on(room):
    work = harness.lasting_work()
    can_hang(room)
    at = room.start("bellows", "run", room.job(
        work, checkpoint="{dir: ck, deadline: 2s}",
        lost_after=f"{LOST_AFTER}s"))
    room.runs_on(2)
    hanging(room, "open", room.path("ck", "parint.ckpt"))
    asked = room.scale(3)
    asked.ends_with(76)
    assert "no complete checkpoint was written within 2.0 s" in \
        asked.output + asked.errors
    assert harness.read(room.path("hanging.met"))
    computes_on(room)
    answer(room)
    room.runs_on(3, after=1)  # the rescale is made again
    room.finishes(at, work)
    assert "was lost" not in at.errors


def a_temporary_directory_that_does_not_answer_is_told(room):
    work = harness.lasting_work()
    can_hang(room)
    crew = Crew(room, room.job(work, lost_after=f"{LOST_AFTER}s"), 2)
    crew.computes(2)
    hanging(room, "open", room.path("t-w0"))
    room.run("bellows", "scale", "heat", 3).ends_with(0)
    crew.join("w2")
    crew.computes(3)
    assert harness.read(room.path("hanging.met"))  # before the start
    room.wait_job("its trouble", lambda job: re.search(
        rf"temporary directory {room.path('t-w0')}/\S+: it does not answer$",
        job["disk"]))
    computes_on(room, 2)
    answer(room)
    room.wait_job("all is well", lambda job: job["disk"] == "")
    room.finishes(crew.lead, work)
    assert "was lost" not in crew.lead.errors
    crew.left("w0", "w1", "w2")


def one_whose_folder_hangs_when_it_joins_can_be_told_to_leave(room):
    work = harness.lasting_work()
    can_hang(room)
    crew = Crew(room, room.job(work), 2).computes(2)
    hanging(room, "access", room.folder)
    late = crew.join("late")
    room.wait("a call that hangs", lambda: harness.read(
        room.path("hanging.met")))
    late.tell(signal.SIGTERM)
    late.ends_with(0).says("leaving: it wanted to leave, and has no ranks")
    answer(room)
    room.finishes(crew.lead, work)
    crew.left("w0", "w1")


harness.main(
    an_executor_whose_read_hangs_keeps_its_place_and_computes_on,
    one_whose_read_was_slow_reads_on,
    an_executor_whose_read_hangs_stops_its_ranks_when_its_lease_is_over,
    a_save_whose_look_hangs_is_given_up_and_the_job_computes_on,
    a_temporary_directory_that_does_not_answer_is_told,
    one_whose_folder_hangs_when_it_joins_can_be_told_to_leave,
)
