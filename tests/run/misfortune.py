# SPDX-License-Identifier: Apache-2.0
"""What befalls a job while it is rescaled: when, to whom, and how

    kill   SIGKILL
    hang   SIGSTOP until it was noticed, or for HANG seconds; then SIGCONT
    cut    the host's cable is out until it was noticed, and then in again

A Case is one of each, in a grow from 2 ranks to 3 or a shrink from 3 to 2.  The
job is `bellows run`, whose monitor replaces executors; where the coordinator is
killed it is a coordinator that is begun again, as a pod's container is.
"""

import collections
import os
import re
import signal
import time

import bed
import harness
from crew import Crew

RUN = 5     # seconds that two ranks compute
HANG = 5    # seconds, unless it is noticed before
PATIENCE = 120
# of a rescale, as the journal calls them
STEPS = {"grow": ("scale", "executors", "prepared", "saved", "stopped",
                  "ranks-up", "resumed", "step"),
         "shrink": ("scale", "prepared", "saved", "stopped", "ranks-up",
                    "resumed", "step")}
HOSTS = ("first", "last", "newest")
PARTS = ("coordinator", "monitor", *HOSTS, "mpiexec", "daemon", "rank-0",
         "last-rank")
DISTURBED = re.compile(r" (?:event (?:lost|crashed|unstarted)|life) ")

Case = collections.namedtuple("Case", "way step part fault")


def name_of(case):
    return (f"{case.part}_{case.fault}_after_{case.step}_in_a_{case.way}"
            .replace("-", "_"))


def all_cases():
    """Those that there are: a shrink has no newcomer, and only hosts have a
    cable."""
    cases = []
    for way, steps in STEPS.items():
        for step in steps:
            for part in PARTS:
                if way == "shrink" and part == "newest":
                    continue
                cases += [Case(way, step, part, fault)
                          for fault in ("kill", "hang", "cut")
                          if fault != "cut" or part in (*HOSTS, "coordinator")]
    return cases


class NotThere(Exception):
    """The part is not there at that step."""


class Job:
    """One that is rescaled while something befalls it."""

    def __init__(self, room, case, work, at=None):
        self.room, self.case, self.work, self.bed = room, case, work, at
        self.before, self.after = (2, 3) if case.way == "grow" else (3, 2)
        path = room.job(work, ranks=(self.before, 1, 3), restarts=20)
        self.crew = None
        if case.part == "coordinator" and case.fault != "cut":
            self.crew = Crew(room, path, self.before)
        else:
            hosts = ["--hosts", at.file()] if at else []
            self.run = room.start("bellows", "run", path, *hosts)
        room.runs_on(self.before)
        self.since = len(self.journal())
        self.struck = 0

    @property
    def lead(self):
        return self.crew.lead if self.crew else self.run

    def journal(self):
        return harness.read(self.room.path("state", "heat", "journal"), "r")

    def is_noticed(self):
        return " was lost: " in self.journal()[self.since:]

    def rescale(self):
        """Up to the step."""
        self.room.run("bellows", "scale", "heat", self.after).ends_with(0)
        if self.crew and self.case.way == "grow":
            self.crew.join("w2")
        word = re.compile(rf"^\w+ \d+ event {self.case.step} ", re.M)
        self.room.wait(self.case.step, lambda: word.search(
            self.journal()[self.since:]) or self.lead.is_over())
        assert not self.lead.is_over(), "it was over before it was struck"

    # -- whom

    def ranks(self):
        """Of the newest start, by number."""
        found = {}
        for pid in self.room.ours("parint"):
            key = (harness.number_of(pid, "BELLOWS_EPOCH"),
                   harness.number_of(pid, "BELLOWS_RANK"))
            found[key] = pid
        newest = max((epoch for epoch, _ in found), default=0)
        return [pid for (epoch, _), pid in sorted(found.items())
                if epoch == newest]

    def candidates(self):
        part = self.case.part
        if part == "coordinator":
            return [self.crew.lead.pid]
        if part == "monitor":
            return self.room.ours("bellows-monitor")
        if part in HOSTS:
            many = {"first": 1, "last": 2, "newest": 3}[part]
            hosts = sorted(self.room.ours("bellows-executor"))
            return hosts[:many] if len(hosts) >= many else []
        if part == "rank-0":
            return self.ranks()[:1]
        if part == "last-rank":
            return self.ranks()
        return sorted(self.room.ours(
            {"mpiexec": "mpiexec", "daemon": "orted"}[part]))

    def victim(self):
        found = self.candidates()
        if not found:
            raise NotThere()
        return found[-1]

    # -- how

    def until_noticed(self):
        self.room.moment(HANG, lambda: self.is_noticed() or
                         self.lead.is_over())

    def cut(self):
        host = {"coordinator": "n0", "first": "n1", "last": "n2",
                "newest": "n3"}[self.case.part]
        self.bed.obey("link", host, "down")
        self.until_noticed()
        self.bed.obey("link", host, "up")

    def strike(self):
        self.struck = time.time()
        if self.case.fault == "cut":
            self.cut()
            return
        pid = self.victim()
        try:
            if self.case.fault == "hang":
                os.kill(pid, signal.SIGSTOP)
                self.until_noticed()
                os.kill(pid, signal.SIGCONT)
            else:
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended by itself meanwhile
        if self.crew and self.case.fault == "kill":
            self.crew.lead.end()
            self.crew.lead = self.crew.begin()

    # -- what came of it

    def sizes(self):
        """That it computed on."""
        logs = self.lead.errors + harness.read(
            self.room.path("state", "heat", "coordinator.log"), "r")
        return {int(n) for n in re.findall(r" -> running size=(\d+)", logs)}

    def end(self):
        self.lead.ends_with(0, PATIENCE)
        assert harness.digest(self.lead.output) == self.work.digest()
        allowed = {self.before, self.after}
        if (self.case.part in (*HOSTS, "monitor") or
                self.case.fault == "cut"):
            # nobody else was there; executors leave with their monitor
            allowed |= {1}
        assert self.sizes() <= allowed, self.sizes()
        return Figures(self)


def repeated(output):
    """Iterations that were printed before a start from an earlier one."""
    last = again = 0
    for resumed, at in re.findall(
            r"^parint: (resumed at )?iteration (\d+) of", output, re.M):
        if resumed:
            again += max(last - int(at), 0)
        last = int(at)
    return again


class Figures:
    """Seconds from the fault to its detection and to the next step of ranks,
    steps computed again; None: it disturbed nothing."""

    def __init__(self, job):
        lines = job.journal()
        wall = int(re.search(r"^\w+ \d+ begun \d+ (\d+)", lines, re.M)[1])
        struck = job.struck * 1000 - wall
        late = [line for line in lines.splitlines()
                if line.split()[1].isdigit() and
                int(line.split()[1]) >= struck]
        self.detected = self.computing = None
        self.repeated = repeated("".join(
            program.output for program in job.room.programs))
        hit = next((i for i, line in enumerate(late)
                    if DISTURBED.search(line)), None)
        if hit is None:
            return
        self.detected = (int(late[hit].split()[1]) - struck) / 1000
        self.computing = next(
            ((int(line.split()[1]) - struck) / 1000 for line in late[hit:]
             if " event step " in line), None)


def befall(room, case):
    """Makes the case; returns its Figures."""
    work = harness.work_for(RUN)
    if case.part == "coordinator":
        room.stale = harness.KILLED
    if case.fault != "cut":
        return run(Job(room, case, work))
    with bed.Bed(room, 3) as at:
        return run(Job(room, case, work, at))


def run(job):
    job.rescale()
    job.strike()
    return job.end()
