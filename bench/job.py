# SPDX-License-Identifier: Apache-2.0
"""A whole job under Bellows, from the start of the command to its end."""

import json
import os
import shutil
import subprocess
import threading
import time

import runs
from runs import Failed


class Outcome:
    """What a job says of itself, and how long it took for whoever waited."""

    def __init__(self, wall, lines):
        self.wall = wall
        self.text = "".join(line["text"] for line in lines
                            if line["event"] == "output")
        self.over = lines[-1]
        self.history = self.over["history"]

    def computing(self, ranks):
        """Seconds on that many ranks."""
        return sum(span["to_ms"] - span["from_ms"]
                   for span in self.over["spans"]
                   if span["ranks"] == ranks and span["to_ms"]) / 1000

    @property
    def sizes(self):
        """On which it computed, one after the other."""
        return [span["ranks"] for span in self.over["spans"] if span["ranks"]]

    def check_sizes(self, sizes):
        """That it computed on these, one after the other, and resumed."""
        seen = self.sizes
        if seen == sizes:
            return
        why = "; ".join(at["result"] for at in self.history)
        if seen == sizes[:1]:
            why += "; a longer run leaves time for a rescale"
        raise Failed(f"it ran on {seen}, not on {sizes}: {why}")

    @property
    def pause(self):
        """Seconds from the order to save to the first step, of its only
        rescale."""
        return self.history[0]["pause_ms"] / 1000

    def part(self, name):
        """Seconds of the pause: computing, writing or standing."""
        return (self.history[0]["phases"][f"{name}_ms"] or 0) / 1000

    @property
    def wiring(self):
        """Seconds from the wish to the order to save, computing on."""
        at = self.history[0]
        return (at["ordered_ms"] - at["asked_ms"]) / 1000


def last_lines(path, n=3):
    with open(path, encoding="utf-8", errors="replace") as file:
        return " | ".join(file.read().splitlines()[-n:])


def read_lines(path):
    """Of --json; the last one tells how it ended."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if not lines or lines[-1]["event"] != "over":
        raise Failed("it did not say how it ended")
    return lines


def run(place, folder, job, patience, held=None):
    """Of a job, as the job file has it, in an empty folder of its own.
    held: its grant (decisions.Held)."""
    path, out, errors = (os.path.join(folder, name)
                         for name in ("job.yaml", "out", "errors"))
    state = os.path.join(folder, "state")
    shutil.rmtree(state, ignore_errors=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dict(job, dir=folder), file)  # which YAML is a superset of
    with open(out, "wb") as to, open(errors, "wb") as errors_to:
        begin = time.monotonic()
        process = subprocess.Popen(
            [*place.words(path, state), *(held.words() if held else ()), "--json"], stdout=to,
            stderr=errors_to, stdin=subprocess.DEVNULL,
            env=dict(runs.ENVIRONMENT, TMPDIR=folder), start_new_session=True)
        beside = threading.Thread(target=held.follow, args=(state, process),
                                  daemon=True) if held else None
        try:
            if beside:
                beside.start()
            status = process.wait(patience)
        except subprocess.TimeoutExpired:
            raise Failed(f"it did not end in {patience:.0f} s") from None
        finally:
            wall = time.monotonic() - begin
            if process.poll() is None:
                process.kill()
                process.wait()
            if beside:
                beside.join(runs.PATIENCE)
            runs.clear()
    if status != 0:
        raise Failed(f"it ended with {status}: "
                     f"{last_lines(errors) or last_lines(out, 1)}")
    return Outcome(wall, read_lines(out))
