#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two coordinators that have one checkpoint directory.  args: BIN

What a coordinator of another host would have written is written here by hand, or
by a coordinator that sees another name of the host and another boot of its kernel.
"""

import os
import signal
import subprocess

import harness
from crew import Crew

ELSEWHERE = "00000000-0000-4000-8000-000000000000"


def folder(room):
    return room.path("ck", "bellows-owner")


def numbers(room):
    """Of the records that are there."""
    if not os.path.isdir(folder(room)):
        return []
    return sorted(int(name[6:]) for name in os.listdir(folder(room))
                  if name.startswith("owner-"))


def record(room, number):
    return harness.read(os.path.join(folder(room), f"owner-{number}"), "r")


def write(room, number, state, pid=4711):
    """A coordinator of another host has that number."""
    os.makedirs(folder(room), mode=0o700, exist_ok=True)
    path = os.path.join(folder(room), "by-hand")
    with open(path, "w", encoding="ascii") as file:
        file.write("bellows-owner 1\njob heat\nhost far-away\n"
                   f"boot {ELSEWHERE}\npid {pid}\n"
                   "incarnation 0000000000000001\nsince 1763769600000\n"
                   f"state /nowhere\nis {state}\n")
    os.rename(path, os.path.join(folder(room), f"owner-{number}"))


def has_record(room, number, state):
    room.wait(f"record {number} says {state}", lambda:
              record(room, number).endswith(f"\nis {state}\n"))


AWAY = ("mount --bind $0 /proc/sys/kernel/random/boot_id && "
        "hostname far-away && exec $@")


class Alone:
    """A coordinator with a state directory of its own.

    prefix: words before its own."""

    def __init__(self, room, path, name, prefix=()):
        self.room = room
        self.state = room.path("state", name)
        room.prefix = list(prefix)
        self.program = room.start("bellows-coordinator", "--job", path,
                                  "--state", self.state)
        room.prefix = []

    def listens(self):
        return os.path.exists(os.path.join(self.state, "address"))

    def ends(self, code):
        self.program.tell(signal.SIGTERM)
        return self.program.ends_with(code)


# ---- on one machine ----

def a_second_run_is_refused_with_the_first_ones_name_and_process(room):
    work = harness.lasting_work()
    first = room.start("bellows", "run", room.job(work))
    room.runs_on(2)
    owner = room.the("bellows-coordinator")
    before = record(room, 1)
    again = room.job(work, name="other", ranks=(1, 1, 1))
    room.run("bellows", "run", again).ends_with(71).says(
        f"checkpoint.dir {room.path('ck')} belongs to job heat, which runs on "
        f"this machine as process {owner} (state directory "
        f"{room.path('state', 'heat')}): end that job first, or give this one "
        "a checkpoint directory of its own")
    assert numbers(room) == [1] and record(room, 1) == before
    room.finishes(first, work)


def after_a_kill_the_next_one_takes_over_without_another_wait(room):
    work = harness.lasting_work()
    crew = Crew(room, room.job(work), 2).computes(2)
    first = crew.lead
    os.kill(first.pid, signal.SIGKILL)
    first.end()
    assert record(room, 1).endswith("\nis lives\n")
    crew.lead = crew.begin()
    room.runs_on(2, after=1)
    for word in ("may still run", "may compute"):
        assert word not in crew.lead.errors, crew.lead.errors
    room.wait("the record of the dead is removed", lambda:
              numbers(room) == [2])
    crew.done(work)


def without_its_journal_it_waits_for_the_ranks_of_the_dead_one(room):
    path = room.job(harness.lasting_work())
    first = Alone(room, path, "a")
    room.wait("it listens", first.listens)
    os.kill(first.program.pid, signal.SIGKILL)
    first.program.end()
    room.stale = harness.KILLED
    second = Alone(room, path, "b")
    room.wait("it listens", second.listens)
    second.program.says("ranks of the coordinator before may compute for up to "
                        "2.0 s: waiting")
    second.ends(75)
    has_record(room, 2, "left ranks=none")


def of_two_that_begin_at_once_one_has_the_directory(room):
    path = room.job(harness.lasting_work())
    for _ in range(8):
        both = [Alone(room, path, name) for name in "ab"]
        room.wait("one listens, one is refused", lambda:
                  sorted((at.listens(), at.program.is_over())
                         for at in both) == [(False, True), (True, False)])
        for at in both:
            if at.program.is_over():
                at.program.ends_with(71).says("belongs to job heat")
            else:
                at.ends(75)


def a_saved_job_goes_on_in_another_state_directory_at_once(room):
    path = room.job(harness.lasting_work())
    first = Alone(room, path, "a")
    room.wait("it listens", first.listens)
    first.ends(75)
    has_record(room, 1, "left ranks=none")
    second = Alone(room, path, "b")
    room.wait("it listens", second.listens)
    for word in ("may still run", "may compute"):
        assert word not in second.program.errors, second.program.errors
    second.ends(75)


def a_done_job_leaves_no_record(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work))
    room.runs_on(2)
    assert numbers(room) == [1]
    assert os.stat(folder(room)).st_mode & 0o777 == 0o700
    room.finishes(at, work)
    assert not os.path.exists(folder(room))


# ---- on several ----

def on_another_host(room):
    """The words that have a program see one."""
    words = ["unshare", "-mu", "--propagation", "private"]
    if subprocess.run([*words, "true"], stderr=subprocess.DEVNULL,
                      check=False).returncode:
        raise harness.Skip("needs the right to mount")
    return [*words, "sh", "-c", AWAY, room.write("boot", ELSEWHERE + "\n")]


def the_job_goes_over_to_a_coordinator_of_another_host(room):
    path = room.job(harness.lasting_work())
    here = Alone(room, path, "a")
    room.wait("it listens", here.listens)
    room.stale = harness.KILLED
    there = Alone(room, path, "b", on_another_host(room))
    here.program.ends_with(71).says(
        f"another coordinator, process {there.program.pid} of host far-away, "
        "has taken checkpoint.dir")
    room.wait("it listens", there.listens)
    there.program.says(f"process {here.program.pid} of host {os.uname()[1]}: "
                       "waiting until it has left")
    assert numbers(room)[-1] == 2
    there.ends(75)


def one_that_finds_a_newer_owner_stops_and_leaves_the_job_alone(room):
    crew = Crew(room, room.job(harness.lasting_work()), 2).computes(2)
    room.stale = harness.KILLED
    write(room, 2, "lives")
    crew.lead.ends_with(71).says(
        "another coordinator, process 4711 of host far-away, has taken "
        f"checkpoint.dir {room.path('ck')}: this one leaves the job alone")
    assert " cancelled" not in crew.lead.errors
    has_record(room, 1, "left")
    has_record(room, 2, "lives")
    crew.tell("w0", "w1")
    for hand in crew.hands.values():
        hand.ends_with(128 + signal.SIGTERM)


def the_owner_on_another_host_is_waited_for_until_it_has_left(room):
    path = room.job(harness.lasting_work())
    write(room, 7, "lives")
    at = Alone(room, path, "a")
    room.wait("it claims the directory", lambda: numbers(room) == [7, 8])
    room.wait("it says so", lambda: "may still run" in at.program.errors)
    at.program.says("job heat may still run in checkpoint.dir "
                    f"{room.path('ck')}, as process 4711 of host far-away: "
                    "waiting until it has left, 3 min 00 s at the most")
    room.moment(2.5, at.listens)  # two looks
    assert not at.listens()
    write(room, 7, "left ranks=none")
    room.wait("it listens", at.listens)
    assert "may compute" not in at.program.errors
    room.wait("nobody waits for record 7", lambda: numbers(room) == [8])
    at.ends(75)


def one_that_has_left_ranks_behind_costs_their_lease_too(room):
    write(room, 1, "lives")
    at = Alone(room, room.job(harness.lasting_work()), "a")
    room.wait("it waits", lambda: "may still run" in at.program.errors)
    write(room, 1, "left")
    room.wait("it listens", at.listens)
    at.program.says("ranks of the coordinator before may compute")
    at.ends(75)


def a_record_that_cannot_be_read_is_waited_for(room):
    os.mkdir(folder(room), 0o700)
    room.write("ck/bellows-owner/owner-3", "bellows-owner 1\njob he")
    at = Alone(room, room.job(harness.lasting_work()), "a")
    room.wait("it waits", lambda: "record owner-3 cannot be read: waiting "
              "until it has left" in at.program.errors)
    at.ends(75)
    has_record(room, 4, "left ranks=none")
    assert os.path.exists(os.path.join(folder(room), "owner-3"))


def a_wait_is_told_by_bellows_run_and_ends_by_a_signal(room):
    write(room, 1, "lives")
    at = room.start("bellows", "run", room.job(harness.lasting_work()))
    room.wait("it is told", lambda: "may still run" in at.errors)
    at.tell(signal.SIGINT)
    at.ends_with(130)
    assert numbers(room) == [1, 2]
    has_record(room, 1, "lives")
    has_record(room, 2, "left ranks=none")


def of_two_that_wait_the_later_one_has_the_directory(room):
    path = room.job(harness.lasting_work())
    write(room, 1, "lives")
    first = Alone(room, path, "a")
    room.wait("it claims the directory", lambda: numbers(room) == [1, 2])
    write(room, 3, "lives")
    first.program.ends_with(71).says("far-away, has taken")
    has_record(room, 2, "left ranks=none")


# ---- the folder ----

def a_folder_that_is_removed_is_made_again(room):
    at = Alone(room, room.job(harness.lasting_work()), "a")
    room.wait("it listens", at.listens)
    before = record(room, 1)
    room.run("/bin/rm", "-r", folder(room)).ends_with(0)
    room.wait("its record is there again", lambda: numbers(room) == [1])
    assert record(room, 1) == before
    second = Alone(room, room.path("heat.yaml"), "b")
    second.program.ends_with(71).says("belongs to job heat")
    at.ends(75)


def a_folder_that_is_a_link_is_refused(room):
    os.mkdir(room.path("elsewhere"))
    os.symlink(room.path("elsewhere"), folder(room))
    at = Alone(room, room.job(harness.lasting_work()), "a")
    at.program.ends_with(73).says(
        f"{folder(room)}: it is no directory; remove it")
    assert os.listdir(room.path("elsewhere")) == []


def a_folder_of_another_user_is_refused(room):
    if os.getuid() != 0:
        raise harness.Skip("only root can give a folder away")
    os.mkdir(folder(room), 0o700)
    os.chown(folder(room), 12345, 12345)
    at = Alone(room, room.job(harness.lasting_work()), "a")
    at.program.ends_with(73).says(
        f"{folder(room)}: it belongs to another user (12345)")
    assert numbers(room) == []


# ---- the journal ----

def another_state_directory_goes_on_with_the_journal(room):
    work = harness.lasting_work()
    journal = room.path("ck", "bellows-journal")
    crew = Crew(room, room.job(work), 2, listen=("--journal", journal))
    crew.computes(2)
    room.run("bellows", "scale", "heat", 3).ends_with(0)
    crew.join("w2")
    crew.computes(3)
    os.kill(crew.lead.pid, signal.SIGKILL)
    crew.lead.end()
    assert os.stat(journal).st_mode & 0o777 == 0o700
    os.rename(crew.state, room.path("gone"))  # as an emptyDir with its pod
    crew.lead = crew.begin()
    now = room.runs_on(3, after=2)
    crew.lead.says("taking over at 3 ranks, running, after start 2")
    assert [(at["from"], at["to"]) for at in now["history"]] == \
        [(2, 3), (3, 3)], now["history"]
    crew.done(work)
    told = room.run("bellows-coordinator", "--history", "--state", crew.state,
                    "--journal", journal).ends_with(0)
    assert "another coordinator took over" in told.output
    room.run("bellows-coordinator", "--history", "--state",
             crew.state).ends_with(71).says("there is no journal")


harness.main(
    a_second_run_is_refused_with_the_first_ones_name_and_process,
    after_a_kill_the_next_one_takes_over_without_another_wait,
    without_its_journal_it_waits_for_the_ranks_of_the_dead_one,
    of_two_that_begin_at_once_one_has_the_directory,
    a_saved_job_goes_on_in_another_state_directory_at_once,
    a_done_job_leaves_no_record,
    the_job_goes_over_to_a_coordinator_of_another_host,
    one_that_finds_a_newer_owner_stops_and_leaves_the_job_alone,
    the_owner_on_another_host_is_waited_for_until_it_has_left,
    one_that_has_left_ranks_behind_costs_their_lease_too,
    a_record_that_cannot_be_read_is_waited_for,
    a_wait_is_told_by_bellows_run_and_ends_by_a_signal,
    of_two_that_wait_the_later_one_has_the_directory,
    a_folder_that_is_removed_is_made_again,
    a_folder_that_is_a_link_is_refused,
    a_folder_of_another_user_is_refused,
    another_state_directory_goes_on_with_the_journal,
)
