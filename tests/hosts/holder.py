# SPDX-License-Identifier: Apache-2.0
"""The process that holds a host of a bed open, and how programs run there"""

import os

ROOT = "/run/bellows-bed"
HOLDER = "BELLOWS_BED_HOLDER"


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def holder_of(pid):
    """(bed, part) of a process that holds one, or None."""
    for entry in read(f"/proc/{pid}/environ").split(b"\0"):
        key, _, value = entry.partition(b"=")
        if key == HOLDER.encode():
            bed, _, part = value.decode(errors="replace").partition("/")
            return bed, part
    return None


def enter(pid, command):
    """The command in place of this program, on the host of that holder."""
    env = {key: value for key, value in os.environ.items() if key != HOLDER}
    os.execvpe("nsenter", [
        "nsenter", f"--target={pid}", "--net", "--uts", "--mount",
        f"--wdns={os.getcwd()}", "--", *command], dict(env, TMPDIR="/dev/shm"))
