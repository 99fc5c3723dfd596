#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bellows run` on behalf of a program that runs many jobs.  args: BIN"""

import os
import shutil

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


if __name__ == "__main__":
    harness.main(
        a_copy_of_a_job_file_runs_as_the_file_does,
        a_folder_that_is_none_is_refused,
        a_job_begins_on_what_is_granted_of_what_it_wants,
        a_job_begins_on_what_it_wants_within_a_grant_that_is_larger,
        a_grant_is_rounded_to_a_size_that_the_application_accepts,
        numbers_that_the_job_cannot_have_are_64)
