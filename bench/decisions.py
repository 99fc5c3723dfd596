# SPDX-License-Identifier: Apache-2.0
"""Whether scale.policy: benefit decides rightly in the cells of Kub's figure 5.

The job begins on the one size, its grant held there.  At the share of its
progress the grant becomes the other size, by the call with which a scheduler
states it, and the job grows if its monitor wants that.  What is right is known
from the same round: the job without a rescale, and with one that was forced at
the same share.  Between the two limits either decision is right.
"""

import bisect
import calendar
import os
import re
import sys
import time

import places
import runs
from machine import median, seconds, table
from runs import Failed

sys.path.insert(1, os.path.join(places.ROOT, "tests/run"))

LIMIT = 3               # percent of the time without a rescale
LOOK = 0.02             # seconds between two looks for the coordinator
LINE = re.compile(
    r'^(\S+)Z bellows-monitor info: (?:scale=(\d+) asking .*reason="benefit: '
    r'(.*)"|size=(\d+) stays: (.*))$', re.M)


class Held:
    """The grant of a job, and what its monitor stated."""

    def __init__(self, cell):
        self.cell = cell
        self.times, self.progress = [], []  # of the job's messages
        self.granted = None     # progress at which the grant was raised
        self.failure = None
        self.stated = []        # (progress, ranks, reason), oldest first

    def words(self):
        return ["--grant", str(self.cell.before)]

    def follow(self, state, process):
        # not before: it needs gRPC for Python
        import grpc                         # pylint: disable=import-outside-toplevel
        import grpc_client as client        # pylint: disable=import-outside-toplevel
        try:
            self.watch(client.Client(wait_for_address(state, process)),
                       client.COORDINATOR)
        except (grpc.RpcError, Failed) as failure:
            self.failure = failure
        self.stated = list(self.read_log(os.path.join(state, "monitor.log")))

    def watch(self, at, service):
        grant = at.call(service, "Grant")
        for job in at.call(service, "WatchJob", None)():
            self.times.append(time.time())
            self.progress.append(job.progress)
            if self.granted is None and job.progress >= self.cell.share / 100:
                answer = grant(ranks=self.cell.after,
                               reason="the share is reached")
                if not answer.accepted:
                    raise Failed(answer.reason)
                self.granted = job.progress

    def read_log(self, path):
        with open(path, encoding="utf-8") as file:
            for found in LINE.finditer(file.read()):
                at = bisect.bisect(self.times, stamp(found[1])) - 1
                yield (self.progress[max(at, 0)],
                       int(found[2] or found[4]), found[3] or found[5])

    def decision(self, sizes):
        """(whether it wants to grow, progress, reason).  sizes: on which it
        computed."""
        if self.granted is None:
            raise Failed(f"its grant was not raised: {self.failure}")
        last = (False, 1, "its steps were not measured before its end")
        for progress, ranks, reason in self.stated:
            if ranks <= self.cell.before:
                last = (False, progress, reason)
            elif not last[0]:
                last = (True, progress, reason)
        if sizes[-1] > self.cell.before and not last[0]:
            raise Failed(f"it grew to {sizes[-1]}, but its monitor stated "
                         f"{self.stated}")
        return last


def stamp(text):
    """Seconds since 1970 of a log's time of day."""
    whole, thousandths = text.split(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) \
        + int(thousandths) / 1000


def wait_for_address(state, process):
    end = time.monotonic() + runs.PATIENCE
    while process.poll() is None and time.monotonic() < end:
        try:
            with open(os.path.join(state, "address"), encoding="ascii") as file:
                return file.read().strip()
        except FileNotFoundError:
            time.sleep(LOOK)
    raise Failed("no coordinator whose grant could be held")


# ---- telling ----

class Judged:
    """A cell: the runs of a series in it, beside each other."""

    def __init__(self, cell, samples):
        self.cell = cell
        self.alone, self.forced, self.free = (
            samples[name] for name in (str(cell.before), cell.name,
                                       f"{cell.name}, by benefit"))

    def is_whole(self):
        return self.alone and self.forced and self.free

    @staticmethod
    def wall(some):
        return median([run.wall for run in some])

    @property
    def gain(self):
        """Percent of the time without a rescale."""
        return 100 * (1 - self.wall(self.forced) / self.wall(self.alone))

    def wrong(self):
        """The runs whose decision was wrong."""
        return [run for run in self.free
                if abs(self.gain) > LIMIT and run.decision[0] != (self.gain > 0)]

    def row(self):
        grow = sum(run.decision[0] for run in self.free)
        right = "either" if abs(self.gain) <= LIMIT else \
            f"{len(self.free) - len(self.wrong())} of {len(self.free)}"
        return [f"{self.cell.before} -> {self.cell.after} at "
                f"{self.cell.share} %", str(len(self.free)),
                seconds(self.wall(self.alone)), seconds(self.wall(self.forced)),
                f"{self.gain:+.1f} %",
                seconds(median([run.pause for run in self.forced])),
                f"{grow} grow, {len(self.free) - grow} stay", right,
                f"{100 * median([run.decision[1] for run in self.free]):.0f} %",
                seconds(self.wall(self.free))]


def judged(series):
    every = [Judged(cell, series.samples) for cell in series.cells
             if cell.after and not cell.is_free]
    return [at for at in every if at.is_whole()]


def tell(series):
    whole = judged(series)
    print(f"### {series.workload.name}, {series.steps} {series.workload.unit}\n")
    table(["", "n", "no rescale, s", "forced, s", "gain", "pause, s",
           "by benefit", "right", "decided at", "by benefit, s"],
          [at.row() for at in whole])
    for at in whole:
        for run in at.free:
            print(f"- {at.cell.name}: {run.decision[2]}")
    print()
    for failure in series.failures:
        print(f"- failed: {failure}")
    verdict(series.workload.name, whole)
    print(flush=True)


def verdict(name, whole):
    clear = [at for at in whole if abs(at.gain) > LIMIT]
    runs_of = sum(len(at.free) for at in clear)
    wrong = [f"{at.cell.name} ({at.gain:+.1f} %)" for at in clear
             for _ in at.wrong()]
    gaining = sum(at.gain > 0 for at in clear)
    print(f"- {'met' if clear and not wrong else 'NOT MET'}: {name}: "
          f"{runs_of - len(wrong)} of {runs_of} decisions are right where more "
          f"than {LIMIT} % are gained ({gaining} cells) or lost "
          f"({len(clear) - gaining} cells)"
          + "".join(f"; wrong: {at}" for at in wrong))
