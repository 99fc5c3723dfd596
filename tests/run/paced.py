# SPDX-License-Identifier: Apache-2.0
"""Ranks of parint that nap (pace.c): a job is long, and computes next to nothing"""

import os
import sys

SHIM = os.path.join(os.path.abspath(os.path.dirname(sys.argv[1]) or "."),
                    "pace.so") if len(sys.argv) > 1 else ""
ITERATIONS = 100         # a second, on two ranks
ON_ONE_RANK = 2 * 1000000 // ITERATIONS  # microseconds


def environment(path, more=None):
    """Of the ranks.  path: the pace file; more: what else they are given."""
    more = dict(more or {})
    preloaded = [SHIM] + [more[key] for key in ["LD_PRELOAD"] if key in more]
    # a program under a sanitizer wants to be the first that is loaded
    return {"ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0", **more,
            "LD_PRELOAD": ":".join(preloaded), "PACE_FILE": path,
            "OMPI_MCA_mpi_yield_when_idle": "1"}


def write(path, microseconds):
    """A rank that reads it meanwhile finds the old number or the new one."""
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(f"{microseconds}\n")
    os.rename(path + ".new", path)
