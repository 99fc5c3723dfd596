# SPDX-License-Identifier: Apache-2.0
"""Which TCP ports of a pod are open, and whose they are

A connection is tried to every port, from the cluster's network.  The process
that listens is read from the pod's own network namespace.
"""

import errno
import os
import re
import socket
import struct
import time

import kube  # first: it knows where harness is
import harness

LAST = 65535
PATIENCE = 60  # seconds, for all ports of a pod
SOON = struct.pack("ll", 1, 0)  # until a connection is given up
LISTENS = "0A"


def network(space):
    """This thread is in the cluster's network."""
    return kube.network_of(space.cluster.place.first())


# ---- from outside ----

def patient():
    at = socket.socket()
    at.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, SOON)
    return at


def tried(address):
    """{port: what becomes of a connection}.  A socket that was refused can try
    again, which is a third of the work."""
    deadline = time.monotonic() + PATIENCE
    at, found = None, {}
    for port in range(1, LAST + 1):
        at = at or patient()
        found[port] = at.connect_ex((address, port))
        if found[port] != errno.ECONNREFUSED:
            at.close()
            at = None
        assert time.monotonic() < deadline, f"{address} is slow at {port}"
    return found


def open_ports(space, pod):
    """Those that take a connection; the others refuse it."""
    address = space.pod(pod)["podIP"]
    with network(space):
        found = tried(address)
    assert len(found) == LAST
    assert set(found.values()) <= {0, errno.ECONNREFUSED}, set(found.values())
    return {port for port, reason in found.items() if reason == 0}


# ---- from inside ----

def sockets(pid):
    """The numbers of those that it has."""
    folder = f"/proc/{pid}/fd"
    return set(re.findall(r"^socket:\[(\d+)\]$", "\n".join(
        os.readlink(f"{folder}/{name}") for name in os.listdir(folder)), re.M))


def listeners(pid):
    """{port: number of the socket}, in its network but for loopback."""
    found = {}
    for name in ("tcp", "tcp6"):
        for line in harness.read(f"/proc/{pid}/net/{name}",
                                 "r").splitlines()[1:]:
            words = line.split()
            address, port = words[1].split(":")
            if words[3] == LISTENS and address != "0100007F":
                found[int(port, 16)] = words[9]
    return found


def owners(space, pod):
    """{port: names of the programs that listen there}"""
    pids = space.processes(pod)
    has = {pid: sockets(pid) for pid in pids}
    return {port: {os.path.basename(harness.command(pid)[0])
                   for pid in pids if number in has[pid]}
            for port, number in listeners(pids[0]).items()}
