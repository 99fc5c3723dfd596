# SPDX-License-Identifier: Apache-2.0
"""Where a cluster lies, and what runs in it

A cluster is a name.  All its files are in one folder, all its cgroups below one
of its name, and all its processes in a PID and a network namespace that one
process holds open: process 1 in there (pause.c).  With it they all end, and
with them their mounts and links.

Nothing else has to be remembered to find a cluster again: each of its processes
carries its name in the environment or is in its network.  So one that was made
half is removed like a whole one.
"""

import contextlib
import fcntl
import os
import re
import shutil
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                             "hosts"))

import cgroup  # pylint: disable=wrong-import-position
from proc import (  # pylint: disable=wrong-import-position
    began, fields, is_alive, kill, network, pids, read)

ROOT = "/var/tmp/bellows-cluster"
MARK = "BELLOWS_CLUSTER_MEMBER"
NODE = "BELLOWS_CLUSTER_NODE"
PATIENCE = 30
LOOK_AGAIN = 0.02


class Refused(Exception):
    """In one sentence."""


# ---- processes ----

def says(pid, key, value):
    """So it stands in its environment."""
    return f"{key}={value}".encode() in \
        read(f"/proc/{pid}/environ").split(b"\0")


def is_first(pid):
    """Process 1 of a PID namespace below ours."""
    at = re.search(rb"^NSpid:\s+(.*)$", read(f"/proc/{pid}/status"), re.M)
    numbers = at.group(1).split() if at else []
    return len(numbers) > 1 and numbers[-1] == b"1"


def lineage():
    """This process and those above it."""
    found, pid = [], os.getpid()
    while pid > 0 and pid not in found:
        found.append(pid)
        at = fields(pid)
        pid = int(at[1]) if len(at) > 1 else 0
    return found


def end(what, find, is_ours):
    """Kills those that find() finds until it finds none."""
    deadline = time.monotonic() + PATIENCE
    while left := find():
        if time.monotonic() > deadline:
            raise Refused(f"{what}: processes {left} do not end")
        for pid in left:
            kill(pid, is_ours)
        time.sleep(LOOK_AGAIN)


# ---- a cluster ----

class Place:
    def __init__(self, name):
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", name):
            raise Refused(f"--bed {name}: 1 to 40 of a-z 0-9 -")
        self.name = name
        self.folder = f"{ROOT}/{name}"
        self.logs = self.path("logs")
        self.kubeconfig = self.path("admin.kubeconfig")
        self.cgroup = f"bellows-cluster-{name}"

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def images(self):
        """The folder of what each node reads: the pause image and all that
        were given."""
        return self.path("images")

    # -- finding

    def first(self):
        """Process 1 of the cluster, or None."""
        return next((pid for pid in pids() if says(pid, MARK, self.name)
                     and is_first(pid) and is_alive(pid)), None)

    def is_held(self):
        """The first process is pause, and no longer the shell before it."""
        first = self.first()
        return first is not None and read(f"/proc/{first}/comm") == b"pause\n"

    def members(self):
        first = self.first()
        networks = {network(first)} - {0, network("self"), network(1)} \
            if first else set()
        own = lineage()
        return [pid for pid in pids() if pid not in own and is_alive(pid)
                and self.is_member(pid, networks)]

    def is_member(self, pid, networks=()):
        return says(pid, MARK, self.name) or network(pid) in networks

    def nodes(self):
        """The numbers of those that are there, half or whole."""
        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        return sorted(int(name[4:]) for name in names
                      if re.fullmatch(r"node\d+", name))

    @contextlib.contextmanager
    def nodes_stay(self):
        """Meanwhile no other program adds or removes a node, or loads images."""
        with open(self.path("nodes"), "w", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def of_node(self, number):
        """What keeps a node: its kubelet, its containerd and their kin."""
        return [pid for pid in pids() if is_alive(pid)
                and self.is_of_node(pid, number)]

    def is_of_node(self, pid, number):
        return says(pid, MARK, self.name) and says(pid, NODE, number)

    def is_up(self):
        return os.path.exists(self.path("up")) and self.first() is not None

    # -- going in

    def enter(self, pid, *kinds):
        """Words that run what follows in these namespaces of pid."""
        return ["nsenter", f"--target={pid}",
                *(f"--{kind}" for kind in kinds)]

    def within(self):
        """Words that run what follows as a part of the cluster."""
        first = self.first()
        if first is None:
            raise Refused(f"there is no cluster {self.name}; "
                          "tests/cluster/up makes one")
        return self.enter(first, "net", "mount", "pid")

    def environment(self, binaries):
        return dict(os.environ, **{MARK: self.name},
                    KUBECONFIG=self.kubeconfig,
                    PATH=f"{binaries}/bin:{os.environ['PATH']}")

    # -- ending

    def remove_node(self, number):
        """Its processes, its containers' processes, its cgroups, its files."""
        end(f"node {number}", lambda: self.of_node(number),
            lambda pid: self.is_of_node(pid, number))
        group = f"{self.cgroup}/node{number}"
        end(f"node {number}", lambda: cgroup.members(group),
            lambda pid: pid in cgroup.members(group))
        cgroup.remove(group)
        shutil.rmtree(self.path(f"node{number}"), ignore_errors=True)

    def remove(self):
        """Safe at any time, on what is there."""
        first = self.first()
        networks = {network(first)} - {0, network("self"), network(1)} \
            if first else set()
        end(f"cluster {self.name}", self.members,
            lambda pid: self.is_member(pid, networks))
        cgroup.remove(self.cgroup)
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            os.rmdir(ROOT)
        except OSError:
            pass  # others are there

    # -- its owner

    def own(self, pid):
        with open(self.path("owner"), "w", encoding="ascii") as file:
            file.write(f"{pid} {began(pid)}\n")

    def is_orphan(self):
        """Its owner is dead."""
        at = read(self.path("owner")).split()
        return len(at) == 2 and (not is_alive(int(at[0]))
                                 or began(int(at[0])) != int(at[1]))


def sweep():
    """Removes the clusters whose owners are dead; returns their names."""
    swept = []
    for name in os.listdir(ROOT) if os.path.isdir(ROOT) else []:
        if Place(name).is_orphan():
            Place(name).remove()
            swept.append(name)
    return swept
