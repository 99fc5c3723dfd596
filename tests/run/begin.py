#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bellows run` on behalf of a program that runs many jobs.  args: BIN"""

import fcntl
import os
import shutil
import signal
import stat

import harness

SHORT = harness.Work(1003, 20, 7)


def copied(room, path):
    """The job file in a folder that has nothing else."""
    os.mkdir(room.path("copies"))
    return shutil.copy(path, room.path("copies", "1.yaml"))


# ---- --folder ----

def a_copy_of_a_job_file_runs_as_the_file_does(room):
    copy = copied(room, room.job(SHORT, command=harness.flow(
        ["sh", "-c", 'pwd; exec parint "$@"', "parint", *SHORT.words])))
    at = room.run("bellows", "run", copy).ends_with(73).says(
        f"checkpoint.dir: {room.path('copies', 'ck')}: No such file")
    at = room.run("bellows", "run", copy, "--folder", ".").ends_with(0)
    assert harness.digest(at.output) == SHORT.digest()
    assert at.output.splitlines().count(room.folder) == 2, at.output


def a_folder_that_is_none_is_refused(room):
    path = room.job(SHORT)
    for folder, reason in (("none", "the folder none: No such file or directory"),
                           (path, f"the folder {path} is no directory")):
        room.run("bellows", "run", path, "--folder", folder).ends_with(65) \
            .says(f"bellows: {reason}")
    room.run("bellows", "run", "--folder", ".", "--name", "heat", "--", "true") \
        .ends_with(64).says("--folder is for a job file; ")


# ---- --want, --grant ----

def starts_of(job):
    return [(at["from"], at["to"]) for at in job["history"]], job["epoch"]


def a_job_begins_on_what_is_granted_of_what_it_wants(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work), "--want", 4, "--grant", 3)
    job = room.runs_on(3)
    assert (job["want"], job["grant"]) == (4, 3), job
    assert starts_of(job) == ([], 1), job
    room.finishes(at, work)
    at.says("running on 3 ranks")
    assert "on 2 ranks" not in at.errors and "on 4 ranks" not in at.errors


def a_job_begins_on_what_it_wants_within_a_grant_that_is_larger(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work), "--want", 1, "--grant", 9)
    job = room.runs_on(1)
    assert (job["want"], job["grant"]) == (1, 6), job
    assert starts_of(job) == ([], 1), job
    room.finishes(at, work)


def a_grant_is_rounded_to_a_size_that_the_application_accepts(room):
    path = room.job(harness.Work(1, 1, 1), app="generic",
                    command=harness.STUBBORN, ranks=(1, 1, 4),
                    generic="{files: ['*'], proof: none, ranks: [1, 2, 4]}")
    at = room.start("bellows", "run", path, "--want", 4, "--grant", 3)
    job = room.wait_job("it runs", lambda job: job["state"] == "running")
    assert (job["ranks"], job["want"], job["grant"]) == (2, 4, 2), job
    room.run("bellows", "cancel", "heat").ends_with(0)
    at.ends_with(130)


def numbers_that_the_job_cannot_have_are_64(room):
    path = room.job(SHORT, ranks=(3, 2, 6))
    for option, ranks, reason in (
            ("--want", 7, "7 is more than ranks.max, which is 6"),
            ("--want", 1, "1 is less than ranks.min, which is 2"),
            ("--grant", 1, "1 is less than ranks.min, which is 2")):
        for words in (("bellows", "run", path),
                      ("bellows-coordinator", "--job", path, "--state",
                       room.path("state", "heat"))):
            room.run(*words, option, ranks).ends_with(64).says(
                f"{option}: {reason}")
    assert not os.path.exists(room.path("state", "heat", "journal"))


# ---- --status ----

def status_of(room):
    path = room.path("status")
    assert os.stat(path).st_mode == stat.S_IFREG | 0o600
    return harness.read(path, "r")


def the_status_is_there_once_the_run_has_ended(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work), "--status",
                    room.write("status", "7\n"))
    room.runs_on(2)
    assert not os.path.exists(room.path("status"))
    room.finishes(at, work)
    assert status_of(room) == "0\n"


def is_free(lock):
    try:
        fcntl.lockf(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def a_run_whose_lock_is_free_has_its_status(room):
    at = room.start("bellows", "run", room.job(harness.lasting_work()),
                    "--status", "status")
    room.runs_on(2)
    with open(room.path("state", "heat", "run.lock"), "rb") as lock:
        assert not is_free(lock)
        at.tell(signal.SIGINT)
        room.wait("its lock is free", lambda: is_free(lock), again=0)
        assert status_of(room) == "75\n"
    at.ends_with(75)


def a_run_that_was_cancelled_has_its_status(room):
    at = room.start("bellows", "run", room.job(harness.lasting_work()),
                    "--status", "status")
    room.runs_on(2)
    again = room.path("status-of-another")
    room.run("bellows", "run", room.path("heat.yaml"), "--status", again) \
        .ends_with(71).says("job heat runs already")
    assert harness.read(again, "r") == "71\n"
    assert not os.path.exists(room.path("status"))
    room.run("bellows", "cancel", "heat").ends_with(0)
    at.ends_with(130)
    assert status_of(room) == "130\n"


def a_run_that_never_began_has_its_status(room):
    path = room.job(SHORT)
    wrong = room.write("wrong.yaml", "name: heat\n")
    for code, *words in ((65, wrong), (65, "none"), (64, path, "--want", 7),
                         (64, path, "--want", "x"), (64, path, "--ranks", 2),
                         (64,)):
        room.run("bellows", "run", "--status", "status", *words).ends_with(code)
        assert status_of(room) == f"{code}\n"
        os.remove(room.path("status"))


def without_a_place_for_its_status_a_run_does_not_begin(room):
    path = room.job(SHORT)
    for file, reason in (
            ("none/status", "none/status cannot be written in none: No such file"),
            ("ck", "--status: ck: Is a directory")):
        room.run("bellows", "run", path, "--status", file).ends_with(71).says(
            f"bellows: {reason}")
    assert os.listdir(room.state) == []


if __name__ == "__main__":
    harness.main(
        a_copy_of_a_job_file_runs_as_the_file_does,
        a_folder_that_is_none_is_refused,
        a_job_begins_on_what_is_granted_of_what_it_wants,
        a_job_begins_on_what_it_wants_within_a_grant_that_is_larger,
        a_grant_is_rounded_to_a_size_that_the_application_accepts,
        numbers_that_the_job_cannot_have_are_64,
        the_status_is_there_once_the_run_has_ended,
        a_run_whose_lock_is_free_has_its_status,
        a_run_that_was_cancelled_has_its_status,
        a_run_that_never_began_has_its_status,
        without_a_place_for_its_status_a_run_does_not_begin)
