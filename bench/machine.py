# SPDX-License-Identifier: Apache-2.0
"""What was measured on, and how numbers are told."""

import math
import os
import re
import subprocess
import sys
import time

MIB = 1 << 20


def say(text):
    print(text, file=sys.stderr, flush=True)


def median(values):
    values = sorted(values)
    n = len(values)
    return (values[(n - 1) // 2] + values[n // 2]) / 2 if n else math.nan


def percentile(values, percent):
    """The value that so many percent do not exceed (nearest rank)."""
    values = sorted(values)
    n = len(values)
    return values[math.ceil(percent * n / 100) - 1] if n else math.nan


def p95(values):
    return percentile(values, 95)


def table(head, rows):
    """A Markdown table; the first column is text, the others are numbers."""
    print("| " + " | ".join(head) + " |")
    print("|---" + "|--:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def seconds(value):
    return "-" if math.isnan(value) else f"{value:.3f}"


def ratio(value):
    return "-" if math.isnan(value) else f"{value:.2f}"


def processor():
    with open("/proc/cpuinfo") as file:
        found = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.M)
    return found.group(1) if found else os.uname().machine


def file_system(path):
    """Type of the file system that holds path."""
    path, best, kind = os.path.realpath(path), "", "unknown"
    with open("/proc/self/mountinfo") as file:
        for line in file:
            before, _, after = line.partition(" - ")
            point = before.split()[4]
            inside = path == point or path.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(best):
                best, kind = point, after.split()[0]
    return kind


def open_mpi():
    text = subprocess.run(["mpiexec", "--version"], capture_output=True,
                          text=True, timeout=30).stdout
    return text.splitlines()[0] if text else "unknown"


def disk(folder, size=512 * MIB):
    """Seconds to write size bytes there and see them to the disk."""
    path = os.path.join(folder, "disk.probe")
    piece = os.urandom(MIB)
    begin = time.monotonic()
    with open(path, "wb", buffering=0) as file:
        for _ in range(size // MIB):
            file.write(piece)
        os.fsync(file.fileno())
    spent = time.monotonic() - begin
    os.unlink(path)
    return spent


def describe(folder=None, more=()):
    """One line a fact; more: sentences."""
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"- machine: {len(os.sched_getaffinity(0))} cores, {processor()}, "
          f"Linux {os.uname().release}")
    print(f"- MPI: {open_mpi()}")
    if folder:
        spent = disk(folder)
        print(f"- checkpoints: {file_system(folder)}; 512 MiB are written and "
              f"synced in {spent:.2f} s ({512 / spent:.0f} MiB/s)")
    print(f"- date: {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}, "
          f"load average at the beginning {load}")
    for fact in more:
        print(f"- {fact}")
    print(flush=True)
