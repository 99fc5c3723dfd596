# SPDX-License-Identifier: Apache-2.0
"""Jobs of counter (counter.c), an application that no adapter knows.  They last
a minute, or until the test lets them run to their end.  args: BIN COUNTER"""

import json
import os
import re
import sys

import harness
import paced
from known import known

COUNTER = os.path.abspath(sys.argv.pop(2))
STEPS = 2500
PACE = 24000  # microseconds of one rank for each of the two sums of a step


def environment(room):
    """Of a job file: the ranks are paced."""
    room.pace(PACE)
    return json.dumps(paced.environment(room.path("pace")))


def job(room, checkpoint, *more, restarts=3):
    """A job file for counter.  checkpoint: its section; more: arguments."""
    command = [COUNTER, STEPS, "--save", "{checkpoint}/state", *more]
    return room.write("heat.yaml", f"""name: heat
app: generic
command: {harness.flow(command)}
restart: {harness.flow(command + ["--from", "{checkpoint}/state"])}
ranks: {{initial: 2, max: 6}}
restarts: {restarts}
checkpoint: {{{checkpoint}}}
generic:
  files: [state]
  save: {{signal: SIGUSR2}}
  progress: "^step ([0-9]+) of ([0-9]+)$"
  resumed: "^from step ([0-9]+)$"
environment: {environment(room)}
""")


def sums(output):
    """With the ranks that printed them."""
    return re.findall(r"^sum ([0-9a-f]{16}) on (\d)$", output, re.M)


def plain_sum():
    """Of plain mpiexec.  One rank waits for no other, however busy the machine
    is."""
    return known(lambda: sums(harness.mpiexec(
        1, COUNTER, STEPS, patience=harness.PATIENCE))[0][0], COUNTER, STEPS)


def has_its_sum(room, at, ranks):
    """Lets the job run to its end; it has the sum of plain mpiexec, once."""
    room.runs_out(at)
    assert sums(at.output) == [(plain_sum(), str(ranks))], sums(at.output)
    return at
