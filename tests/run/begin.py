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


if __name__ == "__main__":
    harness.main(
        a_copy_of_a_job_file_runs_as_the_file_does,
        a_folder_that_is_none_is_refused)
