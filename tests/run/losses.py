# SPDX-License-Identifier: Apache-2.0
"""Jobs that lose executors of 4, one after the other, and are on 4 ranks again"""

import statistics

import harness

TIMES = harness.some(20, 3)


class Figures:
    """Seconds until a job is at 4 ranks again, beside those of a grow from 3 to
    4 that was asked for."""

    def __init__(self):
        self.took, self.grew, self.grew_when_asked = [], [], []

    def asked(self, job):
        self.grew_when_asked.append(grow_of(job))

    def lost(self, spent, job):
        """The job is back, so long after the loss."""
        assert job["want"] == 4 and job["shortfall"] == "", job
        self.took.append(spent)
        if (job["history"][-1]["from"], job["history"][-1]["to"]) == (3, 4):
            self.grew.append(grow_of(job))

    def print(self):
        times, grew = len(self.took), len(self.grew)
        print(f"# {times} of {times} back at 4; s from the loss: "
              f"{statistics.median(self.took):.2f} "
              f"(most {max(self.took):.2f}); {times - grew} with the next "
              f"start, {grew} by a rescale; s from ready executors to the "
              "first step: " + (f"{statistics.median(self.grew):.2f} (most "
                                f"{max(self.grew):.2f})" if grew else "-")
              + ", asked for "
              f"{statistics.median(self.grew_when_asked):.2f}", flush=True)


def grow_of(job):
    """Seconds from ready executors to the first step of the newest rescale."""
    at = job["history"][-1]
    return (at["stepped_ms"] - at["executors_ms"]) / 1000


def member(job, number):
    """The name of another one of 4 executors for each number."""
    return sorted(at["name"] for at in job["members"])[number % 4]


def is_back(job, before):
    """On 4 ranks, with a step, in a rescale or a start after that one."""
    return job["epoch"] > before and harness.runs(job, 4)
