# SPDX-License-Identifier: Apache-2.0
"""The queue of a scheduler that a test started"""

import json
import os
import re
import signal

import harness

SHORT = harness.Work(1003, 20, 7)
# of the queue, and of each of its jobs
KEPT = re.compile(r"lock|journal|jobs/(\d+/(job\.yaml|hosts|lock|status|output|messages)?)?")
GAP = "1s"


class Queue:
    """A room with a scheduler.  access: words of whoever calls it."""

    def __init__(self, room, slots=4, *words, access=()):
        self.room, self.slots, self.access = room, slots, access
        self.words = ["--slots", slots, "--gap", GAP, *words]
        room.stale = KEPT
        self.serve()

    def serve(self):
        self.program = self.room.start("bellows", "serve", *self.words)
        self.room.wait("a scheduler", lambda: "listening on" in
                       self.program.errors)

    def end(self):
        """The scheduler ends; its jobs have ended before."""
        self.program.tell(signal.SIGTERM)
        self.program.ends_with(0)

    def write(self, name, work=SHORT, ranks=(1, 1, 4), **keys):
        folder = self.room.path(f"ck-{name}")
        os.makedirs(folder, exist_ok=True)
        return self.room.job(work, name, ranks, **{
            "checkpoint": f"{{dir: ck-{name}, deadline: 30s}}", **keys})

    def submit(self, name, work=SHORT, *words, ranks=(1, 1, 4), **keys):
        path = self.write(name, work, ranks, **keys)
        self.ask("submit", path, *words)

    def ask(self, *words, code=0):
        return self.room.run("bellows", *words, *self.access).ends_with(code)

    def jobs(self):
        """None of them has more than its part, whenever that is looked at."""
        queue = json.loads(self.ask("queue", "--all", "--json").output)
        jobs = {job["name"]: job for job in queue["jobs"]}
        assert sum(job["ranks"] for job in jobs.values()) <= self.slots, jobs
        # those that are seen twice have run at the same time
        ranks = set(self.room.ours("parint")) & set(self.room.ours("parint"))
        assert len(ranks) <= self.slots, (len(ranks), jobs)
        return jobs

    def wait(self, what, test):
        """test gets the jobs by their names; returns what it returned."""
        seen = {}

        def look():
            seen.update(self.jobs())
            return test(seen)

        try:
            return self.room.wait(what, look, again=harness.ASK_AGAIN)
        except AssertionError as late:
            raise AssertionError("; ".join([str(late), *(
                f"{name} {job['state']} on {job['ranks']} ({job['reason']})"
                for name, job in seen.items()), *(
                self.ask("explain", name).output for name in seen)])) from None

    def is_on(self, **sizes):
        """Waits until these jobs compute on so many ranks."""
        return self.wait(f"sizes {sizes}", lambda jobs: all(
            name in jobs and jobs[name]["state"] == "running"
            and jobs[name]["ranks"] == size for name, size in sizes.items()))

    def folder(self, name):
        number = self.jobs()[name]["number"]
        return os.path.join(self.room.state, "_queue", "jobs", str(number))

    def output(self, name):
        return harness.read(os.path.join(self.folder(name), "output")) \
            .decode(errors="replace")

    def finish(self, again=False, **works):
        """Lets the jobs run to their ends, each with the digest of plain
        mpiexec.  again: ranks may have printed it when nobody was left to see
        their end."""
        self.room.pace(0)
        self.wait("the end of all jobs", lambda jobs: all(
            jobs[name]["state"] == "done" for name in works))
        for name, work in works.items():
            assert harness.digest(self.output(name), again) \
                == work.digest(), name
