#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Certificates of a job: where they are, and for how long.  args: BIN"""

import os
import stat

import bed
import harness

SERVER = "coordinator.bellows"
ROLES = ("coordinator", "executor", "monitor", "client", "scheduler")
FAR = "192.0.2.1:7000"  # nobody's (RFC 5737)


def make_keys(room, name="keys", *options):
    folder = room.path(name)
    room.run("bellows", "keys", folder, "--name", "heat", *options) \
        .ends_with(0)
    return folder


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


# ---- the command line ----

def a_certificate_that_will_not_do_is_said_at_once(room):
    keys = make_keys(room)
    words = ["--job", room.job(harness.Work(1003, 20, 7)), "--state",
             room.path("state", "heat"), "--tls"]
    room.run("bellows-coordinator", *words,
             os.path.join(keys, "executor")).ends_with(71).says(
        "it is of 'executor' and not for a server called " + SERVER)
    os.chmod(os.path.join(keys, "coordinator", "tls.key"), 0o640)
    room.run("bellows-coordinator", *words,
             os.path.join(keys, "coordinator")).ends_with(71).says(
        "tls.key: others can read it (mode 0640); chmod 600")
    short = make_keys(room, "short", "--lifetime", "1s")
    said = room.wait("its end", lambda: [
        at for at in [room.run("bellows", "status", "--connect", "unix:/none",
                               "--tls", short)]
        if "it expired on" in at.errors])
    said[0].ends_with(64)
    room.run("bellows", "keys", keys).ends_with(71).says("File exists")
    room.run("bellows", "keys", room.path("k"), "--name", "A/b").ends_with(64)


def nobody_calls_another_machine_unencrypted_by_accident(room):
    job = room.job(harness.Work(1003, 20, 7))
    for words in (["bellows-executor", "--coordinator", FAR],
                  ["bellows-monitor", "--job", job, "--coordinator", FAR]):
        room.run(*words).ends_with(64).says(
            f"{FAR} may be on another machine: --tls DIR", "--unencrypted")
        room.run(*words, "--unencrypted", "--tls", "x", "--executor-tls"
                 if "monitor" in words[0] else "--name", "x") \
            .ends_with(64).says("one of them")


# ---- a whole job ----

def is_private(path):
    return stat.S_IMODE(os.stat(path).st_mode) & 0o077 == 0


def secrets_of(folder):
    """Lines that no other user may read."""
    lines = [harness.read(os.path.join(folder, "token"), "r").strip()]
    for role in ROLES:
        lines += read(folder, "tls", role, "tls.key").decode() \
            .splitlines()[1:-1]
    assert all(lines)
    return lines


def on_hosts(room, at, work, *options):
    path = room.job(work, ranks=(2, 1, 3))
    return room.start("bellows", "run", "--hosts", at.file(), *options, path)


def a_job_on_several_hosts_is_encrypted_and_leaves_no_key_behind(room):
    work = harness.lasting_work()
    with bed.Bed(room, 3) as at:
        job = on_hosts(room, at, work)
        room.runs_on(2)
        folder = room.path("state", "heat")
        for name in harness.tree(folder):
            assert is_private(os.path.join(folder, name)), name
        secrets = secrets_of(folder)
        assert not harness.in_sight(secrets)
        room.scale(3).ends_with(0)
        room.finishes(job, work)
        job.says(", encrypted; clients with ")
    assert "by mutual TLS" in harness.read(
        room.path("state", "heat", "coordinator.log"), "r")
    assert not harness.in_files(room.folder, secrets)


def a_job_on_several_hosts_may_do_without(room):
    """Asked for once, nobody has to ask for it again."""
    work = harness.lasting_work()
    with bed.Bed(room, 3) as at:
        job = on_hosts(room, at, work, "--unencrypted")
        room.runs_on(2)
        room.scale(3).ends_with(0)
        address = harness.read(room.path("state", "heat", "address"),
                               "r").strip()
        token = room.path("state", "heat", "token")
        far = ["--connect", address, "--token-file", token]
        room.run("bellows", "status", *far).ends_with(64).says(
            f"{address} may be on another machine: --tls DIR")
        room.run("bellows", "status", *far, "--unencrypted").ends_with(0)
        room.finishes(job, work)
        job.says("not encrypted; clients with ")


def certificates_from_elsewhere_serve_as_well(room):
    keys, work = make_keys(room), harness.lasting_work()
    job = room.start("bellows", "run", room.job(work), "--listen",
                     "127.0.0.1:0", "--tls", keys)
    room.runs_on(2)
    room.scale(3).ends_with(0)
    room.finishes(job, work)
    assert sorted(os.listdir(keys)) == sorted(ROLES)


def certificates_are_renewed_while_the_job_runs(room):
    """All of them, by another authority."""
    keys, later = make_keys(room), make_keys(room, "later")
    work = harness.lasting_work()
    job = room.start("bellows", "run", room.job(work), "--listen",
                     "127.0.0.1:0", "--tls", keys)
    room.runs_on(2)
    os.rename(keys, room.path("former"))
    os.rename(later, keys)
    for name, programs in ("coordinator", 1), ("monitor", 3):
        log = room.path("state", "heat", f"{name}.log")
        room.wait("the new ones", lambda log=log, programs=programs:
                  harness.read(log, "r").count("certificate=renewed")
                  >= programs)
    room.scale(3).ends_with(0)
    room.run("bellows", "status", "heat", "--tls",
             room.path("former")).ends_with(69)
    room.finishes(job, work)
    assert os.path.exists(os.path.join(keys, "client", "tls.key"))


if __name__ == "__main__":
    harness.main(
        a_certificate_that_will_not_do_is_said_at_once,
        nobody_calls_another_machine_unencrypted_by_accident,
        a_job_on_several_hosts_is_encrypted_and_leaves_no_key_behind,
        a_job_on_several_hosts_may_do_without,
        certificates_from_elsewhere_serve_as_well,
        certificates_are_renewed_while_the_job_runs)
