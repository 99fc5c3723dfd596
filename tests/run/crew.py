# SPDX-License-Identifier: Apache-2.0
"""A job by hand: for tests that end one of its programs"""

import os
import re
import signal

import harness


def steps_of(at):
    return [int(step) for step in re.findall(
        r"^parint: iteration (\d+) of \d+ at [0-9.]+$", at.output, re.M)]


def resumed(at):
    return [int(step) for step in
            re.findall(r"^parint: resumed at iteration (\d+) ", at.output,
                       re.M)]


class Crew:
    """A coordinator and executors, without a monitor.

    options: of executors; listen: of the coordinator."""

    def __init__(self, room, path, hands, *options, listen=()):
        self.room, self.path, self.listen = room, path, listen
        self.options = options
        self.state = room.path("state", "heat")
        self.hands = {}
        self.lead = self.begin()
        self.address = room.wait("an address", lambda: harness.read(
            f"{self.state}/address", "r").strip())
        for number in range(hands):
            self.join(f"w{number}")

    def begin(self):
        return self.room.start("bellows-coordinator", "--job", self.path,
                               "--state", self.state, *self.listen)

    def join(self, name):
        tmp = self.room.path(f"t-{name}")
        os.makedirs(tmp, exist_ok=True)
        self.hands[name] = self.room.start(
            "bellows-executor", "--coordinator", self.address, "--name", name,
            "--tmpdir", tmp, *self.options)
        return self.hands[name]

    def restart_failed(self):
        """An executor that was given up is begun again, as a pod's container
        is."""
        for name, hand in self.hands.items():
            if hand.is_over() and hand.end() != 0:
                self.join(name)

    def started(self):
        """Waits for the first start of this coordinator.  Until then its
        answers may describe the coordinator that it replaces."""
        self.room.wait("a start", lambda: " -> running " in self.lead.errors)

    def computes(self, ranks):
        self.started()
        self.room.runs_on(ranks)
        return self

    def tell(self, *names, signo=signal.SIGTERM):
        for name in names:
            self.hands[name].tell(signo)

    def left(self, *names):
        """As they were told to, with their release."""
        for name in names:
            self.hands[name].ends_with(0)

    def done(self, work):
        """The job ends well, in a start of this coordinator (ranks of a start
        before may not come to their end); so do the executors that are left."""
        self.started()
        self.room.finishes(self.lead, work)
        for hand in self.hands.values():
            hand.ends_with(0)
        return self
