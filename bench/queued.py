# SPDX-License-Identifier: Apache-2.0
"""Jobs in the queue of bellows-scheduler, from the first submission to the last
end.

When a job was submitted, started and ended is what the queue says.  When it
computed is what parint says, which prints the time of day of each step.
"""

import json
import os
import re
import subprocess
import sys
import time

import runs
from machine import median
from runs import Failed

ROOT = os.path.dirname(runs.HERE)
sys.path.insert(1, os.path.join(ROOT, "tests/run"))
import paced                                                  # noqa: E402

TOGETHER = 0.05         # seconds between two parts of one decision
LOOK = 0.25             # seconds between two looks at the queue
PATIENCE = 30
DIGEST = re.compile(r"^parint: digest (\w+)$", re.M)


class Queue:
    """A scheduler, and what it is asked."""

    def __init__(self, bindir, folder, words):
        self.bellows = os.path.join(bindir, "bellows")
        self.state = os.path.join(folder, "state")
        self.environment = dict(runs.ENVIRONMENT, TMPDIR=folder,
                                BELLOWS_STATE=self.state)
        self.log = os.path.join(folder, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [os.path.join(bindir, "bellows-scheduler"), *words],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment, start_new_session=True)
        self.wait()

    def wait(self):
        end = time.monotonic() + PATIENCE
        while True:
            with open(self.log, encoding="utf-8") as file:
                said = file.read()
            if "listening on" in said:
                return
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed(f"no scheduler: {said.strip()}")
            time.sleep(0.02)

    def ask(self, *words):
        try:
            done = subprocess.run(
                [self.bellows, *words, "--json"], env=self.environment,
                capture_output=True, text=True, stdin=subprocess.DEVNULL,
                timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"bellows {words[0]} takes longer than {PATIENCE} s"
                         ) from None
        if done.returncode != 0:
            raise Failed(f"bellows {words[0]}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def submit(self, path, priority, length):
        self.ask("submit", path, "--priority", str(priority), "--time",
                 f"{1000 * length:.0f}ms")

    def look(self):
        return self.ask("queue", "--all")

    def decisions(self, name):
        """The oldest first."""
        return self.ask("explain", name)["decisions"]

    def output(self, number):
        path = os.path.join(self.state, "_queue/jobs", str(number), "output")
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


# ---- one run ----

def write_job(folder, job):
    kind, own = job.kind, os.path.join(folder, job.name)
    pace = os.path.join(folder, f"{kind.name}.pace")
    os.mkdir(own)
    paced.write(pace, f"{1e6 * kind.shared:.0f} {1e6 * kind.fixed:.0f}")
    path = os.path.join(folder, f"{job.name}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({  # which YAML is a superset of
            "name": job.name, "app": "parint", "dir": own,
            "command": ["parint", "--array-size", str(kind.elements),
                        "--nloop", "1", "--iterations", str(kind.steps),
                        "--steps"],
            "ranks": {"initial": kind.ranks[0], "min": kind.ranks[0],
                      "max": kind.ranks[1]},
            "checkpoint": {"dir": own},
            "environment": paced.environment(pace, {"PACE_STEPS": "1"})}, file)
    return path


class Ran:
    """A job that is over: what the queue, its decisions and its output tell."""

    def __init__(self, job, told, decisions, output, sizes):
        if told["exit_code"] != 0:
            raise Failed(f"{job.name} ended with {told['exit_code']}: "
                         f"{told['reason']}")
        self.job = job
        self.submitted, self.started, self.ended = (
            told[f"{what}_ms"] / 1000
            for what in ("submitted", "started", "ended"))
        self.rescales, self.parks = told["rescales"], told["parks"]
        self.digest = DIGEST.findall(output)[-1]
        self.decisions = [(at["at_ms"] / 1000, at["action"])
                          for at in decisions if at["action"] != "wait"]
        self.steps = []     # of each start of the application
        for line in output.splitlines():
            if runs.INIT.match(line.encode()):
                self.steps.append([])
            found = runs.STEP.match(line.encode())
            if found:
                self.steps[-1].append(float(found.group(2)))
        self.steps = [steps for steps in self.steps if steps]
        # looked at too rarely for a start of a few steps: it has the fewest
        self.sizes = [max([(at, n) for at, n in sizes if at <= steps[-1]],
                          default=(0, job.kind.ranks[0]))[1]
                      for steps in self.steps]

    def decided(self, until, *actions):
        """When the last of these decisions was taken, up to an instant; that
        instant, if none was."""
        return max((at for at, action in self.decisions
                    if action in actions and at <= until), default=until)

    def changes(self):
        """Of each start of the application that a decision ended: when it was
        decided, when it ended, and whether slots were left."""
        for i, steps in enumerate(self.steps[:-1]):
            at = self.decided(steps[-1], "resize", "park")
            yield at, steps[-1], (at, "park") in self.decisions \
                or self.sizes[i + 1] < self.sizes[i]

    def wait_for(self, others):
        """A start that was decided together with changes of others begins once
        they have left their slots; the queue says when it was decided."""
        decided = self.decided(self.started, "start")
        self.started = max([self.started, *(
            until for other in others for at, until, leaves in other.changes()
            if leaves and abs(at - decided) < TOGETHER)])

    def gap(self, i):
        """Ranks of start i, and seconds without a step before it; while the
        job was parked does not count."""
        since = self.started if i == 0 else max(
            self.steps[i - 1][-1], self.decided(self.steps[i][0], "start"))
        step = self.job.kind.step(self.sizes[i])
        return self.sizes[i], max(0.0, self.steps[i][0] - since - step)

    def slower(self):
        """Times that a step took of what its ranks nap."""
        for steps, size in zip(self.steps, self.sizes):
            paces = [b - a for a, b in zip(steps, steps[1:])]
            if paces:
                yield median(paces) / self.job.kind.step(size)


class Run:
    """All jobs under one policy."""

    def __init__(self, jobs, ran, area):
        self.ran = ran
        for at in ran:
            at.wait_for(ran)
        begin = min(at.submitted for at in ran)
        total = max(at.ended for at in ran) - begin
        self.metrics = (
            total, 100 * area / jobs.slots / total,
            jobs.mean([at.started - at.submitted for at in ran]),
            jobs.mean([at.ended - at.submitted for at in ran]))
        self.rescales = sum(at.rescales for at in ran)
        self.parks = sum(at.parks for at in ran)


class Watched:
    """What was seen of the queue, meanwhile."""

    def __init__(self):
        self.area = 0.0     # slot-seconds in use
        self.sizes = {}     # (when, ranks) of each job, at each change
        self.last = None

    def look(self, queue):
        told, now = queue.look(), time.time()
        if self.last:
            self.area += self.last[1] * (now - self.last[0])
        self.last = now, told["used"]
        for job in told["jobs"]:
            seen = self.sizes.setdefault(job["name"], [])
            if job["ranks"] and (not seen or seen[-1][1] != job["ranks"]):
                seen.append((now, job["ranks"]))
        return told["jobs"]


def run_jobs(queue, jobs, folder, patience):
    """A Run."""
    paths = [write_job(folder, job) for job in jobs.all]
    watched, begin, n = Watched(), time.monotonic(), 0
    while True:
        spent = time.monotonic() - begin
        if n < len(paths) and spent >= n * jobs.gap:
            queue.submit(paths[n], jobs.all[n].priority,
                         jobs.all[n].kind.shortest)
            n += 1
        told = watched.look(queue)
        if n == len(paths) and all(job["ended_ms"] for job in told):
            break
        if spent > patience:
            raise Failed(f"the jobs do not end in {patience:.0f} s")
        next_one = begin + n * jobs.gap - time.monotonic()
        time.sleep(min(LOOK, max(next_one, 0)) if n < len(paths) else LOOK)
    return Run(jobs, [
        Ran(job, at, queue.decisions(job.name), queue.output(at["number"]),
            watched.sizes[job.name])
        for job, at in zip(jobs.all, told)], watched.area)


# ---- what starts and rescales took ----

def line(points):
    """(at 0, for each more) of the line of least squares, not below 0 at 0."""
    n = len(points)
    x, y = (sum(at[k] for at in points) / n for k in (0, 1))
    square = sum((at[0] - x) ** 2 for at in points)
    slope = sum((at[0] - x) * (at[1] - y) for at in points) / square \
        if square else 0.0
    if slope < 0:
        return y, 0.0
    if y - slope * x < 0:
        return 0.0, sum(a * b for a, b in points) / \
            sum(a * a for a, _ in points)
    return y - slope * x, slope


def mean(values):
    return sum(values) / len(values) if values else 0.0


class Costs:
    """Of some runs, for a workload."""

    def __init__(self, some):
        ran = [at for run in some for at in run.ran]
        starts = [at.gap(0) for at in ran]
        self.line = line(starts)
        self.spread = [taken / self.start(n) for n, taken in starts]
        pauses = [at.gap(i) for at in ran for i in range(1, len(at.steps))]
        self.pauses = [taken for _, taken in pauses]
        self.move = max(0.0, mean([taken - self.start(n)
                                   for n, taken in pauses]))
        self.end = mean([at.ended - at.steps[-1][-1] for at in ran])
        self.delay = mean([until - decided for at in ran
                           for decided, until, _ in at.changes()])
        self.slower = median([pace for at in ran for pace in at.slower()])

    def start(self, ranks):
        """Seconds until the ranks compute."""
        return self.line[0] + self.line[1] * ranks

    def draw_start(self, lot):
        """As much above or below the line as one of them was."""
        of = lot.choice(self.spread)
        return {"points": [[n, of * self.start(n)] for n in (1, 2)]}

    def steps(self, kind):
        """What the end of a job takes is a part of its steps: the simulator
        knows no end."""
        least, most = kind.ranks
        return [[n, kind.step(n) * self.slower + self.end / kind.steps]
                for n in range(least, most + 1)]
