#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job on hosts that are really apart.  args: BIN

The hosts are network namespaces with names of their own, and nothing looks
names up between them; see tests/hosts/hosts.
"""

import os
import re
import shutil
import signal
import socket
import subprocess

import bed
import harness

WORK = harness.lasting_work()


def start(room, hosts, work, ranks=(1, 1, 4), launcher="stream", **keys):
    job = room.job(work, ranks=ranks, mpi=f"{{launcher: {launcher}}}", **keys)
    return room.start("bellows", "run", "--hosts", hosts, job)


def ranks_by_host(room, at):
    """{"n1": {0}, ...}: where each rank of parint really is."""
    places = {}
    for pid in room.ours("parint"):
        rank = harness.number_of(pid, "BELLOWS_RANK")
        if rank >= 0:
            places.setdefault(at.host_of(pid), set()).add(rank)
    return places


def everybody_sends(room, at, *names):
    """Each of these hosts sends more than what keeps it in the job."""
    before = at.traffic()
    room.wait("traffic on every host's cable", lambda: all(
        at.traffic()[name] - before[name] > 20000 for name in names))


def goes_from_1_to_4_to_2(room, at, launcher="stream"):
    job = start(room, at.file(), WORK, launcher=launcher)
    room.runs_on(1)
    assert ranks_by_host(room, at) == {"n1": {0}}
    room.scale(4).ends_with(0)
    room.runs_on(4)
    four = ranks_by_host(room, at)
    assert sorted(four) == ["n1", "n2", "n3", "n4"], four
    assert four["n1"] == {0} and sorted(map(list, four.values())) == [
        [0], [1], [2], [3]], four
    members = {member["name"]: member["address"]
               for member in room.status()["members"]}
    assert members == {f"n{i}": at.hosts[f"n{i}"]["address"]
                       for i in range(1, 5)}
    everybody_sends(room, at, "n1", "n2", "n3", "n4")
    room.scale(2).ends_with(0)
    room.runs_on(2)
    two = ranks_by_host(room, at)
    assert two["n1"] == {0} and sorted(map(list, two.values())) == [
        [0], [1]], two
    room.finishes(job, WORK).says("listening on", ", 2 rescales")


def a_job_grows_and_shrinks_on_four_hosts(room):
    with bed.Bed(room, 4) as at:
        goes_from_1_to_4_to_2(room, at)


def so_it_does_where_there_is_only_ipv6(room):
    with bed.Bed(room, 4, "--ipv6") as at:
        there = subprocess.run([*at.on("n1"), "ip", "-4", "-o", "address"],
                               capture_output=True, text=True, check=True)
        assert re.findall(r"inet (\S+)", there.stdout) == ["127.0.0.1/8"]
        goes_from_1_to_4_to_2(room, at)


def so_it_does_by_ssh(room):
    with bed.Bed(room, 4) as at:
        goes_from_1_to_4_to_2(room, at, "ssh")


def so_it_does_by_ssh_where_there_is_only_ipv6(room):
    with bed.Bed(room, 4, "--ipv6") as at:
        goes_from_1_to_4_to_2(room, at, "ssh")


def a_slow_network_that_loses_frames_changes_no_digest(room):
    work = harness.Work(10007, 500, 1, pace=200000)  # messages take long too
    with bed.Bed(room, 4, "--delay", "5ms", "--loss", "1%") as at:
        job = start(room, at.file(), work, ranks=(2, 1, 4))
        room.runs_on(2)
        room.scale(4).ends_with(0)
        room.runs_on(4)
        room.finishes(job, work)


def a_host_that_goes_away_costs_what_was_computed_since(room):
    with bed.Bed(room, 4) as at:
        job = start(room, at.file(), WORK, ranks=(3, 1, 4))
        room.runs_on(3)
        room.scale(4).ends_with(0)
        room.runs_on(4)
        at.lose("n2")
        room.computes_on(3)
        room.finishes(job, WORK).says("n2 was lost: no report for 3 s",
                                      "running on 3 ranks")
    assert re.search(r"^parint: resumed at", job.output, re.M)


def a_dead_host_of_the_file_is_passed_over(room):
    work = harness.lasting_work()
    with bed.Bed(room, 2) as at:
        text = harness.read(at.file(), "r")
        hosts = room.write("hosts", f"gone {at.hosts['n2']['address']} "
                           f"false\n{text}")
        job = start(room, hosts, work, ranks=(2, 1, 2))
        room.runs_on(2)
        assert set(ranks_by_host(room, at)) == {"n1", "n2"}
        room.finishes(job, work)


def too_few_hosts_are_told_and_those_that_are_there_do(room):
    work = harness.work_for(1)
    with bed.Bed(room, 2) as at:
        job = start(room, at.file(), work, ranks=(3, 1, 3), wait_deadline="2s")
        job.ends_with(0).says("3 executors are wanted, the hosts file has 2")
    assert harness.digest(job.output) == work.digest()
    assert job.errors.count("the hosts file has") == 1


def a_hosts_file_that_is_wrong_starts_nothing(room):
    job = room.job(harness.Work(1000, 10, 1))
    hosts = room.write("hosts", "n1 10.0.0.7\nn2 node2.example\n")
    room.run("bellows", "run", "--hosts", hosts, job).ends_with(65).says(
        "hosts:2: 'node2.example'; after the name the host's address")
    room.run("bellows", "run", "--hosts", room.path("none"),
             job).ends_with(65).says("none: No such file")
    room.write("hosts", "n1 127.0.0.1\n")
    room.run("bellows", "run", "--hosts", hosts, "--listen", "0.0.0.0",
             job).ends_with(64).says("--listen: '0.0.0.0'; an address of")
    assert not os.listdir(room.state)


def hosts_without_a_command_are_this_machine(room):
    work = harness.work_for(1)
    hosts = room.write("hosts", "a 127.0.0.1\nb 127.0.0.1\n")
    job = start(room, hosts, work, ranks=(2, 1, 2))
    job.ends_with(0).says("listening on 127.0.0.1:")
    assert harness.digest(job.output) == work.digest()


def start_sshd(room, at, host):
    """Key and words of ssh to an sshd on that host; ends with the bed."""
    keys = {name: room.path(name) for name in ("host-key", "key")}
    for path in keys.values():
        if not os.path.exists(path):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "",
                            "-f", path], check=True)
    # its own /run, where sshd wants a folder
    subprocess.run([*at.on(host), "sh", "-c", "mount -t tmpfs tmpfs /run && "
                    "mkdir /run/sshd && exec /usr/sbin/sshd -f /dev/null "
                    f"-h {keys['host-key']} -o PidFile=none "
                    f"-o AuthorizedKeysFile={keys['key']}.pub "
                    "-o StrictModes=no"], check=True)
    return ["ssh", "-i", keys["key"], "-o", "BatchMode=yes", "-o",
            "ConnectTimeout=20", "-o", "StrictHostKeyChecking=no", "-o",
            "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
            at.hosts[host]["address"]]


def the_command_may_be_ssh(room):
    if not os.path.exists("/usr/sbin/sshd") or not shutil.which("ssh-keygen"):
        raise harness.Skip("there is no sshd, or no ssh")
    work = harness.work_for(1)
    with bed.Bed(room, 2) as at:
        hosts = room.write("hosts", "".join(
            f"{name} {at.hosts[name]['address']} "
            f"{' '.join(start_sshd(room, at, name))}\n"
            for name in ("n1", "n2")))
        job = start(room, hosts, work, ranks=(2, 1, 2))
        job.ends_with(0)
    assert harness.digest(job.output) == work.digest()


def a_name_whose_answer_is_lost_is_asked_for_anew(room):
    if os.getuid() != 0:
        raise harness.Skip("needs the right to mount")
    file = room.write("resolv.conf", "nameserver 127.0.0.9\n")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind(("127.0.0.9", 53))
        # what is mounted is seen by this program and what it starts alone
        subprocess.run(["mount", "--bind", file, "/etc/resolv.conf"],
                       check=True)
        try:
            at = room.start("bellows-monitor", "--job", room.job(WORK),
                            "--coordinator", "nowhere.example:7000",
                            "--unencrypted", "--verbose")
            room.wait("another question", lambda: "away attempts=2" in
                      at.errors)
            at.tell(signal.SIGTERM)
            at.ends_with(128 + signal.SIGTERM)
        finally:
            subprocess.run(["umount", "/etc/resolv.conf"], check=True)


def a_bed_whose_owner_is_dead_is_removed(room):
    at = bed.Bed(room, 2, "--cpu", "0.5")
    owner = subprocess.Popen(["sleep", "1000"])
    at.obey("up", 2, "--cpu", "0.5", "--owner", owner.pid)
    at.hosts = {"n1": {"network": bed.network(
        room.wait("a holder", lambda: holders(at.name))[0])}}
    assert len(at.left()) > 2
    at.obey("sweep")
    assert len(at.left()) > 2
    owner.kill()
    owner.wait()
    at.obey("sweep")
    assert not at.left() and not holders(at.name)


def holders(name):
    mark = f"BELLOWS_BED_HOLDER={name}/n1".encode()
    return [pid for pid in harness.processes()
            if mark in harness.environment(pid)]


harness.main(
    a_job_grows_and_shrinks_on_four_hosts,
    so_it_does_where_there_is_only_ipv6,
    so_it_does_by_ssh,
    so_it_does_by_ssh_where_there_is_only_ipv6,
    a_slow_network_that_loses_frames_changes_no_digest,
    a_host_that_goes_away_costs_what_was_computed_since,
    a_dead_host_of_the_file_is_passed_over,
    too_few_hosts_are_told_and_those_that_are_there_do,
    a_hosts_file_that_is_wrong_starts_nothing,
    hosts_without_a_command_are_this_machine,
    the_command_may_be_ssh,
    a_name_whose_answer_is_lost_is_asked_for_anew,
    a_bed_whose_owner_is_dead_is_removed,
)
