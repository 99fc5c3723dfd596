#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What containers of Kubernetes are like, and survive.  args: BIN"""

import glob
import os
import shutil
import signal
import subprocess
import time

import harness
from crew import Crew, resumed

NOBODY = 54321
NAME = "heat-master-0.heat"

# a rank that is there twice says so
ALONE = """exec 9>>ck/lock.$OMPI_COMM_WORLD_RANK
flock -n 9 || { echo TWICE; exit 9; }
exec parint "$@" """
# and one that leaves a process behind that ignores SIGTERM
CLINGING = """trap '' TERM HUP
exec 9>>ck/lock.$OMPI_COMM_WORLD_RANK
flock -n 9 || { echo TWICE; exit 9; }
setsid sleep 600 </dev/null >/dev/null 2>&1 &
exec parint "$@" """


def unshare(*options):
    words = [shutil.which("unshare") or "unshare", *options]
    if subprocess.run(words + ["true"], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        raise harness.Skip("needs the right to make namespaces")
    return words


def by_mounts(*mounts):
    """Words for what follows to have a view of files of its own."""
    return unshare("--mount") + ["sh", "-c", " && ".join(
        [*mounts, 'exec "$@"']), "sh"]


def job(room, script, work, **keys):
    return room.job(work, command=harness.flow(
        ["sh", "-c", script, "parint", *work.words]), **keys)


# ---- the container of the coordinator ----

class Contained(Crew):
    """The coordinator is process 1 of a namespace."""

    def begin(self):
        words = unshare("--pid", "--fork", "--mount-proc", "--kill-child")
        at = self.room.start(
            words[0], *words[1:],
            os.path.join(harness.BIN, "bellows-coordinator"), "--job",
            self.path, "--state", self.state)
        return at

    def kill(self):
        """All that is in the container dies at once."""
        kill(self.room.wait("process 1", lambda: [
            pid for pid in harness.children(self.lead.pid)
            if "coordinator" in (harness.command(pid) or [""])[0]])[0])
        self.lead.end()
        return self


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def a_restarted_coordinator_goes_on_from_the_checkpoint(room):
    work = harness.lasting_work()
    crew = Contained(room, job(room, ALONE, work), 2).computes(2)
    room.run("bellows", "scale", "heat", 3).ends_with(0)
    crew.join("w2")
    crew.computes(3)
    before = {name: hand.pid for name, hand in crew.hands.items()}
    first = crew.kill().lead
    crew.lead = crew.begin()
    crew.done(work)
    assert {name: hand.pid for name, hand in crew.hands.items()} == before
    assert "TWICE" not in first.output + crew.lead.output
    assert resumed(first) == resumed(crew.lead) and len(resumed(first)) == 1
    for hand in crew.hands.values():
        hand.says("another coordinator runs the job")
    # its numbers are not those of the one before
    crew.lead.says("killed after start 2", "epoch=3 up ranks=3")


def what_clings_to_the_start_before_is_ended_first(room):
    work = harness.lasting_work()
    crew = Contained(room, job(room, CLINGING, work), 2).computes(2)
    crew.kill()
    crew.lead = crew.begin()
    crew.done(work)
    assert "TWICE" not in crew.lead.output


def it_may_be_killed_again_and_again(room):
    work = harness.lasting_work()
    crew = Contained(room, job(room, ALONE, work), 2).computes(2)
    for _ in range(2):
        crew.kill()
        crew.lead = crew.begin()
        room.wait("it listens", lambda: "listening" in crew.lead.errors)
    crew.done(work)
    assert "TWICE" not in crew.lead.output


def the_monitor_outlives_the_coordinators_restart(room):
    work = harness.lasting_work()
    path = job(room, ALONE, work)
    state = room.path("state", "heat")
    os.mkdir(state, 0o700)
    monitor = room.start("bellows-monitor", "--job", path, "--coordinator",
                         f"unix:{state}/coordinator.sock", "--state",
                         room.path("m"))
    room.wait("it waits", lambda: "coordinator=away" in monitor.errors)
    crew = Contained(room, path, 0).computes(2)
    hands = sorted(room.ours("bellows-executor"))
    crew.kill()
    crew.lead = crew.begin()
    crew.computes(2)
    assert sorted(room.ours("bellows-executor")) == hands
    crew.done(work)
    monitor.ends_with(0)
    assert "TWICE" not in crew.lead.output


# ---- probes ----

def an_executor_says_by_a_file_that_it_is_ready(room):
    path, ready = room.job(harness.work_for(60), ranks=(1, 1, 1)), \
        room.write("ready", "of another life")
    crew = Contained(room, path, 0)
    os.rename(f"{crew.state}/coordinator.sock", room.path("aside"))
    crew.options = ("--ready", ready)
    hand = crew.join("w0")
    room.wait("it began", lambda: os.listdir(room.path("t-w0")))
    assert not os.path.exists(ready)
    os.rename(room.path("aside"), f"{crew.state}/coordinator.sock")
    room.wait("ready", lambda: os.path.exists(ready))
    crew.kill()
    room.wait("not ready", lambda: not os.path.exists(ready))
    crew.lead = crew.begin()
    room.wait("ready again", lambda: os.path.exists(ready))
    crew.computes(1)
    crew.lead.tell(signal.SIGSTOP)
    hand.tell(signal.SIGTERM)
    room.wait("not ready", lambda: not os.path.exists(ready))
    crew.lead.tell(signal.SIGCONT)
    hand.ends_with(0)
    crew.kill()
    room.stale = harness.KILLED


# ---- the network ----

def everywhere(room, listen, local, address):
    work = harness.work_for(2)
    crew = Crew(room, room.job(work), 0, "--address", address,
                listen=("--listen", listen, "--unencrypted"))
    crew.address = f"{local}:{crew.address.rpartition(':')[2]}"
    crew.join("w0")
    crew.join("w1")
    crew.done(work)


def it_listens_on_all_addresses_of_ipv4(room):
    everywhere(room, "0.0.0.0:0", "127.0.0.1", "127.0.0.1")


def it_listens_on_all_addresses_of_ipv6(room):
    if not os.path.exists("/proc/net/if_inet6"):
        raise harness.Skip("there is no IPv6")
    everywhere(room, "[::]:0", "[::1]", "::1")


def a_name_may_begin_to_resolve_late(room):
    hosts = room.write("hosts", "127.0.0.1 localhost\n")
    resolver = room.write("resolv.conf", "nameserver 127.0.0.1\n"
                          "options timeout:1 attempts:1\n")
    words = by_mounts(f"mount --bind {hosts} /etc/hosts",
                      f"mount --bind {resolver} /etc/resolv.conf")
    work = harness.work_for(2)
    crew = Crew(room, room.job(work), 0, "--verbose", "--unencrypted",
                listen=("--listen", "127.0.0.1:0", "--unencrypted"))
    crew.address = f"{NAME}:{crew.address.rpartition(':')[2]}"
    room.prefix = words
    crew.join("w0")
    crew.join("w1")
    room.prefix = []
    room.wait("it tried", lambda: all(
        "is not there" in hand.errors for hand in crew.hands.values()))
    with open(hosts, "a", encoding="utf-8") as file:
        file.write(f"127.0.0.1 {NAME}\n")
    crew.done(work)


# ---- the files, the user ----

def a_user_without_a_name_on_a_read_only_root(room):
    if os.getuid() != 0:
        raise harness.Skip("needs root, to become another user")
    work = harness.lasting_work()
    path = room.job(work)
    mounts = [f"mount --bind {room.folder} {room.folder}",
              "mount -o remount,bind,ro /"]
    for point in ("/tmp", "/var", "/run", "/home", "/root", "/etc"):
        if os.path.ismount(point):
            mounts.append(f"mount -o remount,bind,ro {point}")
    for name in ("t-w0", "t-w1"):
        os.mkdir(room.path(name))
    for at, folders, files in os.walk(room.folder):
        for name in [at, *(os.path.join(at, name)
                           for name in folders + files)]:
            os.chown(name, NOBODY, NOBODY)
    words = by_mounts(*mounts) + [
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
        "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "env",
        "-u", "HOME", "-u", "USER", "-u", "LOGNAME"]
    if subprocess.run(words + ["test", "-x",
                               os.path.join(harness.BIN, "parint")],
                      check=False).returncode != 0:
        raise harness.Skip("others may not run what is in BIN")
    room.prefix = words
    crew = Crew(room, path, 2).computes(2)
    crew.tell("w1")
    crew.left("w1")
    crew.done(work)
    room.prefix = []


def where_dev_shm_is_small_shared_memory_is_elsewhere(room):
    words = by_mounts("mount -t tmpfs -o size=1m tmpfs /dev/shm")
    work = harness.lasting_work()
    path = room.job(work, ranks=(4, 1, 4), ranks_per_executor=4)
    crew = Crew(room, path, 0, "--slots", 4)
    room.prefix = words
    crew.join("w0").path = room.path("t-w0")
    room.prefix = []
    room.wait("segments", lambda: len(glob.glob(
        room.path("t-w0", "bx-*", "vader_segment*"))) == 4)
    crew.done(work)
    crew.hands["w0"].says("/dev/shm has 1 MiB free, 4 ranks need 20")
    assert not os.listdir(room.path("t-w0"))


harness.main(
    a_restarted_coordinator_goes_on_from_the_checkpoint,
    what_clings_to_the_start_before_is_ended_first,
    it_may_be_killed_again_and_again,
    the_monitor_outlives_the_coordinators_restart,
    an_executor_says_by_a_file_that_it_is_ready,
    it_listens_on_all_addresses_of_ipv4,
    it_listens_on_all_addresses_of_ipv6,
    a_name_may_begin_to_resolve_late,
    a_user_without_a_name_on_a_read_only_root,
    where_dev_shm_is_small_shared_memory_is_elsewhere,
)
