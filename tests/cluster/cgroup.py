# SPDX-License-Identifier: Apache-2.0
"""A cgroup of one name in each hierarchy there is, of version 1 and 2"""

import glob
import os
import time

ROOT = "/sys/fs/cgroup"
PATIENCE = 20
LOOK_AGAIN = 0.02


def is_unified():
    return os.path.exists(f"{ROOT}/cgroup.controllers")


def hierarchies():
    if is_unified():
        return [ROOT]
    return [os.path.dirname(path) for path in
            glob.glob(f"{ROOT}/*/cgroup.procs")
            if not os.path.islink(os.path.dirname(path))]


def read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def make(name):
    """With all that is above it; name: as bed/node1."""
    for top in hierarchies():
        at = top
        for part in name.split("/"):
            if is_unified():
                share_controllers(at)
            at = f"{at}/{part}"
            os.makedirs(at, exist_ok=True)
            for file in ("cpuset.cpus", "cpuset.mems"):
                inherit(at, file)


def weigh(name, sessions):
    """It may have as much processor time as so many sessions outside of it:
    the kernel gives a group as much as one session."""
    for top in hierarchies():
        for file, one in (("cpu.shares", 1024), ("cpu.weight", 100)):
            if os.path.exists(f"{top}/{name}/{file}"):
                write(f"{top}/{name}/{file}", str(sessions * one))


def inherit(at, file):
    """Version 1 starts a cpuset with nothing, in which nothing can run."""
    if os.path.exists(f"{at}/{file}") and not is_unified() \
            and not read(f"{at}/{file}").strip():
        write(f"{at}/{file}", read(f"{os.path.dirname(at)}/{file}"))


def share_controllers(at):
    """Version 2 gives the groups below only what it is told to."""
    for name in read(f"{at}/cgroup.controllers").split():
        write(f"{at}/cgroup.subtree_control", f"+{name}")


def all_of(name):
    """Its folders and those below, the deepest first."""
    found = []
    for top in hierarchies():
        found += [at for at, _, _ in os.walk(f"{top}/{name}", topdown=False)]
    return found


def members(name):
    """The processes in it and below."""
    return sorted({int(pid) for at in all_of(name)
                   for pid in read(f"{at}/cgroup.procs").split()} - {0})


def remove(name):
    """Once nothing runs in it; the last to leave may still be leaving."""
    deadline = time.monotonic() + PATIENCE
    while left := all_of(name):
        for at in left:
            try:
                os.rmdir(at)
            except OSError as reason:
                if time.monotonic() > deadline:
                    raise OSError(f"cannot remove {at}: {reason}") from None
        time.sleep(LOOK_AGAIN)
