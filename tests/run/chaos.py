#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs to which anything happens at any time, and each ends with its digest.
args: BIN

What happens is drawn by lot, to 200 jobs, or fewer if that takes three minutes;
BELLOWS_WHOLE=1: however long it takes.  BELLOWS_SEED: of the lot.

A job that was ended is begun again only if something that was done to it
explains how it ended.  A report of a sanitizer fails the test, whatever program
wrote it and however its job ended; a program that aborts writes one, too.
"""

import glob
import os
import re
import signal
import time

import harness
import paced

JOBS = 200
# So many are made however long it takes: a slow machine makes the test longer,
# and does not make it fail.
FLOOR = 20
MINUTES = harness.some(1000, 3)
RUN = 3         # seconds that two ranks compute
AGAIN = 10      # times that a job that was ended is begun again
PATIENCE = 120
PARTS = ("bellows-coordinator", "bellows-monitor", "bellows-executor",
         "mpiexec", "orted", "parint")
FAULTS = ("kill", "hang", "leave", "scale", "scale")
INTERNAL = 70  # of `bellows run` whose coordinator was ended by a signal
# Of programs that made a mistake; nothing here sends these.
MISTAKES = {signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGBUS,
            signal.SIGFPE, signal.SIGSEGV, signal.SIGSYS}
UNDEFINED = re.compile(rb"^\S+:\d+:\d+: runtime error: .*$", re.M)
REPORT = 40  # lines of it that are shown


def watch_sanitizers(room):
    """They write reports to files, and one when a program aborts."""
    os.mkdir(room.path("reports"))
    path = room.path("reports", "program")
    for key, more in {"ASAN_OPTIONS": ["handle_abort=1"],
                      "UBSAN_OPTIONS": []}.items():
        given = [room.env[key]] if key in room.env else []
        room.env[key] = ":".join(given + more + [f"log_path={path}"])


def environment(room):
    """What the ranks are told about sanitizers."""
    given = paced.environment("")["ASAN_OPTIONS"]
    return {"ASAN_OPTIONS": f"{given}:handle_abort=1:log_path="
                            f"{room.path('reports', 'rank')}"}


def show(path, since=0):
    print(f"# {os.path.basename(path)}:")
    lines = harness.read(path)[since:].decode(errors="replace").splitlines()
    for line in lines[:REPORT]:
        print(f"#   {line[:200]}")


def no_sanitizer_reports(room, state, programs):
    paths = glob.glob(room.path("reports", "*"))
    for path in paths:
        show(path)
    assert not paths, f"{len(paths)} reports of sanitizers"
    # beside the other one, GCC's UBSan writes to stderr whatever it is told
    for path in [path for program in programs for path in program.paths] + [
            path for path in glob.glob(f"{state}/**", recursive=True)
            if os.path.isfile(path)]:
        found = UNDEFINED.search(harness.read(path))
        if found:
            show(path, found.start())
        assert not found, found[0].decode(errors="replace")


def nobody_made_a_mistake(room, name, programs):
    """In a job: its state directory has this name."""
    state = room.path("state", name)
    no_sanitizer_reports(room, state, programs)
    for program in programs:
        status = program.process.poll()
        assert status is None or -status not in MISTAKES, \
            f"{program.name} was ended by signal {-status}"
    for path in glob.glob(f"{state}/**/monitor.log", recursive=True):
        # the monitor tells how its executors ended
        for line, signo in re.findall(r'^(.* ended with="signal (\d+)".*)$',
                                      harness.read(path, "r"), re.M):
            assert int(signo) not in MISTAKES, line


class Job:
    def __init__(self, room, number):
        self.room, self.dice = room, harness.dice(number)
        self.name = f"c{number}"
        self.work = harness.work_for(RUN, self.dice.choice(
            (60013, 80021, 99991)))
        folder = room.path(f"ck{number}")
        os.mkdir(folder)
        self.path = room.job(self.work, name=self.name, restarts=1000,
                             ranks=(self.dice.randint(1, 4), 1, 4),
                             checkpoint=f"{{dir: {folder}}}",
                             environment=environment(room))
        self.said, self.faults, self.ends = [], 0, []
        self.first = len(room.programs)
        self.begin()

    def begin(self):
        self.is_struck = False  # its coordinator was
        self.at = self.room.start("bellows", "run", self.path)

    def moment(self, longest):
        self.room.moment(longest * self.dice.random(), self.at.is_over)

    def one_of(self, parts):
        found = sorted(pid for part in parts for pid in self.room.ours(part))
        return self.dice.choice(found) if found else None

    def befall(self, fault):
        self.faults += 1
        if fault == "scale":
            size = self.dice.randint(1, 4)
            self.said.append(f"scale {size}")
            self.room.run("bellows", "scale", self.name, size)
            return
        part = self.dice.choice(PARTS) if fault != "leave" \
            else "bellows-executor"
        pid = self.one_of([part])
        self.said.append(f"{fault} {part} {pid}")
        if pid is None:
            return
        signo = {"kill": signal.SIGKILL, "hang": signal.SIGSTOP,
                 "leave": signal.SIGTERM}[fault]
        if harness.send(pid, signo) and part == "bellows-coordinator":
            self.is_struck = True
        if fault == "hang":
            self.moment(4)
            harness.send(pid, signal.SIGCONT)

    def live(self):
        for _ in range(self.dice.randint(1, 5)):
            self.moment(1.5)
            if not self.at.is_over():
                self.befall(self.dice.choice(FAULTS))

    def is_explained(self, status):
        """By what was done to it since it was begun."""
        return status == INTERNAL and self.is_struck and \
            f"ended by signal {signal.SIGKILL:d} " in self.at.errors

    def end(self):
        for _ in range(AGAIN):
            status = self.at.end(PATIENCE)
            nobody_made_a_mistake(self.room, self.name,
                                  self.room.programs[self.first:])
            if status == 0:
                # again if mpiexec was killed when it had been printed
                assert harness.digest(self.at.output, again=True) == \
                    self.work.digest()
                return
            self.said.append(f"ended with {status}")
            self.ends.append(status)
            assert self.is_explained(status), \
                f"nothing that was done explains that it ended with {status}"
            self.begin()
        raise AssertionError("it does not end well")


def whatever_happens_each_job_ends_with_its_digest(room):
    end, jobs, faults = time.monotonic() + 60 * MINUTES, 0, 0
    ends = []
    room.stale = harness.KILLED
    watch_sanitizers(room)
    while jobs < FLOOR or jobs < JOBS and time.monotonic() < end:
        job = Job(room, jobs)
        try:
            job.live()
            job.end()
        except BaseException:
            print(f"# seed {harness.SEED}, job {jobs}: {', '.join(job.said)}")
            raise
        jobs, faults, ends = jobs + 1, faults + job.faults, ends + job.ends
    print(f"# seed {harness.SEED}: {jobs} jobs, {faults} things happened to "
          f"them, begun again after the statuses {sorted(ends)}")


harness.main(whatever_happens_each_job_ends_with_its_digest)
