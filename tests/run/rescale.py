#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job that grows and shrinks computes what it would have.  args: BIN"""

import glob
import re
import xml.etree.ElementTree

import harness

SCHEDULE = "{schedule: [{at: 1%, ranks: 4}, {at: 15%, ranks: 3}]}"
SVG = "{http://www.w3.org/2000/svg}svg"


def its_end_comes_closer(room):
    """The status tells the rate, and the time that is left with its deviation."""
    first = room.wait_job("a measured end", lambda job: job["eta_sd_ms"])
    assert first["steps_per_s"] > 0 and first["total"] == 2000, first
    room.wait_job("a sooner end", lambda job:
                  job["eta_ms"] and job["eta_ms"] < first["eta_ms"])
    status = room.run("bellows", "status", "heat").ends_with(0).output
    assert re.search(r"^step \d+ of 2000, [\d.]+ steps/s, .* \+- .* left$",
                     status, re.M), status


def rescaled(room, *options, steps=False, meanwhile=lambda room: None):
    work = harness.lasting_work(steps=steps)
    at = room.start("bellows", "run", room.job(work, scale=SCHEDULE), *options)
    room.runs_on(3)
    meanwhile(room)
    return room.finishes(at, work)


def a_job_that_went_to_4_and_to_3_has_the_digest_of_plain_mpiexec(room):
    at = rescaled(room, meanwhile=its_end_comes_closer)
    assert len(re.findall(r"^parint: resumed at", at.output, re.M)) == 2
    at.says("running on 2 ranks", "running on 4 ranks", "running on 3 ranks",
            "done after", ", 2 rescales")


def no_step_is_lost_or_done_twice(room):
    at = rescaled(room, steps=True)
    steps = [int(step) for step in re.findall(
        r"^parint: iteration (\d+) of \d+ at [0-9.]+$", at.output, re.M)]
    assert steps == list(range(1, harness.lasting_work().iterations + 1))
    saved = re.findall(r"^parint: checkpoint at iteration (\d+),", at.output,
                       re.M)
    resumed = re.findall(r"^parint: resumed at iteration (\d+) ", at.output,
                         re.M)
    assert len(saved) == 2 and saved == resumed


def stdout_is_what_the_application_prints_and_nothing_else(room):
    at = rescaled(room)
    epochs = sorted(glob.glob(room.path("state", "heat", "epoch-*.stdout")))
    assert len(epochs) == 3
    assert at.output == "".join(harness.read(path, "r") for path in epochs)
    assert all(line.startswith("parint: ") for line in at.output.splitlines())
    assert "parint: " not in at.errors


def the_timeline_is_an_svg_of_all_sizes(room):
    path = room.path("heat.svg")
    rescaled(room, "--timeline", path)
    tree = xml.etree.ElementTree.parse(path)
    assert tree.getroot().tag == SVG
    text = " ".join(tree.getroot().itertext())
    for ranks in "234":
        assert re.search(rf"\b{ranks}\b", text)


def quiet_says_nothing_but_the_output(room):
    at = rescaled(room, "--quiet")
    assert at.errors == ""


harness.main(
    a_job_that_went_to_4_and_to_3_has_the_digest_of_plain_mpiexec,
    no_step_is_lost_or_done_twice,
    stdout_is_what_the_application_prints_and_nothing_else,
    the_timeline_is_an_svg_of_all_sizes,
    quiet_says_nothing_but_the_output,
)
