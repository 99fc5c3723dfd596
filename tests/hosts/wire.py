#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Cables that delay and lose, for kernels that were built without netem

    wire.py DELAY_MS LOSS_PERCENT SWITCH_PID NAME=PID...

For each host a cable: its one end is the card eth0 in the host's network, its
other the port NAME in the switch's.  Both ends are taps, and this process
carries the frames.  What a host sends waits for the delay, or is lost; what it
is sent comes at once, as with netem on its card.
"""

import collections
import ctypes
import fcntl
import os
import random
import selectors
import struct
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454ca
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
FRAME_MAX = 65536

libc = ctypes.CDLL(None, use_errno=True)


def enter(pid):
    fd = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    if libc.setns(fd, CLONE_NEWNET) < 0:
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)


def tap(name):
    """In the network that this process is in; it goes when this ends."""
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(fd, TUNSETIFF,
                struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return fd


def send(fd, frame):
    """Or lose it: the card is down, or its queue is full."""
    try:
        os.write(fd, frame)
    except OSError:
        pass


def frames(fd):
    try:
        while True:
            yield os.read(fd, FRAME_MAX)
    except OSError:
        return


def lay(switch, ends):
    """(host's end, switch's end) of each cable."""
    for end in ends:
        name, _, pid = end.partition("=")
        enter(pid)
        card = tap("eth0")
        enter(switch)
        yield card, tap(name)


def carry(cables, delay, loss):
    ready = selectors.DefaultSelector()
    for card, port in cables:
        ready.register(card, selectors.EVENT_READ, (port, True))
        ready.register(port, selectors.EVENT_READ, (card, False))
    under_way = collections.deque()  # (due, end, frame); the delay is one
    while True:
        now = time.monotonic()
        while under_way and under_way[0][0] <= now:
            send(*under_way.popleft()[1:])
        wait = under_way[0][0] - now if under_way else None
        for key, _ in ready.select(wait):
            other, is_sent = key.data
            for frame in frames(key.fd):
                if not is_sent:
                    send(other, frame)
                elif random.random() >= loss:
                    under_way.append((time.monotonic() + delay, other, frame))


def main():
    delay, loss, switch = (float(sys.argv[1]) / 1000,
                           float(sys.argv[2]) / 100, sys.argv[3])
    cables = list(lay(switch, sys.argv[4:]))
    print("settled", flush=True)
    carry(cables, delay, loss)


if __name__ == "__main__":
    main()
