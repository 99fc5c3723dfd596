#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An executor that is told to leave is left out in time.  args: BIN"""

import glob
import os
import re
import shutil
import signal

import harness
from crew import Crew, resumed, steps_of


# saves when it likes, each second
PERIODIC = """trap 'exit 9' TERM
i=$(cat ck/state 2>/dev/null || echo 0)
echo "from $i"
while [ $i -lt 80 ]; do
  i=$((i + 1))
  echo "step $i of 80"
  if [ $OMPI_COMM_WORLD_RANK = 0 ] && [ $((i % 20)) = 0 ]; then
    echo $i >ck/new && mv ck/new ck/state
  fi
  sleep 0.05
done"""


# ---- an executor leaves ----

def an_executor_told_to_leave_is_released_and_no_step_is_lost(room):
    work = harness.lasting_work(steps=True)
    crew = Crew(room, room.job(work, ranks=(3, 1, 3)), 3).computes(3)
    crew.tell("w1")
    crew.left("w1")
    crew.lead.says("w1 leaves")
    crew.done(work)
    assert len(resumed(crew.lead)) == 1
    assert steps_of(crew.lead) == list(range(1, work.iterations + 1))


def the_executor_of_rank_0_may_leave_too(room):
    work = harness.lasting_work(steps=True)
    crew = Crew(room, room.job(work), 2).computes(2)
    crew.tell("w0")
    crew.left("w0")
    crew.done(work)
    assert steps_of(crew.lead) == list(range(1, work.iterations + 1))


def two_that_leave_at_once_are_one_shrink(room):
    work = harness.lasting_work(steps=True)
    crew = Crew(room, room.job(work, ranks=(4, 1, 4)), 4).computes(4)
    crew.tell("w0", "w3")
    crew.left("w0", "w3")
    job = room.wait_job("2 ranks that are to be 4 again", lambda job:
                        job["ranks"] == 2 and job["state"] == "growing")
    rescales = [(at["from"], at["to"], at["result"]) for at in job["history"]]
    assert rescales == [(4, 2, "done"), (2, 4, "")], rescales
    assert job["shortfall"] == "2 of 4 executors are ready"
    crew.done(work)
    assert len(resumed(crew.lead)) == 1
    assert steps_of(crew.lead) == list(range(1, work.iterations + 1))


def an_executor_that_leaves_amid_a_grow_is_left_out_of_it(room):
    work = harness.lasting_work()
    crew = Crew(room, room.job(work), 2).computes(2)
    room.run("bellows", "scale", "heat", 4).ends_with(0)
    crew.join("w2")
    crew.tell("w1")
    crew.left("w1")
    crew.done(work)


def when_all_leave_the_job_waits_for_others(room):
    work = harness.lasting_work(steps=True)
    crew = Crew(room, room.job(work, ranks=(2, 2, 2)), 2).computes(2)
    crew.tell("w0", "w1")
    crew.left("w0", "w1")
    job = room.wait_job("waiting", lambda job: job["state"] == "waiting")
    assert job["executors_wanted"] == 2
    assert not os.path.exists(room.path("ck", "parint.ckpt.tmp"))
    crew.join("w2")
    crew.join("w3")
    crew.done(work)
    assert steps_of(crew.lead) == list(range(1, work.iterations + 1))


def a_job_that_needs_a_leaving_executor_waits_for_another(room):
    work = harness.lasting_work(steps=True)
    crew = Crew(room, room.job(work, ranks=(2, 2, 2)), 2).computes(2)
    crew.tell("w1")
    crew.left("w1")
    crew.join("w1")
    crew.done(work)
    assert steps_of(crew.lead) == list(range(1, work.iterations + 1))


def a_wait_for_others_ends_in_69(room):
    path = room.job(harness.work_for(60), ranks=(1, 1, 1), wait_deadline="1s")
    crew = Crew(room, path, 1).computes(1)
    crew.tell("w0")
    crew.left("w0")
    crew.lead.ends_with(69)


# ---- what does not fit ----

def a_checkpoint_that_does_not_come_in_time_is_said(room):
    path = room.job(harness.Work(1, 1, 1), command=harness.STUBBORN, ranks=(2, 1, 2))
    crew = Crew(room, path, 2, "--grace", 8).computes(2)
    crew.tell("w1")
    crew.left("w1")
    room.wait_job("one rank", lambda job: job["ranks"] == 1
                  and job["state"] == "growing")
    crew.lead.says("no new checkpoint in time")
    crew.lead.tell(signal.SIGINT)
    room.wait_job("saving", lambda job: job["state"] == "saving")
    crew.lead.tell(signal.SIGINT)
    crew.lead.ends_with(130)
    crew.left("w0")


def an_application_that_saves_by_itself_goes_on_from_its_newest_checkpoint(room):
    path = room.write("heat.yaml", "".join(f"{line}\n" for line in (
        "name: heat", "app: generic",
        f"command: {harness.flow(['sh', '-c', PERIODIC])}",
        "ranks: {initial: 2, min: 1, max: 2}", "checkpoint: {dir: ck}",
        "generic: {files: [state], progress: 'step ([0-9]+) of ([0-9]+)'}")))
    crew = Crew(room, path, 2)
    room.wait("a checkpoint", lambda: os.path.exists(room.path("ck", "state")))
    crew.tell("w1")
    crew.left("w1")
    crew.lead.says("taking the newest checkpoint")
    crew.lead.ends_with(0)
    crew.left("w0")
    began = [int(step) for step in
             re.findall(r"^from (\d+)$", crew.lead.output, re.M)]
    assert began[:2] == [0, 0] and len(began) == 3
    assert began[2] > 0 and began[2] % 20 == 0


def nobody_waits_longer_than_the_grace(room):
    crew = Crew(room, room.job(harness.work_for(60)), 2, "--grace", 1)
    crew.computes(2)
    crew.lead.tell(signal.SIGSTOP)
    crew.tell("w1")
    crew.hands["w1"].ends_with(128 + signal.SIGTERM).says(
        "not released within 1 s")
    assert not os.listdir(room.path("t-w1"))
    crew.lead.tell(signal.SIGCONT)
    crew.lead.tell(signal.SIGINT)
    crew.lead.ends_with(75)
    crew.left("w0")


def told_twice_an_executor_ends_at_once(room):
    path = room.job(harness.Work(1, 1, 1), command=harness.STUBBORN, ranks=(2, 1, 2))
    crew = Crew(room, path, 2).computes(2)
    crew.tell("w1")
    room.wait("it heard", lambda: "told to leave" in crew.hands["w1"].errors)
    crew.tell("w1")
    crew.hands["w1"].ends_with(128 + signal.SIGTERM)
    room.run("bellows", "cancel", "heat").ends_with(0)
    crew.lead.ends_with(130)
    crew.left("w0")


def without_a_coordinator_an_executor_ends_at_once(room):
    tmp = room.path("t")
    os.mkdir(tmp)
    hand = room.start("bellows-executor", "--coordinator",
                      f"unix:{room.path('nobody')}", "--name", "w0",
                      "--tmpdir", tmp)
    room.wait("its directory", lambda: os.listdir(tmp))
    hand.tell(signal.SIGTERM)
    hand.ends_with(128 + signal.SIGTERM)


def what_a_killed_executor_leaves_goes_when_another_begins(room):
    def begin():
        return room.start("bellows-executor", "--coordinator",
                          f"unix:{room.path('nobody')}", "--name", "w0",
                          "--tmpdir", tmp)

    def gates():
        return set(glob.glob(os.path.join(tmp, "bx-*", "gate")))

    tmp = room.path("t")
    os.mkdir(tmp)
    killed, living = begin(), begin()
    room.wait("two directories", lambda: len(gates()) == 2)
    before = gates()
    killed.tell(signal.SIGKILL)
    killed.ends_with(-signal.SIGKILL)
    third = begin()
    room.wait("its directory", lambda: gates() - before)
    assert len(os.listdir(tmp)) == 2, os.listdir(tmp)
    for hand in (living, third):
        hand.tell(signal.SIGTERM)
        hand.ends_with(128 + signal.SIGTERM)
    assert not os.listdir(tmp)


# ---- its directory for temporary files is removed ----

def scratch_of(room, name):
    """Of an executor."""
    path, = glob.glob(room.path(f"t-{name}", "bx-*"))
    return path


def lose_scratch(room, name):
    """It is removed, and a file gets its name."""
    path = scratch_of(room, name)
    shutil.rmtree(path)
    room.write(os.path.relpath(path, room.path("")), "")
    return path


def one_that_is_removed_is_made_again_before_the_next_start(room):
    work = harness.lasting_work()
    crew = Crew(room, room.job(work), 2).computes(2)
    path = scratch_of(room, "w1")
    shutil.rmtree(room.path("t-w1"))
    os.unlink(os.path.join(scratch_of(room, "w0"), "gate"))
    crew.join("w2")
    room.scale(3).ends_with(0)
    assert scratch_of(room, "w1") == path
    assert os.stat(path).st_mode & 0o777 == 0o700
    crew.hands["w1"].says(f"{path} was removed: it is made again")
    crew.computes(3).done(work)
    assert not os.listdir(room.path("t-w1"))


def a_removed_folder_for_shared_memory_is_made_again_too(room):
    work = harness.lasting_work()
    path = room.job(work, ranks=(4, 1, 6), ranks_per_executor=2)
    crew = Crew(room, path, 2, "--slots", 2).computes(4)
    word = b"OMPI_MCA_btl_vader_backing_directory="
    folders = {os.fsdecode(at.removeprefix(word))
               for pid in room.ours("parint")
               for at in harness.environment(pid)
               if at.startswith(word)}
    assert len(folders) == 2, folders
    for folder in folders:
        shutil.rmtree(folder)
    crew.join("w2")
    room.scale(6).ends_with(0)
    assert all(os.path.isdir(folder) for folder in folders)
    crew.computes(6).done(work)


def without_one_an_executor_asks_for_its_release(room):
    work = harness.lasting_work()
    crew = Crew(room, room.job(work), 2).computes(2)
    path = lose_scratch(room, "w1")
    crew.join("w2")
    reason = f"{path} was removed and cannot be made again: a file has its name"
    asked = room.scale(3)
    crew.left("w1")
    asked.ends_with(76)
    crew.hands["w1"].says(reason)
    crew.lead.says(f"w1: temporary directory {reason}", "w1 leaves")
    room.scale(2)  # or it would wait for a third executor, again and again
    crew.computes(2).done(work)


def the_first_sigterm_does_not_end_one_that_has_asked_already(room):
    path = room.job(harness.Work(1, 1, 1), command=harness.STUBBORN, ranks=(2, 1, 3))
    crew = Crew(room, path, 2).computes(2)
    hand = crew.hands["w1"]
    lose_scratch(room, "w1")
    crew.join("w2")
    room.run("bellows", "scale", "heat", 3).ends_with(0)
    room.wait("it asks", lambda: "no rank can be started here" in hand.errors)
    crew.tell("w1")
    room.wait("it heard", lambda: "told to leave: it has asked for that "
              "already" in hand.errors)
    crew.tell("w1")
    hand.ends_with(128 + signal.SIGTERM)
    room.run("bellows", "cancel", "heat").ends_with(0)
    crew.lead.ends_with(130)
    crew.left("w0", "w2")


# ---- all of the job ----

def told_in_any_order_the_whole_job_saves_and_ends(room):
    for first in (True, False):
        work = harness.lasting_work()
        crew = Crew(room, room.job(work), 2).computes(2)
        if first:
            crew.lead.tell(signal.SIGTERM)
        crew.tell("w1", "w0")
        if not first:
            room.wait("it heard", lambda crew=crew:
                      "told to leave" in crew.hands["w0"].errors)
            crew.lead.tell(signal.SIGTERM)
        crew.lead.ends_with(75)
        for hand in crew.hands.values():  # with its release, or too late for it
            assert hand.end() in (0, 128 + signal.SIGTERM)
        assert os.path.exists(room.path("ck", "parint.ckpt"))
        again = Crew(room, crew.path, 2)
        again.done(work)
        assert len(resumed(again.lead)) == 1
        os.unlink(room.path("ck", "parint.ckpt"))


harness.main(
    an_executor_told_to_leave_is_released_and_no_step_is_lost,
    the_executor_of_rank_0_may_leave_too,
    two_that_leave_at_once_are_one_shrink,
    an_executor_that_leaves_amid_a_grow_is_left_out_of_it,
    when_all_leave_the_job_waits_for_others,
    a_job_that_needs_a_leaving_executor_waits_for_another,
    a_wait_for_others_ends_in_69,
    a_checkpoint_that_does_not_come_in_time_is_said,
    an_application_that_saves_by_itself_goes_on_from_its_newest_checkpoint,
    nobody_waits_longer_than_the_grace,
    told_twice_an_executor_ends_at_once,
    without_a_coordinator_an_executor_ends_at_once,
    what_a_killed_executor_leaves_goes_when_another_begins,
    one_that_is_removed_is_made_again_before_the_next_start,
    a_removed_folder_for_shared_memory_is_made_again_too,
    without_one_an_executor_asks_for_its_release,
    the_first_sigterm_does_not_end_one_that_has_asked_already,
    told_in_any_order_the_whole_job_saves_and_ends,
)
