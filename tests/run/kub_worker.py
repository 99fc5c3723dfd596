#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Kub's launcher does on a worker, process 1 of a container

args: NAME ADDRESS COORDINATOR FOLDER SECONDS

NAME is the name of the host.  One with "scale" in it takes the job's keys first;
others were made with FOLDER/authorized_keys.  It lets these keys in by sshd,
says that it is there, and asks every SECONDS what to do: go on (4), confirm that
a checkpoint is there (5), which one with "mpiworker-0" in NAME does and no other,
end (6).  It signals nobody.  Each call and its answer is a line of its output.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading

import grpc

MONITOR = "/mpi_monitor.Monitor/"
PR_SET_PDEATHSIG = 1
PATIENCE = 60
SSHD = """Port 22
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
SetEnv TMPDIR={folder} BELLOWS_TEST={mark} ASAN_OPTIONS=detect_leaks=0
"""


def varint(n):
    out = b""
    n &= (1 << 64) - 1
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def text(field, value):
    data = value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def integer(field, value):
    return varint(field << 3) + varint(value)


def fields(data):
    """Number -> value (int or bytes); an int32 that is not there is 0."""
    found, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found[key >> 3] = value
    return found


def call(channel, name, request=b""):
    return fields(channel.unary_unary(MONITOR + name)(
        request, timeout=PATIENCE, wait_for_ready=True))


def confirmation(answer):
    """Id and message."""
    return answer.get(2, 0), answer.get(1, b"").decode()


# ---- the worker ----

def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def tick(seconds):
    threading.Event().wait(seconds)


def say(*words):
    print(*words, flush=True)


def set_up_host(name, address):
    """eth0 is put here from outside; /sys shows the devices of the machine."""
    socket.sethostname(name)
    while "eth0" not in (name for _, name in socket.if_nameindex()):
        tick(0.02)
    for words in (["addr", "add", address + "/24", "dev", "eth0"],
                  ["link", "set", "lo", "up"], ["link", "set", "eth0", "up"]):
        subprocess.run(["ip", *words], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    os.mkdir("/run/sshd")


def take_keys(channel, address, folder):
    keys = call(channel, "RetrieveKeys", text(1, address))
    with open(f"{folder}/authorized_keys", "wb") as file:
        file.write(keys[1])
    say("RetrieveKeys", keys[3])


def let_keys_in(address, folder):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                    f"{folder}/host_key"], check=True)
    with open(f"{folder}/sshd_config", "w", encoding="utf-8") as file:
        file.write(SSHD.format(address=address, folder=folder,
                               mark=os.environ.get("BELLOWS_TEST", "")))
    with open(f"{folder}/sshd.log", "wb") as log:
        return subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-e", "-f", f"{folder}/sshd_config"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=die_with_parent)


def obey(channel, seconds, confirms):
    while True:
        tick(seconds)
        answer, _ = confirmation(call(channel, "activeServer"))
        say("activeServer", answer)
        if answer == 5 and confirms:
            say("checkpointing",
                confirmation(call(channel, "checkpointing"))[0])
        if answer == 6:
            say("endExec", confirmation(call(channel, "endExec"))[0])
            return


def main(name, address, coordinator, folder, seconds):
    set_up_host(name, address)
    with grpc.insecure_channel(coordinator,
                               [("grpc.enable_http_proxy", 0)]) as channel:
        if "scale" in name:
            take_keys(channel, address, folder)
        sshd = let_keys_in(address, folder)
        try:
            say("JobInit", *confirmation(
                call(channel, "JobInit", text(1, name))))
            obey(channel, float(seconds), "mpiworker-0" in name)
        finally:
            sshd.kill()
            sshd.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
