# SPDX-License-Identifier: Apache-2.0
"""The 16 jobs of table 1 of "An elastic job scheduler for HPC applications on the
cloud", for so many slots and so many times faster.

The times of a step that the paper's simulator has lie within 4 % of Amdahl's law
through those on the fewest and on the most slots, and ranks nap by that law
(tests/run/pace.c).  A step here stands for many of the paper's: short steps are
made late by the ranks that wake up.
"""

import json
import os
import random
import subprocess

from runs import Failed

SLOTS, GAP, RESCALE_GAP, AGING = 60, 90, 180, 3600
JITTER = 0.1            # seconds by which a submission may be late


class Class:
    def __init__(self, name, edge, slots, their_steps, times, steps):
        """slots, and times of a step there: the fewest and the most."""
        self.name, self.cells = name, edge * edge
        self.slots, self.steps = slots, steps
        least, most = slots
        shared = (times[0] - times[1]) / (1 / least - 1 / most)
        self.shared = shared * their_steps              # of the whole job
        self.fixed = (times[0] - shared / least) * their_steps


CLASSES = [
    Class("small", 512, (2, 8), 40000, (0.003, 0.000996), 50),
    Class("medium", 2048, (4, 16), 40000, (0.012, 0.0037), 100),
    Class("large", 8192, (8, 32), 40000, (0.049, 0.019), 250),
    Class("xlarge", 16384, (16, 60), 10000, (0.13, 0.046), 150)]
# Class and priority, in order of submission: set B of
# tests/sim/workloads/elastic_table1.json.
JOBS = list(zip((2, 1, 1, 0, 3, 3, 0, 3, 1, 1, 0, 3, 0, 1, 1, 1),
                (2, 3, 4, 4, 2, 1, 4, 1, 4, 3, 4, 1, 5, 3, 3, 3)))

METRICS = ("total", "utilisation", "response", "completion")
# The paper's table: (real, simulated) of each metric.
PAPER = {
    "rigid_min": ((2511, 2402), (58.12, 60.88), (162.87, 207.21),
                  (888.59, 915.08)),
    "rigid_max": ((2149, 1914), (81.32, 85.86), (147.51, 195.79),
                  (275.36, 326.68)),
    "moldable": ((2111, 2078), (71.54, 78.39), (92.93, 122.40),
                 (273.89, 326.15)),
    "elastic": ((1796, 1813), (87.80, 92.26), (69.93, 32.96),
                (265.76, 241.29))}


class Kind:
    """A class on this machine."""

    def __init__(self, of, slots, scale):
        self.name, self.steps = of.name, of.steps
        # computing on them takes next to nothing
        self.elements = of.cells // 512
        self.ranks = [max(1, round(n * slots / SLOTS)) for n in of.slots]
        # seconds of a step on one rank, and those on top on any number
        self.shared = of.shared * slots / SLOTS / scale / of.steps
        self.fixed = of.fixed / scale / of.steps

    def step(self, ranks):
        return self.shared / ranks + self.fixed

    @property
    def shortest(self):
        """Seconds of a job, on its most ranks."""
        return self.steps * self.step(self.ranks[1])


class Job:
    def __init__(self, number, kind, priority):
        self.name = f"{kind.name}-{number}"
        self.kind, self.priority = kind, priority


class Jobs:
    """All of them."""

    def __init__(self, slots, scale, count):
        self.slots = slots
        self.gap, self.rescale_gap, self.aging = (
            at / scale for at in (GAP, RESCALE_GAP, AGING))
        self.kinds = [Kind(of, slots, scale) for of in CLASSES]
        self.all = [Job(i + 1, self.kinds[of], priority)
                    for i, (of, priority) in enumerate(JOBS[:count])]

    def mean(self, values):
        """Of a value of each job, weighted by priority."""
        weights = [job.priority for job in self.all]
        return sum(w * v for w, v in zip(weights, values)) / sum(weights)

    def workload(self, costs, lot):
        """costs: what starts and rescales took (queued.Costs).  Each job is a
        class of its own: the starts of no two took the same."""
        return {
            "slots": self.slots, "rescale_gap": self.rescale_gap,
            "aging": self.aging, "decision_delay": costs.delay,
            "start_delay": 0, "move": costs.move,
            "classes": [{
                "name": job.name, "min": job.kind.ranks[0],
                "max": job.kind.ranks[1], "steps": job.kind.steps,
                "start": costs.draw_start(lot),
                "step_time": {"points": costs.steps(job.kind)}}
                for job in self.all],
            "jobs": [{"class": job.name, "priority": job.priority,
                      "submit": i * self.gap + lot.uniform(0, JITTER)}
                     for i, job in enumerate(self.all)]}

    def simulate(self, bindir, folder, policy, costs, times):
        """The metrics of so many simulations, each of them with another lot:
        how late the jobs are submitted, and how long their starts take."""
        lot, found = random.Random(1), []
        path = os.path.join(folder, f"{policy}.json")
        for _ in range(times):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.workload(costs, lot), file)
            done = subprocess.run(
                [os.path.join(bindir, "bellows"), "simulate", path, "--policy",
                 policy, "--json"], capture_output=True, text=True,
                stdin=subprocess.DEVNULL, timeout=60, check=False)
            if done.returncode != 0:
                raise Failed(f"bellows simulate: {done.stderr.strip()}")
            told = json.loads(done.stdout)
            found.append((told["total_s"],
                          100 * told["slot_seconds"] / self.slots
                          / told["total_s"],
                          told["response_s"], told["completion_s"]))
        return found
