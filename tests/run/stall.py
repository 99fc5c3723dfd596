#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that stand still.  args: BIN COUNTER

How long a rank is stopped follows from what is seen of the job.  A machine that
is busy may have a job stand still that no test has stopped: nothing here asserts
that none does.
"""

import os
import re
import signal
import urllib.request

import counted
import harness

AFTER = "5s"
STANDS = "the job stands still: "
GOES_ON = "the job gets on again: "


def stopped(room, program):
    """A rank of it, which makes all of them wait."""
    rank = max(room.ours(program))
    os.kill(rank, signal.SIGSTOP)
    return rank


def stands_still(room, sentence):
    return room.wait_job("it stands still", lambda job:
                         job["stall"].startswith(sentence))


def gets_on(room):
    return room.wait_job("it gets on", lambda job: job["stall"] == "")


def no_step_is_told_until_the_next_one(room):
    work = harness.lasting_work()
    state = room.path("state", "heat")
    lead = room.start("bellows-coordinator", "--job",
                      room.job(work, stall_after=AFTER), "--state", state,
                      "--metrics", "127.0.0.1:0")
    address = room.wait("an address", lambda: harness.read(
        os.path.join(state, "address"), "r").strip())
    crew = [room.start("bellows-executor", "--coordinator", address,
                       "--name", f"w{number}") for number in range(2)]
    room.runs_on(2)
    page = re.search(r"metrics at (\S+)", lead.errors)[1]

    def figure():
        with urllib.request.urlopen(page, timeout=harness.PATIENCE) as answer:
            return float(re.search(r"^bellows_stalled_seconds (\S+)$",
                                   answer.read().decode(), re.M)[1])

    rank = stopped(room, "parint")
    job = stands_still(room, "no progress after ")
    assert job["state"] == "running" and job["epoch"] == 1, job
    assert figure() >= 5
    shown = room.run("bellows", "status", "heat").ends_with(0).output
    assert "\nit stands still: no progress after " in shown, shown
    os.kill(rank, signal.SIGCONT)
    gets_on(room)
    room.wait("the figure is 0 again", lambda: figure() == 0)
    room.finishes(lead, work).says(STANDS + "no progress after ", GOES_ON)
    for hand in crew:
        hand.ends_with(0)


def ranks_that_stand_still_start_again_from_the_checkpoint(room):
    work = harness.lasting_work()
    at = room.start("bellows", "run", room.job(
        work, stall_after=AFTER, on_stall="restart", restarts=100))
    room.runs_on(2)
    room.scale(3).ends_with(0)
    before = room.runs_on(3)["epoch"]
    stopped(room, "parint")
    job = room.runs_on(3, after=before)
    assert any(rescale["reason"].startswith("no progress after ")
               for rescale in job["history"]), job["history"]
    room.finishes(at, work).says(STANDS, GOES_ON)
    assert re.search(r"^parint: resumed at iteration [1-9]", at.output, re.M)


def unknown(room, words):
    """A job whose steps no pattern tells."""
    return room.write("heat.yaml", f"""name: heat
app: generic
command: {harness.flow([*words, counted.COUNTER, counted.STEPS])}
ranks: {{initial: 2}}
checkpoint: {{dir: ck}}
generic: {{files: [state], proof: none}}
environment: {counted.environment(room)}
stall_after: {AFTER}
""")


def where_steps_are_not_known_any_output_counts(room):
    at = room.start("bellows", "run", unknown(room, []))
    room.wait("output", lambda: "step 10 of" in at.output)
    rank = stopped(room, "counter")
    stands_still(room, "no output for ")
    os.kill(rank, signal.SIGCONT)
    gets_on(room)
    counted.has_its_sum(room, at, 2).says(STANDS + "no output for ", GOES_ON)


def an_application_that_prints_nothing_is_taken_for_one_that_stands(room):
    at = room.start("bellows", "run", unknown(
        room, ["sh", "-c", 'exec "$@" > /dev/null', "sh"]))
    stands_still(room, "no output for ")
    room.runs_out(at)
    at.says(STANDS + "no output for ")


harness.main(
    no_step_is_told_until_the_next_one,
    ranks_that_stand_still_start_again_from_the_checkpoint,
    where_steps_are_not_known_any_output_counts,
    an_application_that_prints_nothing_is_taken_for_one_that_stands,
)
