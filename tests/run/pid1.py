#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Coordinator and executor as process 1 of a container.  args: BIN KIN

They are no inits that wrap one command, but what those must do they must do too
(init_suite.py), as far as it applies: docs/leaving.md says how.  Of the 255 exit
codes that are not 0 some are drawn by lot; BELLOWS_WHOLE=1: all.
"""

import os
import signal
import sys

import harness
from init_suite import (CONT, DEADLY, HUP, MANY, TERM, USR1, USR2, heard,
                        is_pending, scatter, unshare)

KIN = os.path.abspath(sys.argv.pop(2))
CODES = range(1, 256)
SOME_CODES = [1, 77, 126, 128, 137, 255, *harness.dice().sample(CODES, 6)]
PASSED_ON = (HUP, USR1, USR2, signal.SIGWINCH)
ORPHANS = """i=0
while [ $i -lt 20 ]; do
  i=$((i + 1))
  (sh -c 'sleep 0.01' &)
done
exec parint "$@" """


def contained(room, *words, given=()):
    """Starts a program as process 1; also says which process it is here."""
    at = room.start(*unshare(), *given, os.path.join(harness.BIN, words[0]),
                    *words[1:])

    def child():
        found = [pid for pid in harness.children(at.pid)
                 if words[0] in (harness.command(pid) or [""])[0]]
        return found or at.is_over()

    found = room.wait("process 1", child)
    return at, found[0] if found is not True else 0


def begin(room, path, *options, n=2, given=()):
    """A coordinator and n executors, each process 1 of its own namespace."""
    state = room.path("state", "c")
    lead = contained(room, "bellows-coordinator", "--job", path, "--state",
                     state, *options, given=given)
    address = room.wait("an address", lambda: harness.read(
        f"{state}/address", "r").strip())
    hands = []
    for number in range(n):
        os.makedirs(room.path(f"t{number}"), exist_ok=True)
        hands.append(contained(
            room, "bellows-executor", "--coordinator", address, "--name",
            f"w{number}", "--tmpdir", room.path(f"t{number}"), given=given))
    return lead, hands


def shell(room, script, work, **keys):
    return room.job(work, command=harness.flow(
        ["sh", "-c", script, "parint", *work.words]), **keys)


def kin(room, *words, ranks=2):
    """A job whose ranks are kin.c; it takes more words for nothing."""
    return room.job(harness.Work(1, 1, 1), ranks=(ranks, ranks, ranks),
                    command=harness.flow([KIN, *words]))


def steps_are_made(room):
    room.wait("a step", lambda: "parint: iteration" in room.programs[0].output)


def ranks_say(room, path, line, times):
    room.wait(f"{times} times {line}", lambda: harness.read(
        path, "r").splitlines().count(line) == times)


def tell_twice(room, pid, signo=TERM):
    os.kill(pid, signo)
    room.wait("the signal to be taken", lambda: not is_pending(pid, signo))
    os.kill(pid, signo)


def is_cancelled(room, lead, pid, hands):
    """Told to end twice; ranks that do not listen are killed."""
    tell_twice(room, pid, signal.SIGINT)
    lead.ends_with(130)
    for hand, _ in hands:
        hand.ends_with(0)


# ---- a job ----

def as_process_1_they_run_a_job_to_its_end(room):
    work = harness.lasting_work()
    (lead, pid), hands = begin(room, room.job(work))
    assert [harness.namespace_pid(at)
            for at in (pid, *(at for _, at in hands))] == [1, 1, 1]
    room.finishes(lead, work)
    for hand, _ in hands:
        hand.ends_with(0)


def the_exit_codes_of_the_application_are_passed_on(room):
    for code in harness.some(CODES, SOME_CODES):
        print(f"# {code}")
        (lead, _), hands = begin(room, kin(room, "exit", code, ranks=1), n=1)
        lead.ends_with(code)
        hands[0][0].ends_with(0)


def death_of_a_rank_by_a_signal_is_128_and_its_number(room):
    for signo in DEADLY:
        (lead, _), hands = begin(room, kin(room, "die", int(signo), ranks=1),
                                 n=1)
        lead.ends_with(128 + signo)
        hands[0][0].ends_with(0)


def started_again_it_ends_as_the_job_did(room):
    path = shell(room, "exit 9", harness.work_for(2))
    (lead, _), hands = begin(room, path, "--once")
    lead.ends_with(9)
    for hand, _ in hands:
        hand.ends_with(0)
    again, _ = contained(room, "bellows-coordinator", "--job", path, "--state",
                         room.path("state", "c"), "--once")
    again.ends_with(9)
    assert "the job has ended before, with 9" in again.errors
    os.remove(room.path("state", "c", "ended"))


# ---- orphans ----

def orphans_of_the_application_are_reaped(room):
    work = harness.lasting_work()
    (lead, pid), hands = begin(room, shell(room, ORPHANS, work))
    pids = [pid] + [at for _, at in hands]
    steps_are_made(room)
    room.wait("the burial of the dead", lambda: not harness.zombies(*pids))
    assert not lead.is_over()
    room.finishes(lead, work)


def a_hundred_orphans_are_reaped_by_each_of_them(room):
    """Of others than those that they have started; and once more, at once."""
    path = room.path("said")
    (lead, pid), hands = begin(room, kin(room, "stubborn", path))
    ranks_say(room, path, "ready", 2)
    for number, at in enumerate([pid] + [at for _, at in hands]):
        before = set(harness.children(at))
        scatter(room, at, KIN, MANY)
        room.wait("their burial", lambda at=at, before=before:
                  set(harness.children(at)) == before)
        burst(room, at, room.path(f"burst-{number}"), before)
        assert not harness.zombies(at)
    is_cancelled(room, lead, pid, hands)


def burst(room, pid, path, before):
    words = ["nsenter", "--target", str(pid), "--pid"]
    words += ["--user", "--preserve-credentials"] * (os.getuid() != 0)
    at = room.start(harness.shutil.which("nsenter"), *words[1:], KIN, "orphans",
                    path, MANY, 42)
    room.wait("orphans", lambda: "ready" in harness.read(path, "r"))
    assert len(set(harness.children(pid)) - before) == MANY
    maker = harness.children(at.pid)[0]
    os.kill(maker, USR1)
    room.wait("their burial", lambda: set(harness.children(pid)) == before)
    os.kill(maker, USR2)
    at.ends_with(42)


# ---- signals ----

def signals_are_passed_on_to_every_rank(room):
    path = room.path("heard")
    (lead, pid), hands = begin(room, kin(room, "hear", path))
    ranks_say(room, path, "ready", 2)
    room.wait("up", lambda: "-> running" in lead.errors)
    for number, signo in enumerate(PASSED_ON, 1):
        os.kill(pid, signo)
        room.wait(f"signal {signo}", lambda number=number:
                  len(heard(path)) == 2 * number)
    assert heard(path) == [int(signo) for signo in PASSED_ON for _ in range(2)]
    is_cancelled(room, lead, pid, hands)


def other_signals_end_neither_of_them(room):
    path = room.path("said")
    (lead, pid), hands = begin(room, kin(room, "stubborn", path))
    ranks_say(room, path, "ready", 2)
    for at in (pid, *(at for _, at in hands)):
        for signo in (signal.SIGALRM, signal.SIGPIPE, signal.SIGTSTP, CONT,
                      signal.SIGTTIN, signal.SIGTTOU, signal.SIGRTMIN + 3):
            os.kill(at, signo)
        room.wait("the signals to be taken", lambda at=at: not any(
            is_pending(at, signo) for signo in (signal.SIGALRM, CONT)))
        assert harness.stat(at)[0] not in "TZ"
    is_cancelled(room, lead, pid, hands)


def ranks_start_with_the_defaults_however_it_was_started(room):
    path = room.path("said")
    given = [KIN, "given", f"{int(HUP)},{int(USR1)}",
             f"{int(USR2)},{int(TERM)}"]
    (lead, _), hands = begin(room, kin(room, "signals", path), given=given)
    lead.ends_with(77)  # the ranks are no parint, and have no digest
    for hand, _ in hands:
        hand.ends_with(0)
    assert harness.read(path, "r").splitlines() == ["ready"] * 2


def the_coordinator_saves_on_sigterm_and_leaves_its_executors(room):
    (lead, pid), hands = begin(room, room.job(harness.work_for(60)), "--once")
    steps_are_made(room)
    os.kill(pid, signal.SIGTERM)
    lead.ends_with(75)
    for hand, at in hands:  # it would serve the next coordinator
        os.kill(at, signal.SIGTERM)
        hand.ends_with(128 + signal.SIGTERM)
    assert os.path.exists(room.path("ck", "parint.ckpt"))
    assert not os.path.exists(room.path("state", "c", "ended"))


def an_executor_leaves_on_sigterm_and_the_job_goes_on_without_it(room):
    work = harness.work_for(60)
    (lead, pid), hands = begin(room, room.job(work))
    steps_are_made(room)
    os.kill(hands[1][1], signal.SIGTERM)
    hands[1][0].ends_with(0)
    room.wait("a start on one", lambda: "epoch=2 up ranks=1" in lead.errors)
    os.kill(pid, signal.SIGINT)
    lead.ends_with(75)
    hands[0][0].ends_with(0)


def an_executor_that_is_told_twice_kills_ranks_that_ignore_it(room):
    path = room.path("said")
    script = f"echo parint: iteration 1 of 9 at 0.0; exec {KIN} stubborn {path}"
    (lead, pid), hands = begin(room, shell(
        room, script, harness.Work(1, 1, 1), ranks=(2, 2, 2)))
    ranks_say(room, path, "ready", 2)
    tell_twice(room, hands[1][1])
    hands[1][0].ends_with(143)
    os.kill(pid, signal.SIGINT)
    lead.ends_with(75)
    hands[0][0].ends_with(0)


harness.main(
    as_process_1_they_run_a_job_to_its_end,
    the_exit_codes_of_the_application_are_passed_on,
    death_of_a_rank_by_a_signal_is_128_and_its_number,
    started_again_it_ends_as_the_job_did,
    orphans_of_the_application_are_reaped,
    a_hundred_orphans_are_reaped_by_each_of_them,
    signals_are_passed_on_to_every_rank,
    other_signals_end_neither_of_them,
    ranks_start_with_the_defaults_however_it_was_started,
    the_coordinator_saves_on_sigterm_and_leaves_its_executors,
    an_executor_leaves_on_sigterm_and_the_job_goes_on_without_it,
    an_executor_that_is_told_twice_kills_ranks_that_ignore_it,
)
