#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which executor runs which rank.  args: BIN"""

import signal

import harness
from crew import Crew
from processes import number_of


def executor_of(pid):
    """The name of the executor that the process is below."""
    while pid > 1:
        words = harness.command(pid)
        if words and words[0].endswith("bellows-executor"):
            return words[words.index("--name") + 1]
        pid = (harness.stat(pid) or (None, 0))[1]
    return None


def layout(room):
    """The executor of each rank, as the processes are."""
    return {number_of(pid, "OMPI_COMM_WORLD_RANK"): executor_of(pid)
            for pid in room.ours("parint")}


def loses_the_second(room, **keys):
    """Five ranks on three executors; the second is lost, and a fourth comes.
    The layout then."""
    work = harness.lasting_work()
    path = room.job(work, ranks=(5, 5, 5), ranks_per_executor=2, **keys)
    crew = Crew(room, path, 3, "--slots", "2").computes(5)
    assert layout(room) == {0: "w0", 1: "w0", 2: "w1", 3: "w1", 4: "w2"}
    crew.hands.pop("w1").tell(signal.SIGKILL)
    crew.join("w3")
    room.runs_on(5, after=1)
    now = layout(room)
    crew.done(work)
    return now, crew


def ranks_move_up_where_the_profile_is_not_known(room):
    now, crew = loses_the_second(room)
    assert now == {0: "w0", 1: "w0", 2: "w2", 3: "w2", 4: "w3"}, now
    crew.lead.says("epoch=2 wiring up ranks=5 executors=3 moved=3")


def ranks_stay_where_they_are_where_it_is(room):
    now, crew = loses_the_second(room, placement="{profile: memory}")
    assert now == {0: "w0", 1: "w0", 2: "w2", 3: "w3", 4: "w2"}, now
    crew.lead.says("epoch=2 wiring up ranks=5 executors=3 moved=2")


harness.main(ranks_move_up_where_the_profile_is_not_known,
             ranks_stay_where_they_are_where_it_is)
