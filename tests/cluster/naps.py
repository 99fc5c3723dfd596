# SPDX-License-Identifier: Apache-2.0
"""Jobs of parint in pods, as long as a test wants

The ranks nap (tests/run/pace.c) instead of computing.  The library and the file
that says how long lie in the job's volume, which is a folder of this machine:
so images and manifests stay as they are, and a test lets its job run to its end
when it has seen all that it wanted to see.
"""

import os
import shutil

import harness
import paced

# Minutes, on any number of ranks; at once, when it may.  It is of so few steps
# because without a nap a step is a message between busy pods.
WORK = harness.Work(10007, 1500, 1)
SLOWLY = 600000  # microseconds for a step on one rank
BRISKLY = 40000
FOLDER = "/data/pace"
KEYS = {
    "environment": {"LD_PRELOAD": f"{FOLDER}/pace.so",
                    "PACE_FILE": f"{FOLDER}/us"},
    # ranks of other pods are on the same processors, and do not know it
    "mpi": {"arguments": ["--mca", "mpi_yield_when_idle", "1"]},
}
CLAIM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                     "k8s", "base", "data.yaml")


def volume(space):
    """Where the job's volume is on this machine, or None so far."""
    name = space.get("pvc", "heat-data").get("spec", {}).get("volumeName")
    path = name and space.cluster.place.path("volumes", name)
    return path if path and os.path.isdir(path) else None


def furnish(path, pace=SLOWLY):
    """The volume that lies there gets what the ranks need."""
    folder = os.path.join(path, "pace")
    os.mkdir(folder)
    shutil.copy(paced.SHIM, folder)
    paced.write(os.path.join(folder, "us"), pace)


def hurry(path):
    """From now on no step takes longer than it must."""
    paced.write(os.path.join(path, "pace", "us"), 0)


def prepare(space, pace=SLOWLY):
    """The volume comes before the job."""
    space.kubectl("apply", "--filename", CLAIM)
    furnish(space.wait("the job's volume", lambda: volume(space)), pace)


def is_paced(space):
    return bool(volume(space)) and os.path.isdir(
        os.path.join(volume(space), "pace"))


def end(space):
    """The same in a cluster."""
    hurry(volume(space))
