# SPDX-License-Identifier: Apache-2.0
"""Beds of hosts: how they are made, used and removed (hosts)"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import share
from holder import HOLDER, ROOT, enter, holder_of
from proc import began, is_alive, kill, network, pids, read

SKIPPED = 77
SWITCH, WIRE = "switch", "wire"
PATIENCE = 20
TOOLS = ("ip", "nsenter", "unshare", "mount", "hostname")

# As root of the new namespaces.  $1: the host's name; $2: its folder.
SETTLE = r"""
set -e
hostname "$1"
mount -t tmpfs tmpfs /dev/shm
mount --bind "$2/etc-hosts" /etc/hosts
mount --bind "$2/etc-resolv" /etc/resolv.conf
ip link set lo up
echo settled
exec sleep infinity >/dev/null 2>&1
"""


class Refused(Exception):
    """In one sentence."""


class Impossible(Refused):
    """Not on this machine."""


# ---- processes ----

def pin_networks(pids):
    """Open files of their networks.  The kernel gives the number of a network
    that has ended to a new one, of another bed perhaps; a network whose file is
    open keeps its number."""
    pins = []
    for pid in pids:
        try:
            pins.append(os.open(f"/proc/{pid}/ns/net", os.O_RDONLY))
        except OSError:
            pass  # The process has ended.
    return pins


# ---- a bed ----

class Bed:
    """What is there of a bed of that name."""

    def __init__(self, name):
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name):
            raise Refused(f"--bed {name}: 1 to 40 of A-Z a-z 0-9 _ -")
        self.name = name
        self.folder = f"{ROOT}/{name}"
        self.file = f"{self.folder}/bed.json"

    def holders(self):
        """part -> pid"""
        found = ((pid, holder_of(pid)) for pid in pids() if is_alive(pid))
        return {at[1]: pid for pid, at in found if at and at[0] == self.name}

    def plan(self):
        try:
            return json.loads(read(self.file))
        except ValueError:
            return {}

    def pid(self, host):
        pid = self.holders().get(host)
        if pid is None:
            raise Refused(f"there is no host {host} in bed {self.name}")
        return pid

    def inside(self, pid, *command):
        """In the network of that process only."""
        at = subprocess.run(["nsenter", f"--net=/proc/{pid}/ns/net", *command],
                            stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, check=False)
        if at.returncode != 0:
            raise Impossible(f"{' '.join(command)}: {at.stderr.strip()}")

    # -- making

    def hold(self, part, argv):
        """Starts what holds a part of the bed, and waits until it is there."""
        at = subprocess.Popen(
            argv, env=dict(os.environ, **{HOLDER: f"{self.name}/{part}"}),
            cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        if at.stdout.readline() != "settled\n":
            at.kill()
            raise Impossible(f"{part}: {at.stderr.read().strip()}")
        return at.pid

    def make_host(self, name):
        return self.hold(name, [
            "unshare", "--net", "--uts", "--mount", "--propagation", "private",
            "--", "sh", "-c", SETTLE, "sh", name, self.folder])

    def make_switch(self):
        pid = self.make_host(SWITCH)
        self.inside(pid, "ip", "link", "add", "bridge", "type", "bridge")
        self.inside(pid, "ip", "link", "set", "bridge", "up")
        return pid

    def plug(self, switch, name, pid):
        """A cable from the host's card to the switch."""
        self.inside(switch, "ip", "link", "add", name, "type", "veth",
                    "peer", "name", "eth0", "netns", str(pid))
        self.inside(switch, "ip", "link", "set", name, "master", "bridge", "up")

    def configure(self, number, pid, ipv6):
        self.inside(pid, "ip", "address", "add", *address(number, ipv6),
                    "dev", "eth0")
        self.inside(pid, "ip", "link", "set", "eth0", "up")

    def slow(self, hosts, delay, loss):
        """By the kernel; False if it cannot."""
        words = ["root", "netem", "delay", f"{delay}ms", "loss", f"{loss}%"]
        try:
            for pid in hosts.values():
                self.inside(pid, "tc", "qdisc", "add", "dev", "eth0", *words)
        except Impossible:
            return False
        return True

    def string(self, switch, hosts, delay, loss):
        """Cables of our own, which delay and lose."""
        ends = [f"{name}={pid}" for name, pid in hosts.items()]
        wire = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "wire.py")
        self.hold(WIRE, [sys.executable, "-B", wire, str(delay), str(loss),
                         str(switch), *ends])
        for name in hosts:
            self.inside(switch, "ip", "link", "set", name, "master", "bridge",
                        "up")

    def connect(self, switch, hosts, args):
        for name, pid in hosts.items():
            self.plug(switch, name, pid)
        if not (args.delay or args.loss) or \
                self.slow(hosts, args.delay, args.loss):
            return
        for name in hosts:
            self.inside(switch, "ip", "link", "delete", name)
        self.string(switch, hosts, args.delay, args.loss)

    def up(self, args):
        if self.holders():
            raise Refused(f"bed {self.name} is up already")
        os.makedirs(self.folder, mode=0o755, exist_ok=True)
        for name, text in (("etc-hosts", "127.0.0.1 localhost\n"),
                           ("etc-resolv", "")):
            with open(f"{self.folder}/{name}", "w", encoding="ascii") as file:
                file.write(text)
        plan = {"owner": args.owner, "began": began(args.owner or 0),
                "ipv6": args.ipv6, "hosts": args.hosts, "cpu": args.cpu}
        with open(self.file, "w", encoding="ascii") as file:
            json.dump(plan, file)
        switch = self.make_switch()
        hosts = {f"n{i}": self.make_host(f"n{i}")
                 for i in range(args.hosts + 1)}
        self.connect(switch, hosts, args)
        for number, pid in enumerate(hosts.values()):
            self.configure(number, pid, args.ipv6)
        if args.cpu:
            for name in list(hosts)[1:]:
                share.make(self.name, name, args.cpu)
        else:
            self.note(hosts)

    # -- ending

    def members(self, networks):
        """Of the bed: its holders, and all that run in its networks."""
        return [pid for pid in pids() if is_alive(pid)
                and self.is_member(pid, networks)]

    def is_member(self, pid, networks):
        return network(pid) in networks or \
            (holder_of(pid) or ("",))[0] == self.name

    def kill_members(self, networks):
        """Until two looks in a row find none: a process that ends during a look
        may have started another one that the look does not see."""
        deadline = time.monotonic() + PATIENCE
        empty = 0
        while empty < 2:
            left = self.members(networks)
            empty = 0 if left else empty + 1
            for pid in left:
                kill(pid, lambda at: self.is_member(at, networks))
            if left and time.monotonic() > deadline:
                raise Refused(f"bed {self.name}: processes {left} do not end")
            time.sleep(0.01)

    def down(self):
        """Safe at any time, on what is there."""
        pins = pin_networks(self.holders().values())
        own = {0, network(1), network("self")}
        try:
            self.kill_members({os.fstat(pin).st_ino for pin in pins} - own)
        finally:
            for pin in pins:
                os.close(pin)
        share.remove(self.name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def is_stale(self):
        plan = self.plan()
        owner = plan.get("owner")
        return bool(owner) and (not is_alive(owner)
                                or began(owner) != plan["began"])

    # -- using

    def run(self, host, command):
        pid = self.pid(host)
        if self.plan().get("cpu"):
            share.enter(self.name, host)
        enter(pid, command)

    def note(self, hosts):
        """For enter_quickly(), which knows no shares."""
        for name, pid in hosts.items():
            with open(f"{self.folder}/{name}.pid", "w",
                      encoding="ascii") as file:
                file.write(str(pid))

    def show(self):
        plan, holders = self.plan(), self.holders()
        numbers = {f"n{i}": i for i in range(plan.get("hosts", -1) + 1)}
        print(json.dumps({
            name: {"pid": pid, "network": network(pid),
                   "address": address(numbers[name], plan["ipv6"])[0]
                   .partition("/")[0] if name in numbers else None}
            for name, pid in sorted(holders.items())}))


def address(number, ipv6):
    return (f"fd77::{number + 10:x}/64", "nodad") if ipv6 \
        else (f"10.77.0.{number + 10}/24",)


def sweep():
    for name in os.listdir(ROOT) if os.path.isdir(ROOT) else []:
        if Bed(name).is_stale():
            Bed(name).down()
            print(f"hosts: removed bed {name}, whose owner is dead",
                  file=sys.stderr)


# ---- the command line ----

def number_with(unit):
    def parse(text):
        number = text[:-len(unit)] if text.endswith(unit) else text
        if not re.fullmatch(r"\d+(\.\d+)?", number):
            raise argparse.ArgumentTypeError(f"'{text}': as 2{unit}")
        return float(number)
    return parse


def parse(words, description):
    parser = argparse.ArgumentParser(
        prog="hosts", description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bed", default=os.environ.get("BELLOWS_BED", "bed"))
    verbs = parser.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser("up")
    up.add_argument("hosts", type=int, choices=range(1, 101), metavar="N")
    up.add_argument("--ipv6", action="store_true")
    up.add_argument("--delay", type=number_with("ms"), default=0.0)
    up.add_argument("--loss", type=number_with("%"), default=0.0)
    up.add_argument("--cpu", type=float, default=0.0)
    up.add_argument("--owner", type=int)
    run = verbs.add_parser("run")
    run.add_argument("host")
    run.add_argument("command", nargs=argparse.REMAINDER)
    link = verbs.add_parser("link")
    link.add_argument("host")
    link.add_argument("state", choices=("up", "down"))
    for verb in ("show", "down", "sweep"):
        verbs.add_parser(verb)
    return parser.parse_args(words)


def check_machine():
    if os.getuid() != 0:
        raise Impossible("network namespaces need root")
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        raise Impossible(f"missing: {' '.join(missing)}")


def up(bed, args):
    sweep()
    try:
        bed.up(args)
    except BaseException:
        bed.down()
        raise


def obey(args):
    bed = Bed(args.bed)
    check_machine()
    if args.verb == "up":
        up(bed, args)
    elif args.verb == "run":
        bed.run(args.host, args.command or ["sh"])
    elif args.verb == "link":
        bed.inside(bed.pid(SWITCH), "ip", "link", "set", args.host, args.state)
    elif args.verb == "show":
        bed.show()
    elif args.verb == "down":
        bed.down()
    else:
        sweep()


def main(description):
    """The program; its exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        obey(parse(sys.argv[1:], description))
    except Impossible as reason:
        print(f"hosts: {reason}", file=sys.stderr)
        return SKIPPED
    except Refused as reason:
        print(f"hosts: {reason}", file=sys.stderr)
        return 1
    return 0
