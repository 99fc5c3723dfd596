#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is wrong is said in a sentence, with its exit code.  args: BIN"""

import os
import signal
import socket

import harness
from harness import Work
from mounts import mounted

ANOTHER = 12345  # user
SHORT = Work(1003, 20, 7)
GOOD = """name: heat
app: parint
command: [parint, --array-size, 1003, --iterations, 20, --nloop, 7]
ranks:
  initial: 2
  max: 4
checkpoint:
  dir: ck
"""
PARINT = 'exec parint "$@"'


def shell(room, script, work=SHORT, **keys):
    """A job whose ranks begin with a shell."""
    return room.job(work, command=harness.flow(
        ["sh", "-c", script, "parint", *work.words]), **keys)


# ---- job files ----

def a_job_file_that_is_wrong_is_refused_with_its_line(room):
    wrong = [
        ("app: parint", "app: fluent",
         "2: app: 'fluent' is unknown; one of cm1, generic, gromacs, lammps, parint"),
        ("initial: 2", "initial: 0",
         "5: ranks.initial: '0' is out of range; a number from 1 to 4096"),
        ("initial: 2", "initial: 5",
         "5: ranks.initial: 5 is more than ranks.max; at most 4"),
        ("max: 4", "max: six",
         "6: ranks.max: 'six' is not a number; a number from 1 to 4096"),
        ("dir: ck", "dir: ck\nfrob: 1", "9: frob: no such key; here are "),
        ("dir: ck", "dir: ck\nstall_after: 1s",
         "9: stall_after: is less than lost_after, "),
        ("name: heat", "name: Heat", "1: name: 'Heat' "),
        ("app: parint\n", "",
         "1: app: is missing; one of cm1, generic, gromacs, lammps, parint"),
        ("[parint,", "[parint, --checkpoint, x,",
         "2: app: parint: the command has --checkpoint; leave it out"),
        ("dir: ck", "dir: ck\nscale: {schedule: [{at: 30, ranks: 3}]}",
         "9: scale.schedule[1].at: '30' "),
        ("dir: ck", "dir: ck\nscale: {schedule: [{at: 30%, ranks: 9}]}",
         "9: scale.schedule[1].ranks: "),
        ("dir: ck", "dir: [ck", "yaml:"),
    ]
    for before, after, sentence in wrong:
        assert before in GOOD
        path = room.write("wrong.yaml", GOOD.replace(before, after))
        for program in (["bellows", "run", path],
                        ["bellows", "validate", path],
                        ["bellows-coordinator", "--state", room.path("state"),
                         "--job", path]):
            at = room.run(*program).ends_with(65)
            at.says("wrong.yaml:", sentence)
            assert at.output == "" and len(at.errors.splitlines()) == 1


def a_job_file_that_is_not_there_is_said(room):
    room.run("bellows", "run", "none.yaml").ends_with(65).says(
        "bellows: none.yaml: No such file or directory\n")


def wrong_flags_are_64_everywhere(room):
    for words in (["bellows", "--frob"], ["bellows", "frob"], ["bellows"],
                  ["bellows", "run", "--frob"], ["bellows", "run"],
                  ["bellows", "run", "a", "b"], ["bellows", "scale", "heat"],
                  ["bellows", "scale", "heat", "0"],
                  ["bellows", "scale", "heat", "four"],
                  ["bellows", "status", "no/name"],
                  ["bellows", "run", "--ranks", "0", "--name", "x", "--app",
                   "parint", "--checkpoint-dir", "ck", "--", "parint"],
                  ["bellows-coordinator", "--frob"],
                  ["bellows-coordinator", "--job"], ["bellows-coordinator"],
                  ["bellows-executor", "--frob"], ["bellows-executor"],
                  ["bellows-executor", "--coordinator", "x", "--slots", "0"],
                  ["bellows-monitor", "--frob"], ["bellows-monitor"],
                  ["bellows-launch", "--frob"], ["bellows-launch"]):
        at = room.run(*words)
        assert at.end() == 64, f"{words}: {at.end()}"
        assert at.output == "" and at.errors


# ---- the application ----

def a_program_that_is_missing_is_127(room):
    path = room.write("heat.yaml", GOOD.replace("[parint", "[no-such"))
    at = room.run("bellows", "run", path).ends_with(127)
    at.says("failed: worker-", ": cannot run no-such: it is not in PATH")
    assert at.output == ""


def a_program_that_may_not_be_run_is_126(room):
    room.write("plain", "no program\n")
    path = room.write("heat.yaml", GOOD.replace(
        "[parint", f"[{room.path('plain')}"))
    room.run("bellows", "run", path).ends_with(126).says(
        f"cannot run {room.path('plain')}: Permission denied")


def an_application_that_dies_at_once_gives_its_own_exit_code(room):
    at = room.run("bellows", "run", shell(room, "exit 3")).ends_with(3)
    at.says("failed: the application ended with 3")


def an_application_that_a_signal_kills_gives_128_and_the_signal(room):
    for signo in signal.SIGSEGV, signal.SIGKILL:
        at = room.run("bellows", "run", shell(
            room, "[ $OMPI_COMM_WORLD_RANK = 0 ] && exec sleep 60; "
            f"kill -{int(signo)} $$"))
        at.ends_with(128 + signo).says(f"rank 1 was killed by signal {signo:d}")


def what_the_application_says_on_stderr_stays_there(room):
    at = room.run("bellows", "run", "--quiet",
                  shell(room, "echo some advice >&2; " + PARINT)).ends_with(0)
    assert harness.digest(at.output) == SHORT.digest()
    assert at.errors == "some advice\n" * 2


# ---- sizes ----

def a_size_out_of_range_is_declined(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work))
    room.runs_on(2)
    for ranks, reason in ((7, "7 is more than ranks.max, which is 6"),
                          (2, "it has 2 ranks already"),
                          ("-2", "0 ranks; from 1 to 6")):
        asked = room.run("bellows", "scale", "heat", ranks).ends_with(76)
        assert asked.output == f"heat: declined: {reason}\n", asked.output
    room.finishes(at, work)


def a_size_that_is_stated_during_a_rescale_is_moved_to_after_it(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(work))
    room.runs_on(2)
    room.run("bellows", "scale", "heat", 5).ends_with(0)
    asked = room.run("bellows", "scale", "heat", 5).ends_with(76)
    assert asked.output == \
        "heat: declined: it is to have 5 ranks already\n", asked.output
    asked = room.run("bellows", "scale", "heat", 3).ends_with(0)
    assert asked.output == "heat: accepted, 2 -> 3\n", asked.output
    assert room.runs_on(3)["want"] == 3
    room.finishes(at, work)


def a_rescale_after_the_end_finds_no_job(room):
    room.run("bellows", "run", room.job(SHORT)).ends_with(0)
    room.run("bellows", "scale", "heat", 3).ends_with(69).says(
        "bellows: job heat does not run; ")
    room.run("bellows", "status", "heat").ends_with(69)


def a_job_needs_no_environment(room):
    del room.env["PATH"]
    room.run("bellows", "run", room.job(SHORT)).ends_with(0)


def an_mpiexec_that_fails_is_told_with_where_it_says_why(room):
    path = room.job(SHORT, mpi="{arguments: [--no-such-word]}", restarts=0)
    room.run("bellows", "run", path).ends_with(69).says(
        "before its ranks came up; its words are in epoch-1.mpiexec")


# ---- checkpoint directories ----

def a_checkpoint_directory_that_is_missing_is_73(room):
    path = room.write("heat.yaml", GOOD.replace("dir: ck", "dir: none"))
    at = room.run("bellows", "run", path).ends_with(73)
    at.says(f"checkpoint.dir: {room.path('none')}: No such file or directory")


def a_checkpoint_directory_that_holds_no_files_is_73(room):
    for folder, reason in ((room.write("file", ""), "it is no directory"),
                           ("/proc", "No such file or directory")):
        path = room.write("heat.yaml",
                          GOOD.replace("dir: ck", f"dir: {folder}"))
        room.run("bellows", "run", path).ends_with(73).says(
            f"checkpoint.dir: {folder}: {reason}")


def a_checkpoint_directory_that_cannot_be_written_is_73(room):
    path, folder = room.job(SHORT), room.path("ck")

    def refused(reason):
        room.run("bellows", "run", path).ends_with(73).says(
            f"checkpoint.dir: {folder}: {reason}")
    if os.getuid() == 0:
        with mounted(folder, "ro"):
            refused("Read-only file system")
    else:
        os.chmod(folder, 0o500)
        refused("Permission denied")


def drops_the_rescale(room, work, path, reason):
    at = room.start("bellows", "run", path)
    room.runs_on(2)
    asked = room.scale(3)
    asked.ends_with(76)
    assert reason in asked.output + asked.errors
    assert room.runs_on(2)["history"][-1]["result"].count(reason)
    room.finishes(at, work)
    at.says(reason)
    assert "running on 3 ranks" not in at.errors


def a_checkpoint_directory_that_is_full_drops_the_rescale(room):
    work = harness.lasting_work()
    with mounted(room.path("ck"), "size=64k"):
        drops_the_rescale(room, work, room.job(work),
                          "No space left on device")


def a_checkpoint_that_may_not_grow_drops_the_rescale(room):
    work = harness.lasting_work()
    drops_the_rescale(room, work, shell(room, "ulimit -f 64; " + PARINT, work),
                      "File too large")


# ---- this machine ----

def a_port_in_use_is_71(room):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        room.run("bellows-coordinator", "--job", room.job(SHORT), "--state",
                 room.path("state", "c"), "--listen", address,
                 "--unencrypted").ends_with(71).says(
            f"cannot listen on {address}: address already in use")


def executors_that_never_come_are_69(room):
    path = room.job(SHORT, wait_deadline="300ms")
    room.run("bellows-coordinator", "--job", path, "--state",
             room.path("state", "c")).ends_with(69).says(
                 "waiting -> failed", "the executors of the job did not come within "
                 "0.3 s (wait_deadline)")


def a_job_that_runs_already_is_71(room):
    work = harness.lasting_work()
    path = room.job(work)
    at = room.start("bellows", "run", path)
    room.runs_on(2)
    room.run("bellows", "run", path).ends_with(71).says(
        "bellows: job heat runs already, its coordinator listens at unix:")
    room.run("bellows-coordinator", "--job", path, "--state",
             room.path("state", "heat")).ends_with(71).says(
                 ": another coordinator runs this job")
    room.finishes(at, work)


def the_same_command_after_ctrl_c_waits_and_goes_on(room):
    work = harness.lasting_work()
    path = room.job(work)
    at = room.start("bellows", "run", path)
    room.runs_on(2)
    slow = max(room.ours("parint"))
    os.kill(slow, signal.SIGSTOP)  # no checkpoint is written until it goes on
    at.tell(signal.SIGINT)
    room.wait("it is told to end", lambda: "saving, then stopping" in at.errors)
    again = room.start("bellows", "run", path)
    room.wait("it waits", lambda: "bellows: the former run of heat is still "
              "ending: waiting for that, " in again.errors)
    os.kill(slow, signal.SIGCONT)
    at.ends_with(75)
    room.finishes(again, work)
    assert "parint: resumed at iteration" in again.output, again.output


def the_same_command_after_it_was_killed_waits_and_goes_on(room):
    work = harness.lasting_work()
    path = room.job(work)
    at = room.start("bellows", "run", path)
    room.runs_on(2)
    at.tell(signal.SIGKILL)
    at.end()
    room.wait("its coordinator is told", lambda: harness.read(
        room.path("state", "heat", "lock"), "r") == "ending")
    room.finishes(room.start("bellows", "run", path), work)


def a_stale_address_is_no_obstacle(room):
    os.mkdir(room.path("state", "heat"), 0o700)
    gone = socket.socket(socket.AF_UNIX)
    gone.bind(room.path("state", "heat", "coordinator.sock"))
    gone.close()
    room.write("state/heat/address",
               f"unix:{room.path('state', 'heat', 'coordinator.sock')}\n")
    room.run("bellows", "status", "heat").ends_with(69)
    room.run("bellows", "scale", "heat", 3).ends_with(69)
    at = room.run("bellows", "run", room.job(SHORT)).ends_with(0)
    assert harness.digest(at.output) == SHORT.digest()


def a_state_directory_that_others_can_write_to_is_71(room):
    folder, path = room.path("state", "heat"), room.job(SHORT)
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    room.run("bellows", "run", path).ends_with(71).says(
        f"bellows: {folder} is open to others (mode 0777): chmod 700 it")
    room.run("bellows-coordinator", "--job", path, "--state", folder) \
        .ends_with(71).says(f"{folder}: others can write to it; "
                            "the state directory, and the journal's, must be yours "
                            "alone")
    os.rmdir(folder)
    os.symlink(room.path("ck"), folder)
    room.run("bellows", "run", path).ends_with(71).says("a symbolic link")
    os.unlink(folder)


def a_folder_of_jobs_that_another_user_planted_is_71(room):
    """Without BELLOWS_STATE it is /tmp/bellows-UID, which any user can make."""
    folder, path = room.path("state"), room.job(SHORT)
    os.chmod(folder, 0o777)
    room.run("bellows", "run", path).ends_with(71).says(
        f"{folder} can be written by others (mode 0777): chmod 700 it")
    os.chmod(folder, 0o700)
    if os.geteuid() != 0:
        return
    os.chown(folder, ANOTHER, -1)
    for command in (["run", path], ["status", "heat"], ["status"],
                    ["scale", "heat", 3], ["cancel", "heat"]):
        room.run("bellows", *command).ends_with(71).says(
            f"{folder} belongs to another user ({ANOTHER})")
    assert os.listdir(folder) == []
    os.chown(folder, 0, -1)


harness.main(
    a_job_file_that_is_wrong_is_refused_with_its_line,
    a_job_file_that_is_not_there_is_said,
    wrong_flags_are_64_everywhere,
    a_program_that_is_missing_is_127,
    a_program_that_may_not_be_run_is_126,
    an_application_that_dies_at_once_gives_its_own_exit_code,
    an_application_that_a_signal_kills_gives_128_and_the_signal,
    what_the_application_says_on_stderr_stays_there,
    a_size_out_of_range_is_declined,
    a_size_that_is_stated_during_a_rescale_is_moved_to_after_it,
    a_rescale_after_the_end_finds_no_job,
    a_job_needs_no_environment,
    an_mpiexec_that_fails_is_told_with_where_it_says_why,
    a_checkpoint_directory_that_is_missing_is_73,
    a_checkpoint_directory_that_holds_no_files_is_73,
    a_checkpoint_directory_that_cannot_be_written_is_73,
    a_checkpoint_directory_that_is_full_drops_the_rescale,
    a_checkpoint_that_may_not_grow_drops_the_rescale,
    a_port_in_use_is_71,
    executors_that_never_come_are_69,
    a_job_that_runs_already_is_71,
    the_same_command_after_ctrl_c_waits_and_goes_on,
    the_same_command_after_it_was_killed_waits_and_goes_on,
    a_stale_address_is_no_obstacle,
    a_state_directory_that_others_can_write_to_is_71,
    a_folder_of_jobs_that_another_user_planted_is_71,
)
