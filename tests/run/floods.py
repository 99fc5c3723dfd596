#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peers that flood a coordinator: they are cut off, and its job and its memory
are as they were.  args: BIN"""

import contextlib
import http.client
import os
import re
import secrets
import threading

import harness
import http2
from attackers import ATTACH, CROWD, FLOODS, WATCH, kinds_of
from certificates import SERVER, make_keys
from http2 import HEADERS

ENOUGH = 64 << 20  # bytes; a peer that may send so much is not cut off


# ---- the coordinator ----

class Target:
    """With a job that runs on two executors; keys: it encrypts."""

    def __init__(self, room, keys=None):
        self.room, self.keys = room, keys
        self.work = harness.lasting_work()
        self.token = secrets.token_hex(16)
        path = room.write("secret", self.token + "\n")
        os.chmod(path, 0o600)
        self.state = room.path("state", "heat")
        self.at = room.start(
            "bellows-coordinator", "--job", room.job(self.work), "--state",
            self.state, "--listen", "127.0.0.1:0", "--health", "127.0.0.1:0",
            "--token-file", path, *self.as_role("coordinator"))
        self.address = room.wait("an address", lambda: harness.read(
            f"{self.state}/address", "r").strip())
        self.health = room.wait("health", lambda: re.search(
            r"health at http://(\S+)/healthz", self.at.errors)).group(1)
        for name in ("w0", "w1"):
            os.mkdir(room.path(name))
            room.start("bellows-executor", "--coordinator", self.address,
                       "--name", name, "--tmpdir", room.path(name),
                       "--token-file", path, *self.as_role("executor"))
        room.wait("a step", lambda: "iteration" in self.at.output)
        self.pid = room.the("bellows-coordinator")
        self.is_healthy()
        self.idle = self.peak = self.memory()

    def as_role(self, role):
        return ["--tls", os.path.join(self.keys, role)] if self.keys else []

    def memory(self):
        """Bytes."""
        return 1024 * int(re.search(r"VmRSS:\s+(\d+)", harness.read(
            f"/proc/{self.pid}/status", "r")).group(1))

    def is_healthy(self):
        page = http.client.HTTPConnection(self.health,
                                          timeout=harness.PATIENCE)
        page.request("GET", "/healthz")
        assert page.getresponse().status == 200
        page.close()

    def connect(self):
        return http2.connect(
            self.address, self.keys and os.path.join(self.keys, "executor"),
            SERVER)

    def head(self, token=None):
        return http2.head(ATTACH if self.keys else WATCH, token,
                          bool(self.keys))

    def flood(self, name, token=None):
        """Until it is cut off.  token: the peer is let in before."""
        fields, sent = self.head(token), 0
        with contextlib.suppress(OSError), self.connect() as at:
            if token:
                at.sendall(http2.call(1, fields))
                while HEADERS not in kinds_of(at.recv(65536)):
                    pass
            for piece in FLOODS[name](fields):
                assert sent < ENOUGH, f"{name}: it is not cut off"
                at.sendall(piece)
                sent += len(piece)

    def bears(self, *floods):
        """All at once."""
        threads = [threading.Thread(target=flood) for flood in floods]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.is_healthy()
            self.peak = max(self.peak, self.memory())
            threads[0].join(0.01)

    def goes_on(self):
        """As if nothing had happened; its memory is as it was."""
        print(f"# {self.idle >> 20} MiB, at most {self.peak >> 20}, then "
              f"{self.memory() >> 20}")
        assert self.peak < 2 * self.idle, (self.idle, self.peak)
        assert " is cut off, for it floods the server with " in self.at.errors
        assert "lost" not in self.at.errors and "epoch=2" not in self.at.errors
        self.room.finishes(self.at, self.work)


# ---- tests ----

def a_peer_without_the_token_is_cut_off(room):
    target = Target(room)
    for name in FLOODS:
        target.bears(lambda name=name: target.flood(name))
    target.goes_on()


def a_peer_with_the_token_is_cut_off_too(room):
    target = Target(room)
    for name in FLOODS:
        target.bears(lambda name=name: target.flood(name, target.token))
    target.goes_on()


def a_peer_with_an_executors_certificate_is_cut_off_too(room):
    target = Target(room, make_keys(room))
    for name in FLOODS:
        target.bears(lambda name=name: target.flood(name))
    target.goes_on()


def crowd(target):
    target.bears(*CROWD * [lambda: target.flood("resets")])
    target.goes_on()


def a_crowd_without_the_token_is_cut_off(room):
    crowd(Target(room))


def a_crowd_with_an_executors_certificate_is_cut_off_too(room):
    crowd(Target(room, make_keys(room)))


harness.main(
    a_peer_without_the_token_is_cut_off,
    a_peer_with_the_token_is_cut_off_too,
    a_peer_with_an_executors_certificate_is_cut_off_too,
    a_crowd_without_the_token_is_cut_off,
    a_crowd_with_an_executors_certificate_is_cut_off_too,
    side_by_side=2)
