#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CM1, as a program that behaves like it.  args: BIN CM1_LIKE

A step is 6 s of model time, and each tenth one writes restart files.
"""

import glob
import os
import re
import subprocess
import sys

import harness

CM1 = os.path.abspath(sys.argv.pop(2))
STEP, PERIOD = 6000, 60000  # milliseconds of model time
NAMELIST = """\
! A small run.
 &param0
 nx           =      16,
 ny           =      12,   ! rows / ranks
 nz           =       4,
 ppnode       =     128,
 /

 &param1
 dx     =  2000.0, dy = 2000.0,
 dtl    =  6.0,
 timax  =  600.0,\t! 'ten minutes'
 rstfrq =  60.0,
 /

 &param2
 cm1setup  =  1,
 irst      =  0,
 rstnum    =  1,
 /

 &param16
 restart_format   = 1,
 restart_filetype = 2,
 restart_reset_frqtim = .false.,
 /
"""


class Model:
    """A run of CM1 in a folder of its own, with its job file."""

    def __init__(self, room, namelist=NAMELIST, ranks=(2, 1, 6), hold=None,
                 **environment):
        self.room = room
        self.folder = room.path("model")
        self.beside = os.path.join(self.folder, "namelist.input.bellows")
        os.mkdir(self.folder)
        if namelist is not None:
            room.write("model/namelist.input", namelist)
        words = {"CM1_LIKE_STEP_MS": 60, "CM1_LIKE_HOLD": room.path("hold"),
                 **environment}
        self.job = room.write("heat.yaml", f"""name: heat
app: cm1
command: [{CM1}]
dir: model
environment: {{{", ".join(f"{key}: '{words[key]}'" for key in words)}}}
ranks: {{initial: {ranks[0]}, min: {ranks[1]}, max: {ranks[2]}}}
checkpoint: {{dir: ., deadline: 20s}}
""")
        if hold:
            self.hold(hold)

    def hold(self, step):
        self.room.write("hold.new", f"{step}\n")
        os.rename(self.room.path("hold.new"), self.room.path("hold"))

    def let_go(self):
        os.unlink(self.room.path("hold"))

    def start(self):
        self.at = self.room.start("bellows", "run", self.job)
        return self.at

    def is_at(self, step):
        return self.room.wait_job(f"step {step}", lambda job:
                                  job["step"] == step * STEP)

    def files(self, folder=None):
        return {os.path.basename(path): harness.read(path) for path in
                glob.glob(os.path.join(folder or self.folder, "cm1rst_*"))}

    def is_as_if_unbroken(self):
        """All restart files are those of plain mpiexec."""
        other = self.room.path("plain")
        os.mkdir(other)
        self.room.write("plain/namelist.input", NAMELIST)
        subprocess.run([harness.MPIEXEC, "--oversubscribe", "-n", "1", CM1],
                       cwd=other, env=dict(self.room.env, **harness.AS_ROOT),
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       timeout=harness.PATIENCE, check=True)
        expected, got = self.files(other), self.files()
        assert len(expected) == 50 and sorted(expected) == sorted(got), \
            sorted(got)
        assert all(expected[name] == got[name] for name in expected)

    def changed_nothing_else(self):
        """The namelist is as it was, but for two numbers."""
        text = harness.read(os.path.join(self.folder, "namelist.input"), "r")
        plain, changes = re.subn(r"(?m)^ irst      =  1,$", " irst      =  0,",
                                 text)
        plain, more = re.subn(r"(?m)^ rstnum    =  \d+,$", " rstnum    =  1,",
                              plain)
        assert changes == more == 1 and plain == NAMELIST, text

    def restarts(self):
        """Number of the checkpoint, and the first step shown, of each."""
        return [(int(number), int(step)) for number, step in re.findall(
            r"This is a restart\.\n rstnum = (\d+)\n +(\d+) ",
            self.at.output)]

    def decisions(self):
        """Step, newest and next checkpoint, and what was done."""
        log = harness.read(self.room.path("state", "heat", "coordinator.log"),
                           "r")
        return [(*(int(word) // STEP for word in found[:3]), found[3])
                for found in re.findall(
                    r"at (\d+), newest checkpoint (\d+), next (\d+) "
                    r"\(ms of model time\): (\w+)", log)]

    def decides(self):
        return self.room.wait("a decision", self.decisions)[-1]


def a_job_rescaled_twice_ends_as_if_unbroken(room):
    model = Model(room, hold=91)
    model.start()
    room.runs_on(2)
    room.scale(4).ends_with(0)
    room.runs_on(4)
    room.scale(3).ends_with(0)
    history = room.runs_on(3)["history"]
    model.let_go()
    model.at.ends_with(0)
    assert len(model.restarts()) == 2
    for number, step in model.restarts():
        assert step == 10 * number, model.restarts()
    for (at, newest, _, choice), rescale in zip(model.decisions(), history):
        if choice == "taking":
            assert rescale["repeated_steps"] >= (at - newest) * STEP, history
    model.changed_nothing_else()
    model.is_as_if_unbroken()


def the_newest_checkpoint_is_taken_when_the_next_is_far(room):
    model = Model(room, hold=32)
    model.start()
    model.is_at(32)
    room.scale(4).ends_with(0)
    assert model.decides() == (32, 30, 40, "taking")
    job = room.runs_on(4)
    assert job["history"][-1]["repeated_steps"] == 2 * STEP, job["history"]
    model.let_go()
    model.at.ends_with(0)
    assert model.restarts() == [(3, 30)], model.restarts()
    model.at.says("going back by 12 s of model time for 2 -> 4",
                  "; 12 s of model time computed again\n")
    model.is_as_if_unbroken()


def the_next_checkpoint_is_waited_for_when_it_is_near(room):
    model = Model(room, hold=18)
    model.start()
    model.is_at(18)
    asked = room.start("bellows", "scale", "heat", 4, "--wait")
    assert model.decides() == (18, 10, 20, "waiting")
    model.let_go()
    asked.ends_with(0)
    model.at.ends_with(0)
    assert model.restarts() == [(2, 20)], model.restarts()
    model.changed_nothing_else()
    model.is_as_if_unbroken()


def a_job_that_counts_in_days_is_rescaled(room):
    """60 s are 0.000694 days as they are shown, which are 59.96 s."""
    model = Model(room, NAMELIST.replace(" ppnode", " timeformat = 4,\n ppnode"),
                  hold=10)
    model.start()
    model.is_at(10)
    room.scale(4).ends_with(0)
    model.let_go()
    model.at.ends_with(0)
    assert model.restarts() == [(1, 10)], model.restarts()
    model.is_as_if_unbroken()


def a_set_that_a_crash_has_torn_is_passed_over(room):
    model = Model(room, CM1_LIKE_TEAR="3:v:die")
    model.start().ends_with(0)
    assert model.restarts() == [(2, 20)], model.restarts()
    model.is_as_if_unbroken()


def a_set_that_is_being_written_is_passed_over(room):
    model = Model(room, ranks=(1, 1, 4), CM1_LIKE_TEAR="3:u:stall")
    model.start()
    room.wait("half of a file", lambda: os.path.exists(
        os.path.join(model.folder, "cm1rst_000003_u.dat")))
    room.scale(4).ends_with(0)
    assert model.decides() == (30, 20, 40, "taking")
    model.at.ends_with(0)
    assert model.restarts() == [(2, 20)], model.restarts()
    model.is_as_if_unbroken()


def one_that_does_not_look_at_irst_is_a_failed_start(room):
    model = Model(room, hold=22, CM1_LIKE_DEAF=1)
    model.start()
    model.is_at(22)
    files = model.files()
    room.scale(4).ends_with(79)
    model.at.ends_with(74)
    assert "it did not go on from its checkpoint of 120 s of model time" \
        in model.at.errors, model.at.errors
    assert model.files() == files


def a_job_that_was_stopped_goes_on_from_its_newest_checkpoint(room):
    model = Model(room, hold=42)
    model.start()
    model.is_at(42)
    model.at.tell(harness.signal.SIGTERM)
    model.at.ends_with(75)
    model.let_go()
    model.start().ends_with(0)
    assert model.restarts() == [(4, 40)], model.restarts()
    model.is_as_if_unbroken()


def what_cannot_be_resized_is_refused(room):
    wrong = [
        (None, "there is no ", "/model/namelist.input; CM1 reads it where it "
         "runs, which is dir of the job file"),
        (("rstfrq =  60.0", "rstfrq = -3600.0"), "namelist.input:13: rstfrq "
         "is -3600, so that CM1 writes no restart files; rstfrq = 600.0"),
        (("filetype = 2", "filetype = 3"), "namelist.input:24: "
         "restart_filetype is 3, one file for each node", "= 2"),
        (("ppnode       =     128", "ppnode = 2"), "heat.yaml:6: "
         "ranks.initial: its ppnode is 2, of which 3 is no multiple; "),
    ]
    for change, *sentences in wrong:
        model = Model(room, NAMELIST.replace(*change) if change else None,
                      ranks=(3, 1, 6))
        model.start().ends_with(65).says(*sentences)
        assert not model.files() and model.at.output == ""
        for name in os.listdir(model.folder):
            os.unlink(os.path.join(model.folder, name))
        os.rmdir(model.folder)


def validate_prints_all_changes_as_a_patch(room):
    model = Model(room, NAMELIST.replace("rstfrq =  60.0", "rstfrq = -1.0")
                  .replace(".false.", ".true."))
    at = room.run("bellows", "validate", model.job).ends_with(65)
    assert "(the first of 2 changes, which 'bellows validate' prints as a " \
        "patch)" in at.errors, at.errors
    assert at.output[at.output.index("---"):] == """\
--- namelist.input
+++ namelist.input
@@ -13 +13 @@
- rstfrq = -1.0,
+ rstfrq = 600.0,
@@ -25 +25 @@
- restart_reset_frqtim = .true.,
+ restart_reset_frqtim = .false.,
""", at.output
    at = room.run("bellows", "validate", model.job, "--json").ends_with(65)
    assert "+++" not in at.output, at.output


def a_size_that_ppnode_does_not_divide_is_declined(room):
    model = Model(room, NAMELIST.replace("ppnode       =     128",
                                         "ppnode = 2"), hold=12)
    model.start()
    model.is_at(12)
    asked = room.run("bellows", "scale", "heat", 3).ends_with(76)
    assert asked.output == "heat: declined: its ppnode is 2, of which 3 is " \
        "no multiple\n", asked.output
    room.scale(4).ends_with(0)
    model.let_go()
    model.at.ends_with(0)
    assert model.restarts() == [(1, 10)], model.restarts()


def a_namelist_that_cannot_be_written_drops_the_rescale(room):
    """The file beside it, which is to replace it, cannot be made."""
    model = Model(room, hold=12)
    model.start()
    model.is_at(12)
    os.mkdir(model.beside)
    room.scale(4).ends_with(76)
    job = room.runs_on(2)
    assert f"cannot remove {model.beside}" in job["history"][-1]["result"], \
        job["history"]
    assert job["epoch"] == 1, job
    os.rmdir(model.beside)
    room.scale(4).ends_with(0)
    model.let_go()
    model.at.ends_with(0)
    model.changed_nothing_else()
    model.is_as_if_unbroken()


def a_namelist_that_cannot_be_written_is_refused_at_the_start(room):
    model = Model(room)
    os.mkdir(model.beside)
    model.start().ends_with(73).says(f"cannot remove {model.beside}")
    assert not model.files() and "min" not in model.at.output


harness.main(
    a_job_rescaled_twice_ends_as_if_unbroken,
    the_newest_checkpoint_is_taken_when_the_next_is_far,
    the_next_checkpoint_is_waited_for_when_it_is_near,
    a_job_that_counts_in_days_is_rescaled,
    a_set_that_a_crash_has_torn_is_passed_over,
    a_set_that_is_being_written_is_passed_over,
    one_that_does_not_look_at_irst_is_a_failed_start,
    a_job_that_was_stopped_goes_on_from_its_newest_checkpoint,
    what_cannot_be_resized_is_refused,
    validate_prints_all_changes_as_a_patch,
    a_size_that_ppnode_does_not_divide_is_declined,
    a_namelist_that_cannot_be_written_drops_the_rescale,
    a_namelist_that_cannot_be_written_is_refused_at_the_start,
)
