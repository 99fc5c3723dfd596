#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Coordinator and executor as process 1 of a container.  args: BIN"""

import os
import shutil
import signal
import subprocess

import harness

UNSHARE = [shutil.which("unshare") or "unshare", "--pid", "--fork",
           "--mount-proc", "--kill-child"]
ORPHANS = """i=0
while [ $i -lt 20 ]; do
  i=$((i + 1))
  (sh -c 'sleep 0.01' &)
done
exec parint "$@" """


def unshare():
    for more in ([], ["--user", "--map-root-user"]):
        words = UNSHARE + more
        if subprocess.run(words + ["true"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            return words
    raise harness.Skip("needs the right to make a process namespace")


def contained(room, *words):
    """Starts a program as process 1; also says which process it is here."""
    at = room.start(*unshare(), os.path.join(harness.BIN, words[0]), *words[1:])

    def child():
        found = [pid for pid in harness.children(at.pid)
                 if words[0] in (harness.command(pid) or [""])[0]]
        return found or at.is_over()

    found = room.wait("process 1", child)
    return at, found[0] if found is not True else 0


def begin(room, path, *options, n=2):
    """A coordinator and n executors, each process 1 of its own namespace."""
    state = room.path("state", "c")
    lead = contained(room, "bellows-coordinator", "--job", path, "--state",
                     state, *options)
    address = room.wait("an address", lambda: harness.read(
        f"{state}/address", "r").strip())
    hands = []
    for number in range(n):
        os.mkdir(room.path(f"t{number}"))
        hands.append(contained(
            room, "bellows-executor", "--coordinator", address, "--name",
            f"w{number}", "--tmpdir", room.path(f"t{number}")))
    return lead, hands


def namespace_pid(pid):
    for line in harness.read(f"/proc/{pid}/status", "r").splitlines():
        if line.startswith("NSpid:"):
            return int(line.split()[-1])
    return 0


def shell(room, script, work):
    return room.job(work, command=harness.flow(
        ["sh", "-c", script, "parint", *work.words]))


def steps_are_made(room):
    room.wait("a step", lambda: "parint: iteration" in room.programs[0].output)


def as_process_1_they_run_a_job_to_its_end(room):
    work = harness.work_for(2)
    (lead, pid), hands = begin(room, room.job(work))
    assert [namespace_pid(at) for at in (pid, *(at for _, at in hands))] == \
        [1, 1, 1]
    assert harness.digest(lead.ends_with(0, 180).output) == work.digest()
    for hand, _ in hands:
        hand.ends_with(0)


def orphans_are_reaped(room):
    work = harness.work_for(4)
    (lead, pid), hands = begin(room, shell(room, ORPHANS, work))
    pids = [pid] + [at for _, at in hands]
    steps_are_made(room)
    room.wait("the burial of the dead", lambda: not harness.zombies(*pids))
    assert not lead.is_over()
    assert harness.digest(lead.ends_with(0, 180).output) == work.digest()


def the_exit_code_is_passed_on(room):
    (lead, _), hands = begin(room, shell(room, "exit 9", harness.work_for(2)))
    lead.ends_with(9)
    for hand, _ in hands:
        hand.ends_with(0)


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


def the_coordinator_saves_on_sigterm(room):
    (lead, pid), hands = begin(room, room.job(harness.work_for(60)), "--once")
    steps_are_made(room)
    os.kill(pid, signal.SIGTERM)
    lead.ends_with(75)
    for hand, _ in hands:
        hand.ends_with(0)
    assert os.path.exists(room.path("ck", "parint.ckpt"))
    assert not os.path.exists(room.path("state", "c", "ended"))


def an_executor_leaves_on_sigterm_and_the_job_goes_on_without_it(room):
    work = harness.work_for(60)
    (lead, pid), hands = begin(room, room.job(work))
    steps_are_made(room)
    os.kill(hands[1][1], signal.SIGTERM)
    hands[1][0].ends_with(0)
    room.wait("a start on one", lambda: "epoch=2 up ranks=1" in lead.errors)
    os.kill(pid, signal.SIGTERM)
    lead.ends_with(75)
    hands[0][0].ends_with(0)


harness.main(
    as_process_1_they_run_a_job_to_its_end,
    orphans_are_reaped,
    the_exit_code_is_passed_on,
    started_again_it_ends_as_the_job_did,
    the_coordinator_saves_on_sigterm,
    an_executor_leaves_on_sigterm_and_the_job_goes_on_without_it,
)
