#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing computes any more where others may have started.  args: BIN"""

import os
import signal

import bed
import harness
from crew import Crew, resumed

# rank 1 has a child, which outlives it
WITH_A_CHILD = """[ $OMPI_COMM_WORLD_RANK = 1 ] && sleep 1000 &
i=0
while :; do
  i=$((i + 1))
  [ $OMPI_COMM_WORLD_RANK = 0 ] && echo "step $i of 100000"
  sleep 0.1
done"""

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


def a_name_is_free_at_once_when_no_rank_of_its_holder_is_left(room):
    work = harness.lasting_work()
    crew = Crew(room, room.job(work, ranks=(2, 2, 2), lost_after="60s"),
                2).computes(2)
    ranks = [pid for pid in room.ours("parint")
             if harness.number_of(pid, "BELLOWS_RANK") == 1]
    assert len(ranks) == 1
    crew.tell("w1", signo=signal.SIGKILL)
    os.kill(ranks[0], signal.SIGKILL)  # as with the end of a container
    crew.join("w1")
    room.wait("it is taken", lambda: "executor=w1 joined again"
              in crew.lead.errors)
    room.finishes(crew.lead, work)
    crew.left("w0", "w1")


def a_name_is_leased_while_a_child_of_a_rank_is_left(room):
    path = room.write("heat.yaml", f"""name: heat
app: generic
command: {harness.flow(["sh", "-c", WITH_A_CHILD])}
ranks: {{initial: 2, min: 2, max: 2}}
checkpoint: {{dir: ck}}
generic:
  files: [state]
  progress: "^step ([0-9]+) of ([0-9]+)$"
  save: {{signal: SIGUSR1, to: all}}
""")
    crew = Crew(room, path, 2).computes(2)
    child = room.wait("the child", lambda: [
        pid for pid in room.ours("sleep") if "1000" in harness.read(
            f"/proc/{pid}/cmdline", "r").split("\0")])
    former = crew.hands["w1"]
    former.tell(signal.SIGKILL)
    former.end()
    crew.join("w1")
    room.wait("it is lost", lambda: "executor=w1 lost" in crew.lead.errors)
    assert are(child, COMPUTING)
    crew.hands["w1"].says("has no place for it yet: ALREADY_EXISTS")
    os.kill(child[0], signal.SIGKILL)
    room.wait("it joins", lambda: crew.lead.errors.count(
        "executor=w1 joined") == 2)
    room.run("bellows", "cancel", "heat").ends_with(0)
    crew.lead.ends_with(130)
    crew.left("w0", "w1")


harness.main(a_host_that_is_cut_off_stands_still_before_others_start,
             a_coordinator_that_was_stopped_costs_that_while,
             the_time_until_one_is_lost_is_the_job_s,
             a_name_is_free_at_once_when_no_rank_of_its_holder_is_left,
             a_name_is_leased_while_a_child_of_a_rank_is_left)
