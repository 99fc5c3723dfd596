# SPDX-License-Identifier: Apache-2.0
"""Jobs of counter (counter.c), an application that no adapter knows.  They last
a minute, or until the test lets them run to their end.  args: BIN COUNTER"""

import json
import os
import re
import subprocess
import sys
import tempfile

import harness
import paced

COUNTER = os.path.abspath(sys.argv.pop(2))
STEPS = 2500
PACE = 24000  # microseconds of one rank for each of the two sums of a step


def environment(room):
    """A line of a job file: the ranks are paced."""
    room.pace(PACE)
    words = paced.environment(room.path("pace"))
    return f"environment: {json.dumps(words)}\n"


def plain_sum():
    """Of plain mpiexec.  One rank waits for no other, however busy the machine
    is."""
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        output = subprocess.run(
            [harness.MPIEXEC, "-n", "1", COUNTER, str(STEPS)],
            env=dict(os.environ, TMPDIR=folder, ASAN_OPTIONS="detect_leaks=0",
                     **harness.AS_ROOT),
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=harness.PATIENCE, check=True).stdout
    return re.search(r"^sum ([0-9a-f]{16}) on 1$", output, re.M).group(1)


def has_its_sum(room, at, ranks):
    """Lets the job run to its end; it has the sum of plain mpiexec, once."""
    room.pace(0)
    at.ends_with(0, 180)
    found = re.findall(r"^sum ([0-9a-f]{16}) on (\d)$", at.output, re.M)
    assert found == [(plain_sum(), str(ranks))], found
    return at
