#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters that are loaded.  args: BIN MODULE...

The modules are those of tests/unit/some_adapter.c: parint by another name, and
some that something is wrong with.
"""

import os
import re
import shutil
import sys

import harness
import job_queue

MODULES = {os.path.basename(path): os.path.abspath(path)
           for path in sys.argv[2:]}
del sys.argv[2:]


def module(room, name):
    """A copy in the room's folder, which is open to nobody else."""
    path = room.path(name)
    shutil.copyfile(MODULES[name], path)
    os.chmod(path, 0o600)
    return path


def job(room, work, **keys):
    return room.job(work, app="some", **keys)


def a_job_of_a_loaded_adapter_is_rescaled(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", "--adapter", module(room, "good.so"),
                    job(room, work))
    room.runs_on(2)
    room.scale(3).ends_with(0)
    room.finishes(at, work)
    assert "parint: resumed at iteration" in at.output


def a_job_of_a_queue_runs_by_an_adapter_of_its_scheduler(room):
    good = module(room, "good.so")
    queue = job_queue.Queue(room, 4, "--adapter", good)
    queue.ask("submit", job(room, job_queue.SHORT), "--adapter", good)
    queue.wait("it is done", lambda jobs: jobs["heat"]["state"] == "done")
    queue.end()


def an_executor_without_the_adapter_says_that_it_lacks_it(room):
    good = module(room, "good.so")
    path = job(room, harness.Work(1003, 200000, 7), ranks=(1, 1, 1))
    address = "unix:" + room.path("c.sock")
    state = room.path("state", "heat")
    os.mkdir(state, 0o700)
    coordinator = room.start("bellows-coordinator", "--job", path, "--state",
                             state, "--listen", address, "--adapter", good)
    room.wait("the coordinator", lambda: os.path.exists(room.path("c.sock")))
    room.run("bellows-executor", "--coordinator", address, "--name", "w0",
             "--tmpdir", room.tmp).ends_with(71).says(
                 "app: 'some' is unknown; one of ",
                 "or one that this program is given by --adapter FILE")
    executor = room.start("bellows-executor", "--coordinator", address,
                          "--name", "w1", "--tmpdir", room.tmp, "--adapter",
                          good)
    room.runs_on(1)
    room.run("bellows", "cancel", "heat").ends_with(0)
    coordinator.ends_with(130)
    executor.ends_with(0)


def every_program_refuses_an_adapter_with_64_and_the_reason(room):
    path = job(room, harness.Work(1003, 20, 7))
    older, crashes = module(room, "older.so"), module(room, "crashes.so")
    for words in (["bellows", "run", path], ["bellows", "validate", path],
                  ["bellows-coordinator", "--job", path, "--check"],
                  ["bellows-executor", "--coordinator", "unix:/none"],
                  ["bellows-monitor", "--job", path, "--coordinator",
                   "unix:/none"]):
        at = room.run(*words, "--adapter", older).ends_with(64)
        at.says(f"adapter {older}: is for ABI 1 of adapters, this program")
        assert at.output == "" and len(at.errors.splitlines()) == 1, at.errors
        room.run(*words, "--adapter", crashes).ends_with(64).says(
            f"adapter {crashes}: cannot be loaded: it crashed: SIGSEGV")


def validate_knows_what_it_has_loaded(room):
    good = module(room, "good.so")
    path = job(room, harness.Work(1003, 20, 7), settings="{speed: 1}")
    room.run("bellows", "validate", path).ends_with(65).says(
        "'some' is unknown; one of ")
    at = room.run("bellows", "validate", "--adapter", good, "--schema")
    assert re.search("one of .*, some;", at.ends_with(0).output)
    room.run("bellows", "validate", "--adapter", good, path).ends_with(65) \
        .says("heat.yaml:2: app: speed at 1: No such file or directory")


harness.main(
    a_job_of_a_loaded_adapter_is_rescaled,
    a_job_of_a_queue_runs_by_an_adapter_of_its_scheduler,
    an_executor_without_the_adapter_says_that_it_lacks_it,
    every_program_refuses_an_adapter_with_64_and_the_reason,
    validate_knows_what_it_has_loaded,
)
