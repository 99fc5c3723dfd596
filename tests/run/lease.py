#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing computes any more where others may have started.  args: BIN"""

import signal

import bed
import harness
from crew import Crew, resumed

STOPPED, COMPUTING, GONE = "T", "RSD", "ZX-"


def states(pids):
    """Of each, as the kernel has it."""
    return "".join((harness.stat(pid) or "-")[0] for pid in pids)


def are(pids, what):
    return set(states(pids)) <= set(what)


def a_host_that_is_cut_off_stands_still_before_others_start(room):
    work = harness.lasting_work()
    with bed.Bed(room, 3) as at:
        job = room.start("bellows", "run", "--hosts", at.file(), room.job(
            work, ranks=(2, 1, 3)))
        room.runs_on(2)
        room.scale(3).ends_with(0)
        room.runs_on(3)
        there = [pid for pid in room.ours("parint") if at.host_of(pid) == "n2"]
        assert len(there) == 1 and are(there, COMPUTING)
        at.obey("link", "n2", "down")
        room.wait("it stands still", lambda: are(there, STOPPED))
        room.computes_on(2)
        assert are(there, STOPPED), states(there)
        at.obey("link", "n2", "up")
        room.wait("what it had is ended", lambda: are(there, GONE))
        room.finishes(job, work).says("n2 was lost: no report for 3 s")


def a_coordinator_that_was_stopped_costs_that_while(room):
    work = harness.lasting_work()
    crew = Crew(room, room.job(work), 2).computes(2)
    ranks = room.ours("parint")
    crew.lead.tell(signal.SIGSTOP)
    room.wait("they stand still", lambda: are(ranks, STOPPED))
    crew.lead.tell(signal.SIGCONT)
    room.wait("they go on", lambda: are(ranks, COMPUTING))
    room.finishes(crew.lead, work)
    assert resumed(crew.lead) == [] and "was lost" not in crew.lead.errors
    crew.left("w0", "w1")


def the_time_until_one_is_lost_is_the_job_s(room):
    work = harness.lasting_work()
    crew = Crew(room, room.job(work, ranks=(2, 1, 2), lost_after="1s"),
                2).computes(2)
    crew.tell("w1", signo=signal.SIGSTOP)
    room.wait("the loss", lambda: "w1 was lost: no report for 1 s"
              in crew.lead.errors)
    room.computes_on(1)
    room.finishes(crew.lead, work)
    crew.tell("w1", signo=signal.SIGKILL)
    crew.left("w0")


harness.main(a_host_that_is_cut_off_stands_still_before_others_start,
             a_coordinator_that_was_stopped_costs_that_while,
             the_time_until_one_is_lost_is_the_job_s)
