#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs to which anything happens at any time, and each ends with its digest.
args: BIN

What happens is drawn by lot, to 200 jobs, or fewer if that takes ten minutes;
BELLOWS_WHOLE=1: however long it takes.  BELLOWS_SEED: of the lot.
"""

import os
import random
import signal
import time

import harness

SEED = int(os.environ.get("BELLOWS_SEED", "1729"))
JOBS = 200
MINUTES = harness.some(1000, 10)
RUN = 3         # seconds that two ranks compute
AGAIN = 10      # times that a job that was ended is begun again
PATIENCE = 120
PARTS = ("bellows-coordinator", "bellows-monitor", "bellows-executor",
         "mpiexec", "orted", "parint")
FAULTS = ("kill", "hang", "leave", "scale", "scale")


class Job:
    def __init__(self, room, number):
        self.room, self.dice = room, random.Random(SEED + number)
        self.name = f"c{number}"
        self.work = harness.work_for(RUN, self.dice.choice(
            (60013, 80021, 99991)))
        folder = room.path(f"ck{number}")
        os.mkdir(folder)
        self.path = room.job(self.work, name=self.name, restarts=1000,
                             ranks=(self.dice.randint(1, 4), 1, 4),
                             checkpoint=f"{{dir: {folder}}}")
        self.said = []
        self.begin()

    def begin(self):
        self.at = self.room.start("bellows", "run", self.path)

    def moment(self, longest):
        self.room.moment(longest * self.dice.random(), self.at.is_over)

    def one_of(self, parts):
        found = sorted(pid for part in parts for pid in self.room.ours(part))
        return self.dice.choice(found) if found else None

    def signal(self, pid, signo):
        try:
            os.kill(pid, signo)
        except ProcessLookupError:
            pass

    def befall(self, fault):
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
        self.signal(pid, {"kill": signal.SIGKILL, "hang": signal.SIGSTOP,
                          "leave": signal.SIGTERM}[fault])
        if fault == "hang":
            self.moment(4)
            self.signal(pid, signal.SIGCONT)

    def live(self):
        for _ in range(self.dice.randint(1, 5)):
            self.moment(1.5)
            if not self.at.is_over():
                self.befall(self.dice.choice(FAULTS))

    def end(self):
        for _ in range(AGAIN):
            if self.at.end(PATIENCE) == 0:
                # again if mpiexec was killed when it had been printed
                assert harness.digest(self.at.output, again=True) == \
                    self.work.digest()
                return
            self.said.append(f"ended with {self.at.end()}")
            self.begin()
        raise AssertionError("it does not end well")


def whatever_happens_each_job_ends_with_its_digest(room):
    end, jobs, faults = time.monotonic() + 60 * MINUTES, 0, 0
    room.stale = harness.KILLED
    while jobs < JOBS and time.monotonic() < end:
        job = Job(room, jobs)
        try:
            job.live()
            job.end()
        except BaseException:
            print(f"# seed {SEED}, job {jobs}: {', '.join(job.said)}")
            raise
        jobs, faults = jobs + 1, faults + len(job.said)
    print(f"# seed {SEED}: {jobs} jobs, {faults} things happened to them")
    assert jobs > 0


harness.main(whatever_happens_each_job_ends_with_its_digest)
