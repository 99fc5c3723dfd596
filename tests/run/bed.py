# SPDX-License-Identifier: Apache-2.0
"""A bed of hosts (tests/hosts) for the end-to-end tests

    with Bed(room, 4, "--ipv6") as bed:
        room.start("bellows", "run", "--hosts", bed.file(), ...)

Within it, what the room starts runs on n0, beside the hosts n1 to n4.  Where
there cannot be a bed, the test is skipped.  When it ends, nothing of it may be
left: that is a test of its own.
"""

import glob
import itertools
import json
import os
import subprocess

import harness

HOSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "..", "hosts", "hosts")
SKIPPED = 77
numbers = itertools.count(1)


def network(pid):
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return 0


class Bed:
    def __init__(self, room, hosts, *options):
        self.room, self.size, self.options = room, hosts, options
        self.name = f"test-{os.getpid()}-{next(numbers)}"
        self.words = [HOSTS, "--bed", self.name]
        self.hosts, self.pins = {}, []

    def obey(self, *words):
        at = subprocess.run([*self.words, *map(str, words)], check=False,
                            stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, timeout=harness.PATIENCE)
        if at.returncode == SKIPPED:
            raise harness.Skip(at.stderr.strip())
        assert at.returncode == 0, f"{words}: {at.stderr.strip()}"
        return at.stdout

    def __enter__(self):
        self.obey("up", self.size, "--owner", os.getpid(), *self.options)
        self.hosts = json.loads(self.obey("show"))
        # A network that is open keeps its number: no other bed gets it.
        self.pins = [os.open(f"/proc/{at['pid']}/ns/net", os.O_RDONLY)
                     for at in self.hosts.values()]
        self.room.prefix = self.on("n0")
        return self

    def __exit__(self, *_):
        self.room.prefix = []
        self.obey("down")
        left = self.left()
        for pin in self.pins:
            os.close(pin)
        assert not left, f"left: {left}"

    def on(self, host):
        """Words that run what follows there."""
        return [*self.words, "run", host]

    def file(self, *more):
        """A hosts file of n1, n2, ...; more: lines behind them."""
        names = [f"n{i}" for i in range(1, self.size + 1)]
        lines = [f"{name} {self.hosts[name]['address']} "
                 f"{' '.join(self.on(name))}" for name in names]
        return self.room.write("hosts", "\n".join(
            ["# of a test", *lines, *more, ""]))

    # -- looking

    def host_of(self, pid):
        """The name, or None."""
        return next((name for name, at in self.hosts.items()
                     if at["network"] == network(pid)), None)

    def traffic(self):
        """Bytes that each host has sent so far, as the switch counts them."""
        text = harness.read(f"/proc/{self.hosts['switch']['pid']}/net/dev", "r")
        ports = (line.partition(":") for line in text.splitlines()[2:])
        return {name.strip(): int(counts.split()[0])
                for name, _, counts in ports if name.strip() in self.hosts}

    def left(self):
        networks = [at["network"] for at in self.hosts.values()]
        return glob.glob(f"/run/bellows-bed/{self.name}") + \
            glob.glob(f"/sys/fs/cgroup/**/bellows-bed-{self.name}",
                      recursive=True) + \
            [pid for pid in harness.processes() if network(pid) in networks]

    # -- doing

    def lose(self, host):
        """The host is cut off, and then all that ran on it is gone."""
        self.obey("link", host, "down")
        holder = self.hosts[host]["pid"]
        for pid in harness.processes():
            if pid != holder and self.host_of(pid) == host:
                os.kill(pid, 9)
