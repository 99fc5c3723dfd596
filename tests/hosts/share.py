# SPDX-License-Identifier: Apache-2.0
"""A share of one processor for each host of a bed, by control groups

Version 1 or 2, whichever this machine has.  The period is short, so that a host
seems slow rather than asleep for long: 10 ms, where the kernel allows 1 ms.
"""

import os
import time

V1, V2 = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup"
PERIOD = 10000  # microseconds
LEAST = 1000    # that the kernel grants in a period
PATIENCE = 5


def is_v2():
    return os.path.exists(f"{V2}/cgroup.controllers")


def group(bed, host=""):
    return os.path.join(V2 if is_v2() else V1, f"bellows-bed-{bed}", host)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def make(bed, host, processors):
    at, quota = group(bed, host), max(LEAST, int(processors * PERIOD))
    os.makedirs(at, exist_ok=True)
    if is_v2():
        for parent in (V2, group(bed)):
            write(f"{parent}/cgroup.subtree_control", "+cpu")
        write(f"{at}/cpu.max", f"{quota} {PERIOD}")
        return
    write(f"{at}/cpu.cfs_period_us", str(PERIOD))
    write(f"{at}/cpu.cfs_quota_us", str(quota))


def enter(bed, host):
    """This process, and with it whatever it starts or becomes."""
    if os.path.isdir(group(bed, host)):
        write(f"{group(bed, host)}/cgroup.procs", str(os.getpid()))


def remove(bed):
    """Once no process is left; one that just died may hold it for a moment."""
    folder = group(bed)
    if not os.path.isdir(folder):
        return
    deadline = time.monotonic() + PATIENCE
    for at in [entry.path for entry in os.scandir(folder) if entry.is_dir()] \
            + [folder]:
        while True:
            try:
                os.rmdir(at)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
