# SPDX-License-Identifier: Apache-2.0
"""The process that holds a host of a bed open, and how programs run there"""

import os

from proc import read

ROOT = "/run/bellows-bed"
HOLDER = "BELLOWS_BED_HOLDER"


def holder_of(pid):
    """The bed and the part of it that this process holds; None: it holds none."""
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
