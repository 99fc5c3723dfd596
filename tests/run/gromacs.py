#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""GROMACS, elastic: a box of water on 2, 4 and again 2 ranks.  args: BIN"""

import os
import re
import shutil

import bed
import harness
import water

STEPS = 1800
PATIENCE = 300  # of a machine that others use too


def job(room, steps, words=(), program=("gmx_mpi",), edge=water.SMALL,
        name="water", **keys):
    water.Box.get(edge).put(room.path("md.tpr"), steps)
    command = [*program, "mdrun", "-s", "md.tpr", "-ntomp", 1, *words]
    text = {"name": name, "app": "gromacs", "command": harness.flow(command),
            "ranks": "{initial: 2, max: 16}",
            "checkpoint": "{dir: ck, deadline: 2min}",
            "start_deadline": "4min", **keys}
    return room.write(f"{name}.yaml", "".join(
        f"{key}: {value}\n" for key, value in text.items()))


def runs_on(room, ranks):
    return room.wait_job(
        f"water on {ranks} ranks", lambda at: at["state"] == "running"
        and at["ranks"] == ranks and at["step"] > 0
        and harness.has_stepped(at), "water", PATIENCE)


def scale(room, ranks):
    at = room.start("bellows", "scale", "water", ranks, "--wait")
    at.end(PATIENCE)
    return at


def wrapper(room, text):
    path = room.write("wrapper.sh", "#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def checkpoint(room):
    return harness.read(room.path("ck", "state.cpt"))


def two_to_four_and_back(room, *words, **keys):
    at = room.start("bellows", "run", *words,
                    job(room, STEPS, edge=water.EDGE, **keys))
    runs_on(room, 2)
    scale(room, 4).ends_with(0)
    runs_on(room, 4)
    scale(room, 2).ends_with(0)
    now = runs_on(room, 2)
    assert 0 < now["progress"] < 1, now["progress"]
    for rescale in now["history"]:
        assert rescale["result"] == "done" and rescale["resumed_ms"], rescale
        assert rescale["repeated_steps"] == 0, rescale
        parts = [rescale["phases"][part] for part in (
            "computing_ms", "writing_ms", "standing_ms")]
        assert parts[0] > 0 and parts[2] > 0, parts
        assert sum(parts) == rescale["pause_ms"], rescale
    assert [(rescale["from"], rescale["to"]) for rescale in now["history"]] \
        == [(2, 4), (4, 2)]
    at.ends_with(0, PATIENCE)
    continued = re.findall(r"continuing from step (\d+)", at.errors)
    assert len(continued) == 2 and 0 < int(continued[0]) < int(continued[1])
    water.steps_follow(room.folder, STEPS)
    water.frames_are_there_once(room.folder, STEPS)
    water.energy_is_kept(room.folder, water.Box.get().unbroken(STEPS))


def two_to_four_and_back_is_as_one_run(room):
    two_to_four_and_back(room)


def so_it_is_on_four_hosts(room):
    with bed.Bed(room, 4) as at:
        two_to_four_and_back(room, "--hosts", at.file())


def nsteps_of_the_command_are_those_of_the_whole_job(room):
    at = room.start("bellows", "run", job(room, -1, ["-nsteps", 6000]))
    runs_on(room, 2)
    scale(room, 1).ends_with(0)
    at.ends_with(0, PATIENCE)
    water.steps_follow(room.folder, 6000)
    assert water.log_steps(room.folder)[-1] == 6000


def a_size_that_cannot_share_the_box_is_dropped_with_its_reason(room):
    reason = "The number of ranks selected for particle-particle work (13) "
    at = room.start("bellows", "run", job(room, -1, ranks_per_executor=13))
    before = runs_on(room, 2)["step"]
    first = scale(room, 13).ends_with(76)
    assert reason in first.output + first.errors, first.output
    now = room.wait_job("more steps", lambda at: at["step"] > before
                        and at["state"] == "running", "water", PATIENCE)
    assert now["ranks"] == 2 and now["history"][-1]["ordered_ms"] is None, now
    again = scale(room, 13).ends_with(76)
    assert reason in again.output + again.errors, again.output
    assert len(room.status("water")["history"]) == len(now["history"])
    assert water.log_steps(room.folder)[0] == 0
    room.run("bellows", "cancel", "water").ends_with(0)
    at.ends_with(130, PATIENCE)


def fails_to_go_on(room, text):
    """A wrapper that spoils each start from a checkpoint."""
    path = job(room, -1, program=(wrapper(room, text), "gmx_mpi"),
               restarts=0)
    at = room.start("bellows", "run", path)
    runs_on(room, 2)
    assert scale(room, 1).end() != 0
    at.ends_with(74, PATIENCE)
    assert "did not go on from its checkpoint" in at.errors or \
        "mdrun would begin at step 0" in at.errors, at.errors
    return at


def a_command_that_ignores_the_checkpoint_is_a_failed_start(room):
    fails_to_go_on(room, """
for word; do
	shift
	case $word in
	-cpi | -append) skip=$word ;;
	*/state.cpt) [ "$skip" = -cpi ] && skip= || set -- "$@" "$word" ;;
	*) set -- "$@" "$word" ;;
	esac
done
exec "$@"
""")
    assert checkpoint(room), "the checkpoint is gone"


def a_checkpoint_that_is_taken_away_is_a_failed_start(room):
    fails_to_go_on(room, """
case $* in *-cpi*) rm -f ck/state.cpt ;; esac
exec "$@"
""")


def start_without_monitor(room, path):
    state = room.path("state", "alone")
    return room.start("bellows-coordinator", "--job", path,
                      "--state", state), state


def joined(room, state):
    address = room.wait("an address", lambda: harness.read(
        os.path.join(state, "address"), "r").strip())
    for number in range(2):
        room.start("bellows-executor", "--coordinator", address, "--name",
                   f"worker-{number}", "--slots", 1)


def saved(room):
    """A checkpoint of a job that was suspended."""
    path = job(room, -1)
    at = room.start("bellows", "run", path)
    runs_on(room, 2)
    room.run("bellows", "cancel", "water", "--save").ends_with(0)
    at.ends_with(75, PATIENCE)
    shutil.rmtree(room.path("state", "water"))
    return path


def a_checkpoint_that_goes_or_tears_is_not_passed_over(room):
    path = saved(room)
    log, whole = harness.read(room.path("md.log")), checkpoint(room)
    at, state = start_without_monitor(room, path)
    room.wait("the coordinator", lambda: "resuming from" in at.errors)
    os.unlink(room.path("ck", "state.cpt"))
    joined(room, state)
    at.ends_with(74, PATIENCE).says("mdrun would begin at step 0")
    with open(room.path("ck", "state.cpt"), "wb") as file:
        file.write(whole[:-8])
    at, state = start_without_monitor(room, path)
    joined(room, state)
    at.ends_with(73, PATIENCE).says("does not end as it should")
    assert harness.read(room.path("md.log")) == log
    assert checkpoint(room) == whole[:-8]


def what_does_not_go_with_rescales_is_refused(room):
    for words, sentence in (
            (["-maxh", 1], "-maxh; leave it out, the hours would count anew"),
            (["-noappend"], "followed under one name"),
            (["-multidir", "a", "b"], "several simulations"),
            (["-cpo", "x.cpt"], "always state.cpt in the checkpoint")):
        path = room.write("x.yaml", "name: x\napp: gromacs\ncommand: "
                          + harness.flow(["gmx_mpi", "mdrun", *words])
                          + "\nranks: {initial: 2}\ncheckpoint: {dir: ck}\n")
        room.run("bellows", "run", path).ends_with(65).says(sentence)


if __name__ == "__main__":
    harness.main(two_to_four_and_back_is_as_one_run,
                 so_it_is_on_four_hosts,
                 nsteps_of_the_command_are_those_of_the_whole_job,
                 a_size_that_cannot_share_the_box_is_dropped_with_its_reason,
                 a_command_that_ignores_the_checkpoint_is_a_failed_start,
                 a_checkpoint_that_is_taken_away_is_a_failed_start,
                 a_checkpoint_that_goes_or_tears_is_not_passed_over,
                 what_does_not_go_with_rescales_is_refused)
