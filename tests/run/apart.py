# SPDX-License-Identifier: Apache-2.0
"""Tests that other programs do not disturb, and tests that run side by side

Each of the latter is made by a process of its own, which waits for its own
orphans and sees its own shared memory alone.  What it says goes to a file, and
is printed whole and in the order of the tests.
"""

import ctypes
import os
import signal
import sys
import tempfile
import traceback

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS = 0x00020000
MS_PRIVATE = 0x44000  # and all below it
libc = ctypes.CDLL(None)


def be_alone():
    """Orphans become our children; root sees no shared memory but its own."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.getuid() == 0 and libc.unshare(CLONE_NEWNS) == 0:
        libc.mount(b"none", b"/", None, MS_PRIVATE, None)
        libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, None)


class Apart:
    """A test that another process makes."""

    def __init__(self, number, test, prove, path):
        self.number, self.name, self.path = number, test.__name__, path
        self.failed = None
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self.make(test, prove)

    def make(self, test, prove):
        """Never returns."""
        status = 1
        try:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
            with open(self.path, "wb") as file:
                os.dup2(file.fileno(), 1)
            be_alone()
            status = prove(self.number, test)
            sys.stdout.flush()
        except BaseException:  # pylint: disable=broad-except
            traceback.print_exc()
        finally:
            os._exit(status)  # pylint: disable=protected-access

    def tell(self):
        """Prints its output; a test without a result has failed."""
        with open(self.path, encoding="utf-8", errors="replace") as file:
            said = file.read()
        if self.failed and f"\nnot ok {self.number} " not in f"\n{said}":
            said += f"\nnot ok {self.number} - {self.name}\n"
        print(said, end="", flush=True)


def wait_for_one(running):
    while True:
        pid, status = os.wait()
        if pid in running:  # any other process was an orphan
            running.pop(pid).failed = status != 0
            return


def prove_each(tests, many, prove):
    """tests: numbers and tests, so many at once; prove(number, test) returns
    whether it failed.  How many have."""
    running, untold, failed = {}, [], 0
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        for number, test in tests:
            at = Apart(number, test, prove, os.path.join(folder, str(number)))
            running[at.pid] = at
            untold.append(at)
            last = number == tests[-1][0]
            while len(running) >= many or last and running:
                wait_for_one(running)
            while untold and untold[0].failed is not None:
                failed += untold[0].failed
                untold.pop(0).tell()
    return failed
