# SPDX-License-Identifier: Apache-2.0
"""Control groups of this machine, of version 1 or 2"""

import os
import sys

# For a shell: prints the limit of its own group, a quota first.
LIMIT = r"""cat \
    /sys/fs/cgroup/cpu$(sed -n 's/^[0-9]*:cpu\(,cpuacct\)*://p' /proc/self/cgroup)/cpu.cfs_quota_us \
    /sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/cpu.max 2> not-there"""


def own():
    """The folder of this program's group."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        groups = {names: path for _, names, path in
                  (line.strip().split(":", 2) for line in file)}
    for names, path in groups.items():
        if "cpu" in names.split(","):
            return "/sys/fs/cgroup/cpu" + path
    return "/sys/fs/cgroup" + groups.get("", "/")


def need():
    """Ends the suite where no groups can be made."""
    if not os.access(own(), os.W_OK):
        print(f"1..0 # SKIP needs the right to make control groups in {own()}")
        sys.exit(0)
