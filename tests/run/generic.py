#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An application that is known by its job file alone.  args: BIN COUNTER"""

import os
import re
import signal

import counted
import harness
from counted import COUNTER, STEPS

HALT = 4000000  # microseconds of one rank for each of the two sums of a step
FILES = 'files: [state], progress: "^step ([0-9]+) of ([0-9]+)$"'


def job(room, generic, words=(), restart=(), ranks=(2, 1, 6), **keys):
    save = ["--save", "{checkpoint}/state"]
    keys["environment"] = counted.environment(room)
    if restart:
        keys["restart"] = harness.flow([COUNTER, STEPS, *save, *restart])
    return room.write("heat.yaml", f"""name: heat
app: generic
command: {harness.flow([COUNTER, STEPS, *save, *words])}
ranks: {{initial: {ranks[0]}, min: {ranks[1]}, max: {ranks[2]}}}
checkpoint: {{dir: ck, deadline: 20s}}
generic: {{{FILES}, {generic}}}
""" + "".join(f"{key}: {value}\n" for key, value in keys.items()))


FROM = ["--from", "{checkpoint}/state"]


def rescaled(room, path, leaves=True):
    at = room.start("bellows", "run", path)
    room.runs_on(2)
    room.scale(4).ends_with(0)
    room.runs_on(4)
    room.scale(3).ends_with(0)
    job_now = room.runs_on(3)
    assert 0 < job_now["progress"] < 1
    counted.has_its_sum(room, at, 3)
    saved = re.findall(r"^saved step (\d+)$", at.output, re.M)
    began = re.findall(r"^from step (\d+)$", at.output, re.M)
    assert len(began) == 2
    assert saved == began if leaves else set(began) <= set(saved)
    return at


def a_signal_to_all_ranks_saves(room):
    rescaled(room, job(room, "save: {signal: SIGUSR2, to: all}",
                       restart=FROM))


def a_signal_to_the_first_rank_saves(room):
    rescaled(room, job(room, "save: {signal: SIGUSR2, to: first}",
                       restart=FROM))


def what_saves_when_it_likes_is_waited_for_and_ended(room):
    rescaled(room, job(room, "save: {signal: none}", words=["--each", 30],
                       restart=FROM + ["--each", 30]), leaves=False)


def a_count_that_is_not_allowed_is_declined(room):
    at = room.start("bellows", "run", job(
        room, "ranks: [1, 2, 4], save: {signal: SIGUSR2}", restart=FROM))
    room.runs_on(2)
    asked = room.run("bellows", "scale", "heat", 3).ends_with(76)
    assert asked.output == \
        "heat: declined: it runs on 1, 2, 4 ranks, not on 3\n", asked.output
    room.scale(4).ends_with(0)
    counted.has_its_sum(room, at, 4)


def a_first_count_that_is_not_allowed_is_refused(room):
    room.run("bellows", "run", job(room, "ranks: [1, 4]")).ends_with(65) \
        .says("it runs on 1, 4 ranks, not on 2")


def at_its_sizes(room, path, refused):
    """The job, whose ranks end with 64 on so many ranks."""
    text = harness.read(path, "r")
    for key in "command", "restart":
        text = re.sub(rf"^{key}: \[", f"{key}: [sh, -c, " + (
            f"'[ $OMPI_COMM_WORLD_SIZE = {refused} ] && exit 64; "
            "exec \"$@\"', p, "), text, flags=re.M)
    return room.write("heat.yaml", text)


def a_size_that_fails_is_told_with_its_reason_and_not_counted(room):
    at = room.start("bellows", "run", at_its_sizes(room, job(
        room, "save: {signal: SIGUSR2}", restart=FROM), 4))
    room.runs_on(2)
    asked = room.run("bellows", "scale", "heat", 4, "--wait").ends_with(79)
    assert re.search(r"2 -> 4 failed: the application ended with 64; back on "
                     r"2 ranks, paused [\d.]+ s \(", asked.output), asked.output
    now = room.status()
    first = now["history"][0]
    assert now["rescales"] == 0 and first["failed"] and first["pause_ms"] > 0
    assert (first["from"], first["to"]) == (2, 4), first
    room.scale(3).ends_with(0)
    counted.has_its_sum(room, at, 3)
    assert at.errors.count("2 -> 4 failed: ") == 1, at.errors


def an_application_deaf_to_the_signal_runs_on(room):
    path = job(room, "save: {signal: SIGHUP}",
               checkpoint="{dir: ck, deadline: 1s}", restart=FROM)
    text = harness.read(path, "r").replace(
        "checkpoint: {dir: ck, deadline: 20s}\n", "")
    words = ["sh", "-c", "trap '' HUP; exec \"$@\"", "p", COUNTER, STEPS]
    room.write("heat.yaml", re.sub(
        r"^command: .*$", "command: " + harness.flow(words), text,
        flags=re.M))
    at = room.start("bellows", "run", path)
    room.runs_on(2)
    asked = room.scale(3).ends_with(76)
    assert "no complete checkpoint was written" in asked.output + asked.errors
    counted.has_its_sum(room, at, 2)


def one_that_begins_afresh_is_a_failed_start_that_overwrites_nothing(room):
    path = job(room, "save: {signal: SIGUSR2}",
               restart=["--each", 100])  # and not --from
    at = room.start("bellows", "run", path)
    room.runs_on(2)
    # farther than the first step that it prints, which would else be proof
    room.wait_job("steps", lambda job: job["step"] > 10)
    room.scale(4).ends_with(79)
    at.ends_with(74)
    assert "it did not go on from its checkpoint" in at.errors, at.errors
    saved = re.findall(r"^saved step (\d+)$", at.output, re.M)
    kept = harness.read(room.path("ck", "state"), "r").split()[0]
    assert kept == saved[0] and len(saved) == 1, (kept, saved)


def is_halted_behind_a_save(room, at, each):
    """Whether the job, which saves after so many steps, has made ten more: then
    it stands there, and else it goes on."""
    room.pace(HALT)
    room.moment(0.5)
    step = int(re.findall(r"^step (\d+) of", at.output, re.M)[-1])
    if step > each and step % each == 10:
        return True
    room.pace(counted.PACE)
    return False


def a_loss_is_told_with_its_cause_and_what_is_computed_again(room):
    words = ["--each", 30]
    at = room.start("bellows", "run", job(
        room, 'save: {signal: SIGUSR2}, resumed: "^from step ([0-9]+)$"',
        words, restart=FROM + words))
    room.wait_job("a checkpoint", lambda job: job["step"] > 40)
    room.wait("steps behind it", lambda: is_halted_behind_a_save(room, at, 30),
              again=0.2)
    room.pace(counted.PACE)
    os.kill(next(pid for pid in room.ours("counter") if
                 b"OMPI_COMM_WORLD_RANK=1" in harness.environment(pid)),
            signal.SIGKILL)
    loss = room.runs_on(2, after=1)["history"][-1]
    assert loss["checkpoint_step"] % 30 == 0 < loss["checkpoint_step"], loss
    again = loss["repeated_steps"]
    assert again > 0, loss
    counted.has_its_sum(room, at, 2)
    cause = "rank 1 was killed by signal 9"
    at.says(f"stopping the ranks: {cause}\n", f"{cause}: 2 -> 2, paused ")
    assert re.search(rf"; {again} steps computed again$", at.errors, re.M), \
        at.errors


def an_application_without_proof_is_believed(room):
    path = job(room, "save: {signal: SIGUSR2}, proof: none",
               restart=["--each", 5000])
    text = harness.read(path, "r").replace(FILES, "files: [state]")
    room.write("heat.yaml", text)
    at = room.start("bellows", "run", path)
    room.wait_job("ranks", lambda job: job["state"] == "running")
    room.scale(3).ends_with(0)
    counted.has_its_sum(room, at, 3)


harness.main(
    a_signal_to_all_ranks_saves,
    a_signal_to_the_first_rank_saves,
    what_saves_when_it_likes_is_waited_for_and_ended,
    a_count_that_is_not_allowed_is_declined,
    a_first_count_that_is_not_allowed_is_refused,
    a_size_that_fails_is_told_with_its_reason_and_not_counted,
    an_application_deaf_to_the_signal_runs_on,
    one_that_begins_afresh_is_a_failed_start_that_overwrites_nothing,
    a_loss_is_told_with_its_cause_and_what_is_computed_again,
    an_application_without_proof_is_believed,
)
