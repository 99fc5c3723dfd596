#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, read-only, slow or gone, and checkpoints that are torn.

args: BIN COUNTER FAILING
"""

import os
import re
import signal
import subprocess
import sys

import counted
import harness
from mounts import full, mounted, remount

FAILING = os.path.abspath(sys.argv.pop(2))
KEPT = "bellows-kept"
LARGE = 100003  # numbers of a job: 0.8 MB a checkpoint


def begun(room, work, **keys):
    at = room.start("bellows", "run", room.job(work, **keys))
    room.runs_on(2)
    return at


def dropped(room, reason, ranks=3):
    """A rescale ends with the old size, for that reason, and ranks go on."""
    asked = room.scale(ranks)
    asked.ends_with(76)
    assert reason in asked.output + asked.errors, asked.output + asked.errors
    job = room.runs_on(2)
    assert reason in job["history"][-1]["result"], job["history"][-1]
    room.wait_job("more steps", lambda now: now["step"] > job["step"])


def stays(room, ranks=2):
    """The job is not to have another size any more."""
    room.scale(ranks)
    room.runs_on(ranks)


def is_told(room, sentence):
    room.wait_job(sentence, lambda job: sentence in job["disk"])


def is_well(room):
    room.wait_job("all is well", lambda job: job["disk"] == "")


def rescaled(room, ranks=3):
    room.scale(ranks).ends_with(0)
    room.runs_on(ranks)


def checkpoint(room):
    return harness.read(room.path("ck", "parint.ckpt"))


# ---- the checkpoint directory ----

def where_no_checkpoint_can_be_written_the_size_stays(room):
    work = harness.lasting_work(size=LARGE)
    with mounted(room.path("ck"), "size=5m"):
        at = begun(room, work, checkpoint="{dir: ck, keep: one}")
        rescaled(room, 3)
        rescaled(room, 2)
        before = checkpoint(room)
        with full(room.path("ck")):
            dropped(room, "No space left on device")
            is_told(room, f"checkpoint directory {room.path('ck')}: "
                    "No space left on device")
            assert checkpoint(room) == before
            stays(room)
        is_well(room)
        remount(room.path("ck"), "ro")
        # no executor that comes would be fit for it, so fewer are asked for
        dropped(room, "Read-only file system", 1)
        is_told(room, "Read-only file system")
        assert checkpoint(room) == before
        remount(room.path("ck"), "rw")
        is_well(room)
        rescaled(room, 3)
        room.finishes(at, work).says(
            "No space left on device", "Read-only file system",
            "the checkpoint directory can be written again")


def the_second_checkpoint_gives_way_to_the_next_one(room):
    work = harness.lasting_work(size=LARGE)
    with mounted(room.path("ck"), "size=2500k"):
        at = begun(room, work)
        rescaled(room, 3)
        room.wait("a copy", lambda: os.path.exists(room.path("ck", KEPT, "1")))
        rescaled(room, 2)
        room.wait("links, where there is no room for a copy", lambda:
                  "is kept as hard links" in harness.read(room.path(
                      "state", "heat", "coordinator.log"), "r"))
        for ranks in (3, 2):
            rescaled(room, ranks)
        room.finishes(at, work)
        assert not os.path.exists(room.path("ck", KEPT))


def a_directory_that_is_gone_is_told(room):
    work = harness.lasting_work()
    at = begun(room, work)
    os.rename(room.path("ck"), room.path("gone"))
    dropped(room, "No such file or directory", 1)
    is_told(room, "No such file or directory")
    os.rename(room.path("gone"), room.path("ck"))
    is_well(room)
    rescaled(room)
    room.finishes(at, work)


def one_that_is_unmounted_costs_no_step(room):
    work = harness.lasting_work()
    with mounted(room.path("ck"), "size=20m"):
        at = begun(room, work)
        rescaled(room, 3)
        subprocess.run(["umount", "-l", room.path("ck")], check=True)
        rescaled(room, 2)
        room.finishes(at, work)
    assert checkpoint(room)


def errors_of_a_disk_drop_the_rescale(room):
    work = harness.lasting_work()
    room.env["FAILING"] = room.path("failing")
    at = begun(room, work, environment={"LD_PRELOAD": FAILING})
    for code, reason in ((5, "Input/output error"),
                         (116, "Stale file handle"),
                         (122, "Disk quota exceeded")):
        room.write("failing", str(code))
        dropped(room, reason)
        stays(room)
    os.unlink(room.path("failing"))
    rescaled(room)
    room.finishes(at, work)


def a_save_that_takes_too_long_is_dropped_and_comes_later(room):
    work = harness.lasting_work()
    at = begun(room, work, checkpoint="{dir: ck, deadline: 2s}")
    slow = max(room.ours("parint"))
    os.kill(slow, signal.SIGSTOP)
    asked = room.scale(3)
    asked.ends_with(76)
    reason = ("no complete checkpoint was written within 2.0 s "
              f"(checkpoint.deadline): {room.path('ck')}")
    assert reason in asked.output + asked.errors
    job = room.status()
    assert job["state"] == "running" and job["ranks"] == 2
    assert job["epoch"] == 1
    stays(room)
    os.kill(slow, signal.SIGCONT)
    room.wait_job("the late one is gone on from", lambda now:
                  now["state"] == "running" and now["epoch"] > 1)
    room.runs_on(2)
    room.finishes(at, work)


def ranks_that_end_without_a_checkpoint_do_not_end_the_job(room):
    at = room.start("bellows", "run", counting(room))
    room.runs_on(2)
    rescaled(room, 3)
    room.write("how", "not")
    room.scale(2).end()
    os.unlink(room.path("how"))
    room.runs_on(2)
    counted.has_its_sum(room, at, 2)
    assert "ended with 0 and no checkpoint, told to save" in \
        harness.read(room.path("state", "heat", "coordinator.log"), "r")


# ---- the state directory, temporary files ----

def a_full_state_directory_ends_nothing(room):
    work = harness.lasting_work(steps=True)
    with mounted(room.state, "size=100m,mode=700"):
        at = begun(room, work)
        with full(room.state):
            dropped(room, "No space left on device", 1)
            is_told(room, "No space left on device")
        is_well(room)
        rescaled(room)
        room.finishes(at, work)
        assert at.output.count("parint: iteration") >= work.iterations
        room.nothing_is_left()


def one_that_is_read_only_ends_nothing(room):
    work = harness.lasting_work()
    at = begun(room, work)
    folder = room.path("state", "heat")
    # a process that has a file open goes on writing to it
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        # those of executors that come are in it, so fewer are asked for
        dropped(room, "Read-only file system", 1)
        is_told(room, f"state directory {folder}: Read-only file system")
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
    is_well(room)
    rescaled(room)
    room.finishes(at, work)


def a_full_directory_for_temporary_files_is_told_by_the_executor(room):
    work = harness.lasting_work()
    state, hands = room.path("state", "heat"), room.path("hands")
    os.mkdir(hands)
    with mounted(hands, "size=100m"):
        lead = room.start("bellows-coordinator", "--job", room.job(work),
                          "--state", state)
        address = room.wait("an address", lambda: harness.read(
            os.path.join(state, "address"), "r").strip())
        crew = [room.start("bellows-executor", "--coordinator", address,
                           "--name", f"w{number}", "--tmpdir", hands)
                for number in range(2)]
        room.runs_on(2)
        with full(hands):
            dropped(room, f": temporary directory {hands}", 1)
            is_told(room, f": temporary directory {hands}")
            assert room.status()["epoch"] == 1
        is_well(room)
        room.runs_on(1)  # the rescale is made again
        room.finishes(lead, work).says("can be written again")
        for hand in crew:
            hand.ends_with(0)


# ---- two good checkpoints ----

def saved_twice(room, work, **keys):
    """A job that was suspended: its newest checkpoint, and one before."""
    at = begun(room, work, **keys)
    rescaled(room, 3)
    room.wait("the one before", lambda: os.path.exists(
        room.path("ck", KEPT, "1", "parint.ckpt")))
    room.run("bellows", "cancel", "heat", "--save").ends_with(0)
    at.ends_with(75)
    return [int(step) for step in re.findall(
        r"^parint: checkpoint at iteration (\d+)", at.output, re.M)]


def change(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def goes_back(room, work, steps, *sentences):
    at = room.start("bellows", "run", room.path("heat.yaml"))
    room.finishes(at, work).says(
        f"going on from the one of step {steps[0]}", *sentences)
    resumed = re.findall(r"^parint: resumed at iteration (\d+)", at.output,
                         re.M)
    assert resumed == [str(steps[0])], resumed
    assert not os.path.exists(room.path("ck", KEPT))


def a_checkpoint_with_a_wrong_digest_is_passed_over(room):
    work = harness.lasting_work()
    steps = saved_twice(room, work)
    path = room.path("ck", "parint.ckpt")
    change(path, os.path.getsize(path) - 100, b"damaged!")
    goes_back(room, work, steps, f"the one of step {steps[1]} cannot be read",
              f"{steps[1] - steps[0]} steps are computed again")


def a_checkpoint_that_is_cut_short_is_passed_over(room):
    work = harness.lasting_work()
    steps = saved_twice(room, work)
    path = room.path("ck", "parint.ckpt")
    os.truncate(path, os.path.getsize(path) // 2)
    goes_back(room, work, steps)


def a_job_that_keeps_one_checkpoint_has_one(room):
    work = harness.lasting_work()
    at = begun(room, work, checkpoint="{dir: ck, keep: one}")
    rescaled(room, 3)
    rescaled(room, 2)
    assert sorted(os.listdir(room.path("ck"))) == ["bellows-owner",
                                                   "parint.ckpt"]
    room.finishes(at, work)


def counting(room):
    return counted.job(room, "dir: ck, deadline: 20s", "--how",
                       room.path("how"))


def what_is_torn_in_place_costs_what_came_after_the_one_before(room):
    room.write("how", "place")
    at = room.start("bellows", "run", counting(room))
    room.runs_on(2)
    rescaled(room, 3)
    room.wait("a copy", lambda: harness.read(
        room.path("ck", KEPT, "1", "state")))
    room.write("how", "torn")
    room.scale(2).ends_with(79)
    room.write("how", "place")
    room.runs_on(2)
    counted.has_its_sum(room, at, 2).says(
        "may be what the start ended for: going on from")
    began = re.findall(r"^from step (\d+)$", at.output, re.M)
    # a third time when the rescale to 2 is made again
    assert len(began) in (2, 3) and began[0] == began[1], began


def what_is_no_checkpoints_fault_leaves_it_where_it_is(room):
    room.start("bellows", "run", counting(room))
    room.runs_on(2)
    rescaled(room, 3)
    room.wait("a copy", lambda: harness.read(
        room.path("ck", KEPT, "1", "state")))
    room.run("bellows", "cancel", "heat", "--save").ends_with(0)
    room.programs[0].ends_with(75)
    before = harness.read(room.path("ck", "state"))
    text = harness.read(room.path("heat.yaml"), "r")
    room.write("heat.yaml", re.sub(
        r"^restart: .*$", "restart: [sh, -c, 'exit 5']", text, flags=re.M))
    room.run("bellows", "run", room.path("heat.yaml")).ends_with(5)
    assert harness.read(room.path("ck", "state")) == before


def be_root():
    """In a user namespace, where file systems can be mounted, if need be."""
    if os.getuid() == 0:
        return
    words = ["unshare", "-Urm"]
    if subprocess.run([*words, "true"], stderr=subprocess.DEVNULL,
                      check=False).returncode:
        print("1..0 # SKIP needs the right to mount")
        sys.exit(0)
    os.execvp("unshare", [*words, sys.executable, "-B", sys.argv[0],
                          harness.BIN, counted.COUNTER, FAILING,
                          *sys.argv[2:]])


be_root()
harness.main(
    where_no_checkpoint_can_be_written_the_size_stays,
    the_second_checkpoint_gives_way_to_the_next_one,
    a_directory_that_is_gone_is_told,
    one_that_is_unmounted_costs_no_step,
    errors_of_a_disk_drop_the_rescale,
    a_save_that_takes_too_long_is_dropped_and_comes_later,
    ranks_that_end_without_a_checkpoint_do_not_end_the_job,
    a_full_state_directory_ends_nothing,
    one_that_is_read_only_ends_nothing,
    a_full_directory_for_temporary_files_is_told_by_the_executor,
    a_checkpoint_with_a_wrong_digest_is_passed_over,
    a_checkpoint_that_is_cut_short_is_passed_over,
    a_job_that_keeps_one_checkpoint_has_one,
    what_is_torn_in_place_costs_what_came_after_the_one_before,
    what_is_no_checkpoints_fault_leaves_it_where_it_is,
)
