# SPDX-License-Identifier: Apache-2.0
"""A TCP relay that loses what a test names

It stands between an executor and the coordinator.  A loss is a pattern: the
relay does not pass on the bytes in which it finds it, nor anything after them,
and closes that connection on both sides.  New connections are let through.
"""

import re
import select
import socket
import threading

UP, DOWN = "up", "down"  # to the coordinator, to the executor
CHUNK = 65536
LONGEST = 4096  # bytes of what was passed on that a pattern may begin in


class Loss:
    """One that is to come.  is_over: it has come."""

    def __init__(self, way, pattern):
        self.way, self.pattern = way, re.compile(pattern, re.DOTALL)
        self.over = threading.Event()

    def is_over(self):
        return self.over.is_set()


class Relay:
    """Of connections from its address to target, both "127.0.0.1:PORT"."""

    def __init__(self, target):
        host, _, port = target.rpartition(":")
        self.target = host, int(port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.losses = []  # to come, the next one first
        self.cuts = 0     # connections that a loss has closed
        self.bell, self.end = socket.socketpair()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.bell.close()
        self.thread.join()

    def lose(self, way, pattern):
        """The first bytes that match, after the losses before have come."""
        loss = Loss(way, pattern)
        self.losses.append(loss)
        return loss

    # -- in the thread

    def run(self):
        peers, tails = {}, {}  # socket -> other side; -> last bytes of it
        ways = {}
        while True:
            watched = [self.listener, self.end, *peers]
            for at in select.select(watched, [], [])[0]:
                if at is self.end:
                    for each in watched:
                        each.close()
                    return
                if at is self.listener:
                    self.accept(peers, ways, tails)
                elif at in peers and not self.pass_on(at, peers, ways, tails):
                    other = peers.pop(at)
                    del peers[other]
                    at.close()
                    other.close()

    def accept(self, peers, ways, tails):
        near = self.listener.accept()[0]
        try:
            far = socket.create_connection(self.target)
        except OSError:
            near.close()
            return
        for at, other, way in (near, far, UP), (far, near, DOWN):
            at.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peers[at], ways[at], tails[at] = other, way, b""

    def pass_on(self, at, peers, ways, tails):
        """False: the connection is to be closed."""
        try:
            data = at.recv(CHUNK)
            loss = self.losses[0] if self.losses else None
            seen = tails[at] + data
            if loss and loss.way == ways[at] and any(
                    found.end() > len(tails[at])
                    for found in loss.pattern.finditer(seen)):
                self.losses.pop(0)
                self.cuts += 1
                loss.over.set()
                return False
            tails[at] = seen[-LONGEST:]
            peers[at].sendall(data)
        except OSError:
            return False
        return data != b""
