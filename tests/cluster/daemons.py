# SPDX-License-Identifier: Apache-2.0
"""Programs that stay, each with a log of its own, and waiting for them"""

import os
import subprocess
import sys
import time

from place import Refused

PATIENCE = 90
LOOK_AGAIN = 0.05
TAIL = 15


class Daemon:
    def __init__(self, place, name, *argv, **more):
        self.name, self.log = name, os.path.join(place.logs, f"{name}.log")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd="/", start_new_session=True, **more)

    def must_live(self):
        code = self.process.poll()
        if code is not None:
            raise Refused(f"{self.name} ended with {code}:\n{tail(self.log)}")


def tail(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(f"    {line.rstrip()[:300]}\n"
                           for line in file.readlines()[-TAIL:])
    except OSError as reason:
        return f"    {reason}\n"


def wait(what, test, *daemons):
    """What test() returns once it is something; they must live meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while True:
        for daemon in daemons:
            daemon.must_live()
        found = test()
        if found:
            return found
        if time.monotonic() > deadline:
            raise Refused(f"it never came: {what}\n" + "".join(
                f"{daemon.name}:\n{tail(daemon.log)}" for daemon in daemons))
        time.sleep(LOOK_AGAIN)


def run(*argv, text=None):
    """Its output."""
    at = subprocess.run(argv, input=text, capture_output=True, text=True,
                        timeout=PATIENCE, check=False)
    if at.returncode != 0:
        raise Refused(f"{' '.join(argv[:4])}: "
                      f"{(at.stderr or at.stdout).strip()}")
    return at.stdout


def tell(what):
    print(f"up: {what}", file=sys.stderr, flush=True)
