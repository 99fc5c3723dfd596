#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What dies is survived, or ends everything.  args: BIN"""

import os
import signal
import time

import harness
from crew import resumed

LOST_AFTER = 3


# reads its input until the file is there
READS = """until [ -e {} ]; do sleep 0.05; done; exec "$0" "$@"
"""


def begun(room, work, *options, **keys):
    at = room.start("bellows", "run", room.job(work, **keys), *options)
    room.runs_on(keys.get("ranks", (2,))[0])
    return at


def kill(pid, signo=signal.SIGKILL):
    os.kill(pid, signo)


def executor(room, number):
    name = f"worker-{number}"
    return next(pid for pid in room.ours("bellows-executor")
                if name in harness.command(pid))


# ---- ranks and executors ----

def changes(job):
    """Of its size, with the starts that a loss cost."""
    return [(at["from"], at["to"]) for at in job["history"]
            if at["result"] == "done"]


def a_lost_executor_is_replaced_from_the_start_without_a_checkpoint(room):
    work = harness.lasting_work()
    at = begun(room, work)
    kill(executor(room, 1))
    done = changes(room.runs_on(2, after=1))
    assert done in ([(2, 2)], [(2, 1), (1, 2)]), done
    room.finishes(at, work).says("worker-1 was lost")
    assert len(resumed(at)) == len(done) - 1
    assert "parint: resumed at" not in harness.read(
        room.path("state", "heat", "epoch-2.stdout"), "r")
    told = harness.read(room.path("state", "heat", "monitor.log"), "r")
    _, _, since = told.partition('executor=worker-1 ended with="signal 9"')
    assert " starting worker-1" in since, told


# What follows the grow to 3 ranks: a start at that size, or, where an executor
# is replaced late, one without it and a grow.
AT_ONCE, BY_WAY_OF_2 = [(3, 3)], [(3, 2), (2, 3)]


def goes_on_from_its_checkpoint(room, lose, *ways):
    """A job that has grown to 3 ranks, of which something is lost."""
    work = harness.lasting_work()
    at = begun(room, work)
    room.scale(3).ends_with(0)
    epoch = room.runs_on(3)["epoch"]
    lose()
    done = changes(room.runs_on(3, after=epoch))
    assert done in [[(2, 3)] + way for way in ways], done
    room.finishes(at, work)
    steps = resumed(at)
    assert len(steps) == len(done) and steps[0] == steps[1], (steps, done)
    return at


def a_lost_executor_costs_what_came_after_the_checkpoint(room):
    goes_on_from_its_checkpoint(room, lambda: kill(executor(room, 1)), AT_ONCE,
                                BY_WAY_OF_2).says("worker-1 was lost")


def the_executor_of_rank_0_is_no_exception(room):
    goes_on_from_its_checkpoint(room, lambda: kill(executor(room, 0)), AT_ONCE,
                                BY_WAY_OF_2)


def an_executor_told_to_end_is_left_out_after_a_save(room):
    work = harness.lasting_work()
    at = begun(room, work)
    kill(executor(room, 1), signal.SIGTERM)
    room.runs_on(2, after=1)
    room.finishes(at, work)
    assert len(resumed(at)) == 2  # without it, and with its replacement


def an_executor_lost_while_the_job_grows_stops_nothing(room):
    work = harness.lasting_work()
    at = begun(room, work)
    room.run("bellows", "scale", "heat", 4).ends_with(0)
    room.wait("another executor",
              lambda: len(room.ours("bellows-executor")) > 2)
    kill(max(room.ours("bellows-executor")))
    room.runs_on(4, after=1)
    room.finishes(at, work)


def a_rank_killed_after_a_checkpoint_goes_on_from_it(room):
    goes_on_from_its_checkpoint(room, lambda: kill(max(room.ours("parint"))),
                                AT_ONCE)


def an_application_that_another_stops_goes_on_from_its_checkpoint(room):
    work = harness.lasting_work()
    at = begun(room, work)
    for pid in room.ours("parint"):
        kill(pid, signal.SIGUSR1)
    change = room.runs_on(2, after=1)["history"][-1]
    assert change["reason"] == "the application ended with 0 before its end"
    room.finishes(at, work)
    assert len(resumed(at)) == 1


def an_application_that_never_comes_to_its_end_fails_the_job(room):
    at = room.run("bellows", "run", room.job(
        harness.lasting_work(), command=harness.flow(["sh", "-c", "exit 0"])))
    at.ends_with(77)
    assert "the application ended with 0 before its end" in at.errors


def dies_before_the_first_step(room, die):
    work = harness.lasting_work()
    there = room.path("there")
    at = room.start("bellows", "run", room.job(work, command=harness.flow(
        ["sh", "-c", READS.format(there), "parint", *work.words])))
    for start in (1, 2):
        room.wait_job(f"start {start}", lambda job, start=start:
                      job["state"] == "running" and job["epoch"] >= start)
        if start == 1:
            die()
    room.write("there", "")
    room.finishes(at, work)


def an_executor_killed_before_the_first_step_is_a_loss(room):
    dies_before_the_first_step(room, lambda: kill(executor(room, 1)))


def an_executor_that_ends_before_the_first_step_is_a_loss(room):
    dies_before_the_first_step(
        room, lambda: kill(executor(room, 1), signal.SIGINT))


def a_daemon_killed_before_the_first_step_is_a_loss(room):
    dies_before_the_first_step(room, lambda: kill(max(room.ours("orted"))))


def an_mpiexec_killed_before_the_first_step_is_a_loss(room):
    dies_before_the_first_step(room, lambda: kill(room.the("mpiexec")))


def a_rank_killed_before_the_first_step_is_a_loss(room):
    dies_before_the_first_step(room, lambda: kill(max(room.ours("sh"))))


def ranks_that_die_again_and_again_end_the_job(room):
    work = harness.lasting_work()
    at = begun(room, work, restarts=1)
    for _ in range(2):
        epoch = room.runs_on(2)["epoch"]
        kill(max(room.ours("parint")))
        room.wait("another start or the end", lambda epoch=epoch:
                  at.is_over() or (room.status() or {"epoch": 0})["epoch"]
                  > epoch)
    at.ends_with(128 + signal.SIGKILL)


def a_killed_mpiexec_is_a_loss_like_any_other(room):
    goes_on_from_its_checkpoint(room, lambda: kill(room.the("mpiexec")),
                                AT_ONCE)


# ---- asked to stop ----

def suspended(room, at):
    at.ends_with(75).says("suspended")
    assert os.path.exists(room.path("ck", "parint.ckpt"))
    room.nothing_is_left()


def the_last_words_of_a_slow_executor_are_waited_for(room):
    work = harness.Work(10007, 100, 1, pace=500000)  # at once, without a pace
    at = begun(room, work, ranks=(1, 1, 1))
    slow = executor(room, 0)
    kill(slow, signal.SIGSTOP)
    room.pace(0)
    room.wait("the end of the rank", lambda: not room.ours("parint"))
    room.moment(LOST_AFTER + 1)
    kill(slow, signal.SIGCONT)
    room.finishes(at, work)
    assert resumed(at) == []


def an_mpiexec_that_hangs_after_its_ranks_is_a_loss_too(room):
    work = harness.lasting_work()
    at = begun(room, work)
    kill(room.the("mpiexec"), signal.SIGSTOP)
    for pid in room.ours("parint"):
        kill(pid)
    room.runs_on(2, after=1)
    room.finishes(at, work).says("mpiexec ended by signal 9")
    assert "it hangs, and is killed" in harness.read(
        room.path("state", "heat", "coordinator.log"), "r")


def daemons_and_ranks_killed_at_once_leave_no_shared_memory(room):
    work = harness.lasting_work()
    at = begun(room, work, ranks=(4, 2, 4), ranks_per_executor=2)
    shared = harness.segments()
    assert len(shared) == 2, shared
    # ranks first: without their daemon they end by themselves
    for pid in room.ours("parint") + room.ours("orted"):
        kill(pid)
    room.runs_on(4, after=1)
    room.finishes(at, work)
    assert not shared & harness.segments(), harness.segments()


def a_coordinator_told_to_end_saves_and_the_same_command_resumes(room):
    work = harness.lasting_work()
    at = begun(room, work)
    kill(room.the("bellows-coordinator"), signal.SIGTERM)
    at.ends_with(75).says("the job is saved, and the same command goes on")
    room.nothing_is_left()
    again = room.start("bellows", "run", room.path("heat.yaml"))
    room.finishes(again, work)
    assert len(resumed(again)) == 1


def interrupted_the_job_saves_and_the_same_command_resumes(room):
    work = harness.lasting_work()
    at = begun(room, work)
    at.tell(signal.SIGINT)
    suspended(room, at)
    again = room.start("bellows", "run", room.path("heat.yaml"))
    room.finishes(again, work)


def interrupted_amid_a_rescale_the_job_saves_too(room):
    work = harness.lasting_work()
    at = begun(room, work)
    room.run("bellows", "scale", "heat", 4).ends_with(0)
    at.tell(signal.SIGTERM)
    suspended(room, at)
    again = room.start("bellows", "run", room.path("heat.yaml"))
    room.finishes(again, work)


def told_twice_it_is_cancelled(room):
    at = begun(room, harness.Work(1, 1, 1), command=harness.STUBBORN)
    pid = room.the("bellows-coordinator")
    kill(pid, signal.SIGINT)
    room.wait_job("saving", lambda job: job["state"] == "saving")
    kill(pid, signal.SIGINT)
    at.ends_with(130).says("cancelled")


def cancelled_it_ends_at_once(room):
    at = begun(room, harness.work_for(60))
    room.run("bellows", "cancel", "heat").ends_with(0)
    at.ends_with(130).says("cancelled")


# ---- the coordinator and the command ----

def a_killed_coordinator_leaves_no_process(room):
    at = begun(room, harness.work_for(60))
    kill(room.the("bellows-coordinator"))
    assert at.end() not in (0, 75, 130)
    room.stale = harness.KILLED
    room.nothing_is_left(60)


def executors_outlive_a_killed_coordinator_for_their_patience_only(room):
    work = harness.work_for(60)
    state = room.path("state", "c")
    room.start("bellows-coordinator", "--job", room.job(work), "--state",
               state)
    room.wait("an address", lambda: os.path.exists(f"{state}/address"))
    hands = []
    for number in range(2):
        tmp = room.path(f"t{number}")
        os.mkdir(tmp)
        hands.append(room.start(
            "bellows-executor", "--coordinator",
            harness.read(f"{state}/address", "r").strip(), "--name",
            f"w{number}", "--patience", 1, "--tmpdir", tmp))
    room.wait("ranks", lambda: len(room.ours("parint")) == 2)
    room.wait("a step", lambda: "iteration" in room.programs[0].output)
    before = time.monotonic()
    kill(room.the("bellows-coordinator"))
    for hand in hands:
        hand.ends_with(69, 30).says("not reached for 1 s")
    assert time.monotonic() - before > 0.9
    room.stale = harness.KILLED
    room.nothing_is_left()
    assert not os.listdir(room.path("t0")) and not os.listdir(room.path("t1"))


def after_a_killed_coordinator_the_same_command_runs_the_job(room):
    work = harness.lasting_work()
    at = begun(room, work)
    room.scale(3).ends_with(0)
    kill(room.the("bellows-coordinator"))
    at.end()
    again = room.start("bellows", "run", room.path("heat.yaml"))
    room.finishes(again, work)
    assert len(resumed(again)) == 1


def a_killed_run_leaves_nothing(room):
    at = begun(room, harness.work_for(60))
    at.tell(signal.SIGKILL)
    room.wait("the end of all", lambda: not room.ours(), 90)
    room.nothing_is_left()


def a_killed_monitor_is_replaced_and_the_job_goes_on(room):
    work = harness.lasting_work()
    at = begun(room, work)
    kill(room.the("bellows-monitor"))
    room.wait_job("another start", lambda job: job["epoch"] > 1
                  and job["state"] == "running")
    room.scale(3).ends_with(0)
    room.finishes(at, work)


# ---- checkpoints that do not come ----

def a_save_deadline_that_passes_drops_the_rescale(room):
    at = begun(room, harness.Work(1, 1, 1), command=harness.STUBBORN,
               checkpoint="{dir: ck, deadline: 1s}")
    asked = room.scale(3)
    asked.ends_with(76)
    assert "no complete checkpoint was written" in asked.output + asked.errors
    job = room.runs_on(2)
    assert job["epoch"] == 1
    room.wait_job("more steps", lambda now: now["step"] > job["step"])
    room.run("bellows", "cancel", "heat").ends_with(0)
    at.ends_with(130)


harness.main(
    a_lost_executor_is_replaced_from_the_start_without_a_checkpoint,
    a_lost_executor_costs_what_came_after_the_checkpoint,
    the_executor_of_rank_0_is_no_exception,
    an_executor_told_to_end_is_left_out_after_a_save,
    an_executor_lost_while_the_job_grows_stops_nothing,
    a_rank_killed_after_a_checkpoint_goes_on_from_it,
    an_application_that_another_stops_goes_on_from_its_checkpoint,
    an_application_that_never_comes_to_its_end_fails_the_job,
    an_executor_killed_before_the_first_step_is_a_loss,
    an_executor_that_ends_before_the_first_step_is_a_loss,
    a_daemon_killed_before_the_first_step_is_a_loss,
    an_mpiexec_killed_before_the_first_step_is_a_loss,
    a_rank_killed_before_the_first_step_is_a_loss,
    ranks_that_die_again_and_again_end_the_job,
    a_killed_mpiexec_is_a_loss_like_any_other,
    the_last_words_of_a_slow_executor_are_waited_for,
    an_mpiexec_that_hangs_after_its_ranks_is_a_loss_too,
    daemons_and_ranks_killed_at_once_leave_no_shared_memory,
    a_coordinator_told_to_end_saves_and_the_same_command_resumes,
    interrupted_the_job_saves_and_the_same_command_resumes,
    interrupted_amid_a_rescale_the_job_saves_too,
    told_twice_it_is_cancelled,
    cancelled_it_ends_at_once,
    a_killed_coordinator_leaves_no_process,
    executors_outlive_a_killed_coordinator_for_their_patience_only,
    after_a_killed_coordinator_the_same_command_runs_the_job,
    a_killed_run_leaves_nothing,
    a_killed_monitor_is_replaced_and_the_job_goes_on,
    a_save_deadline_that_passes_drops_the_rescale,
)
