# SPDX-License-Identifier: Apache-2.0
"""Where a job runs: hosts that each have a fixed share of one processor.

Six hosts with 0.3 of a processor each are 1.8 of the two that a small machine
has: a program on six of them goes three times as fast as on two, although there
are never more than two processors.  The share is a quota of a control group,
granted anew in each period of 10 ms; the periods of hosts begin anywhere.  A
rank that waits by looking burns its quota, and is stopped when what it waited
for has come: where ranks wait for each other more often than once a period, six
hosts would be slower than two.  So ranks that wait sleep (nap.c); what is left
is the quota for computing, and how often they wait does not matter.

Namespaces   hosts with an address of their own, by tests/hosts/hosts; the
             command stands beside them, with as much processor as it uses
Plain        groups of processes of this machine; only their processor is shared out

Either removes all that it made, however it is left.
"""

import json
import os
import shutil
import subprocess
import sys

import runs
from runs import Failed

ROOT = os.path.dirname(runs.HERE)
HOSTS = os.path.join(ROOT, "tests/hosts/hosts")
sys.path.insert(1, os.path.dirname(HOSTS))
import share as groups                                        # noqa: E402

PROGRAMS = ("bellows", "bellows-coordinator", "bellows-executor",
            "bellows-launch", "bellows-monitor", "bellows-supersteps", "parint")
PATIENCE = 60

# In place of bellows-executor: worker-N into group N, with all that it starts.
EXECUTOR = """#!/bin/sh
for word; do
	case $word in
	worker-*) echo $$ >'{group}'/"${{word#worker-}}"/cgroup.procs || exit ;;
	esac
done
exec '{bindir}/bellows-executor' "$@"
"""


def refusal():
    """Why it cannot be done here, or None."""
    return None if os.getuid() == 0 else \
        "hosts and control groups need root"


def make_nap(folder):
    """The path of what ranks preload."""
    path = os.path.join(folder, "nap.so")
    try:
        done = subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", "-o", path,
             os.path.join(runs.HERE, "nap.c")], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE, check=False)
    except FileNotFoundError:
        raise Failed("no cc to compile nap.c with; see --spin") from None
    if done.returncode != 0:
        raise Failed(f"cc nap.c: {done.stderr.strip()}")
    return path


class Plain:
    def __init__(self, bindir, folder, hosts, share):
        self.bindir, self.hosts, self.share = bindir, hosts, share
        self.programs = os.path.join(folder, "programs")
        self.name = f"bench-{os.getpid()}"

    def copy_programs(self):
        os.mkdir(self.programs)
        for name in PROGRAMS:
            shutil.copy2(os.path.join(self.bindir, name), self.programs)
        path = os.path.join(self.programs, "bellows-executor")
        os.unlink(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(EXECUTOR.format(group=groups.group(self.name),
                                       bindir=self.bindir))
        os.chmod(path, 0o755)

    def __enter__(self):
        self.copy_programs()
        try:
            for i in range(self.hosts):
                groups.make(self.name, str(i), self.share)
        except OSError as reason:
            self.__exit__()
            raise Failed(f"no share of a processor: {reason}") from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        groups.remove(self.name)

    def words(self, job, state):
        return [os.path.join(self.programs, "bellows"), "run", job, "--state",
                state]


class Namespaces:
    def __init__(self, bindir, folder, hosts, share):
        self.bindir, self.hosts, self.share = bindir, hosts, share
        self.file = os.path.join(folder, "hosts")
        self.name = f"bench-{os.getpid()}"

    def call(self, *words):
        done = subprocess.run(
            [HOSTS, "--bed", self.name, *words], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            raise Failed(done.stderr.strip() or f"hosts {words[0]} failed")
        return done.stdout

    def write_file(self):
        shown = json.loads(self.call("show"))
        with open(self.file, "w", encoding="ascii") as file:
            for i in range(1, self.hosts + 1):
                file.write(f"n{i} {shown[f'n{i}']['address']} {HOSTS} "
                           f"--bed {self.name} run n{i}\n")

    def __enter__(self):
        cpu = ["--cpu", str(self.share)] if self.share else []
        try:
            self.call("up", str(self.hosts), *cpu, "--owner",
                      str(os.getpid()))
            self.write_file()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.call("down")

    def words(self, job, state):
        return [HOSTS, "--bed", self.name, "run", "n0",
                os.path.join(self.bindir, "bellows"), "run", job, "--state",
                state, "--hosts", self.file]
