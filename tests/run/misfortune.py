# SPDX-License-Identifier: Apache-2.0
"""What befalls a job while it is rescaled: when, to which process, and how

    kill   SIGKILL
    hang   SIGSTOP until it was noticed, or for HANG seconds; then SIGCONT
    sleep  SIGSTOP for SLEEP seconds, whether it was noticed or not; then SIGCONT
    cut    the host's cable is out until it was noticed, and then in again

A Case is one of each, in a grow from 2 ranks to 3 or a shrink from 3 to 2; a
second case of the same rescale may be struck at the same moment.  The job is
`bellows run`, whose monitor replaces executors; where the coordinator is killed
it is programs that are begun again, as a pod's containers are.

The ranks nap (pace.c): the job is not over before the fault was felt, or had
its time to be, and it runs on the size that was stated.  The size is stated
once: a rescale that the fault had dropped is made again without being asked for.
"""

import collections
import os
import re
import signal
import time

import bed
import harness
from crew import Crew

WORK = harness.Work(10007, 4000, 1, pace=250000)  # 333 s on three ranks
HANG = 5    # seconds, unless it is noticed before
SLEEP = 30  # seconds
FELT = {"kill": 20, "hang": 2, "sleep": 2, "cut": 5}  # seconds then, at most
CONCLUDED = 10  # seconds: three times as long as a lost one is waited for
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
# besides, the newcomer was lost, or did not come; a monitor that ended had its
# executors leave
DROPPED = re.compile(r" event (?:unprepared|unsaved|timeout|leave) ")
# an executor may be lost before the coordinator knows it
NEWCOMER = re.compile(r'executor=\S+ lost|ended with="signal 9"|'
                      r"the monitor has ended")

Case = collections.namedtuple("Case", "way step part fault")


def name_of(case, second=None):
    also = f"and_{second.part}_{second.fault}_" if second else ""
    return (f"{case.part}_{case.fault}_{also}after_{case.step}_in_a_{case.way}"
            .replace("-", "_"))


def all_cases(*faults):
    """Those that there are: a shrink has no newcomer, and only hosts have a
    cable."""
    return [Case(way, step, part, fault)
            for way, steps in STEPS.items() for step in steps
            for part in PARTS for fault in faults
            if (way, part) != ("shrink", "newest")
            and (fault != "cut" or part in (*HOSTS, "coordinator"))]


def all_pairs():
    """The coordinator is in none: where it is begun by hand there is no monitor,
    and an executor that was lost is begun again only at the end."""
    cases = [case for case in all_cases("kill", "hang")
             if case.part != "coordinator"]
    return [(one, two) for one in cases for two in cases
            if one[:2] == two[:2] and one.part != two.part]


class NotThere(Exception):
    """The part is not there at that step."""


class Job:
    """One that is rescaled while something befalls it."""

    def __init__(self, room, case, second, launcher, at):
        self.room, self.case, self.second, self.bed = room, case, second, at
        self.before, self.after = (2, 3) if case.way == "grow" else (3, 2)
        path = room.job(WORK, ranks=(self.before, 1, 3), restarts=20,
                        mpi=f"{{launcher: {launcher}}}")
        self.crew = None
        if case.part == "coordinator" and case.fault != "cut":
            self.crew = Crew(room, path, self.before)
        else:
            hosts = ["--hosts", at.file()] if at else []
            self.run = room.start("bellows", "run", path, *hosts)
        room.runs_on(self.before)
        self.since = len(self.journal())
        self.struck = 0
        self.journal_then = self.losses_then = 0  # when it was struck

    @property
    def lead(self):
        return self.crew.lead if self.crew else self.run

    def journal(self):
        return harness.read(self.room.path("state", "heat", "journal"), "r")

    def log(self):
        """Of the coordinator, and of those before it."""
        return harness.read(
            self.room.path("state", "heat", "coordinator.log"), "r") + \
            "".join(program.errors for program in self.room.programs
                    if program.name == "bellows-coordinator")

    def losses(self):
        """Ends of executors that the coordinator or the monitor has logged."""
        seen = self.log() + self.lead.errors + harness.read(
            self.room.path("state", "heat", "monitor.log"), "r")
        return len(NEWCOMER.findall(seen))

    def states(self):
        """That it came to, in turn, each with its size."""
        return re.findall(r" -> (\w+) size=(\d+)", self.log())

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

    # -- processes

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

    def candidates(self, part):
        if part == "coordinator":
            return [self.crew.lead.pid]
        if part == "monitor":
            return self.room.ours("bellows-monitor")
        if part in HOSTS:
            many = {"first": 1, "last": 2, "newest": 3}[part]
            hosts = sorted(self.room.ours("bellows-executor"), key=harness.began)
            return hosts[:many] if len(hosts) >= many else []
        if part == "rank-0":
            return self.ranks()[:1]
        if part == "last-rank":
            return self.ranks()
        return sorted(self.room.ours(
            {"mpiexec": "mpiexec", "daemon": "orted"}[part]), key=harness.began)

    def victim(self, part):
        found = self.candidates(part)
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
        self.journal_then = len(self.journal())
        self.losses_then = self.losses()
        self.struck = time.time()
        if self.case.fault == "cut":
            self.cut()
            return
        cases = [self.case] + [self.second] * bool(self.second)
        victims = [(self.victim(case.part), case.fault) for case in cases]
        for pid, fault in victims:
            harness.send(pid, signal.SIGKILL if fault == "kill"
                         else signal.SIGSTOP)
        if self.case.fault == "sleep":
            self.room.moment(SLEEP, self.lead.is_over)
        elif "hang" in (fault for _, fault in victims):
            self.until_noticed()
        for pid, _ in victims:
            harness.send(pid, signal.SIGCONT)
        if self.crew and self.case.fault == "kill":
            self.crew.lead.end()
            self.crew.lead = self.crew.begin()

    # -- what came of it

    def is_disturbed(self):
        return DISTURBED.search(self.journal()[self.journal_then:])

    def is_decided(self):
        """The coordinator has drawn a conclusion from it."""
        return self.is_disturbed() or DROPPED.search(
            self.journal()[self.journal_then:])

    def is_felt(self):
        """By the coordinator, or at least by the monitor."""
        return self.is_decided() or self.losses() > self.losses_then

    def until_felt(self):
        self.room.moment(FELT[self.case.fault],
                         lambda: self.is_felt() or self.lead.is_over())
        if self.is_felt():
            # the monitor may see its executor's end before the coordinator
            self.room.moment(CONCLUDED,
                             lambda: self.is_decided() or self.lead.is_over())

    def has_arrived(self):
        """On the size that was stated."""
        assert not self.lead.is_over(), "it is over, and was to compute on"
        if self.crew:
            self.crew.restart_failed()
        if self.states()[-1][0] != "running":
            return False  # asking costs more than reading
        job = self.room.status()
        if not job:
            return False
        assert job["want"] == self.after, job
        return harness.runs(job, self.after)

    def may_shrink_to_1(self):
        """Whether one executor may have been left: executors leave with their
        monitor, and one that was cut off or stopped is as good as lost."""
        part, fault = self.case.part, self.case.fault
        return self.is_decided() and (
            self.second or part in ("first", "last", "monitor") or
            part == "coordinator" and fault == "cut")

    def finish(self):
        self.room.finishes(self.lead, WORK, PATIENCE)

    def end(self):
        self.room.wait(f"{self.after} ranks", self.has_arrived, PATIENCE,
                       harness.ASK_AGAIN)
        self.finish()
        sizes = [int(size) for state, size in self.states()
                 if state == "running"]
        allowed = {self.before, self.after}
        if self.may_shrink_to_1():
            allowed |= {1}
        assert set(sizes) <= allowed and sizes[-1] == self.after, sizes
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
    steps computed again; None: it disturbed no rank.  felt: it disturbed
    something."""

    def __init__(self, job):
        self.felt = bool(job.is_felt())
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


def befall(room, case, second=None, launcher="stream"):
    """Makes the case, or both; returns its Figures."""
    if case.part == "coordinator":
        room.stale = harness.KILLED
    if case.fault != "cut":
        return run(Job(room, case, second, launcher, None))
    if os.getuid() != 0:
        raise harness.Skip("only root has hosts with cables")
    with bed.Bed(room, 3) as at:
        return run(Job(room, case, second, launcher, at))


def run(job):
    job.rescale()
    try:
        job.strike()
    except NotThere:
        job.finish()
        raise
    job.until_felt()
    return job.end()
