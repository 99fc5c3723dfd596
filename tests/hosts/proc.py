# SPDX-License-Identifier: Apache-2.0
"""What is seen of processes, and how one is killed, for beds and for clusters

`hosts run` begins most programs of a test: what takes long to import is imported
where it is needed.
"""

import os


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def fields(pid):
    """Of its stat, from the state on; none if there is no such process."""
    return read(f"/proc/{pid}/stat").rpartition(b") ")[2].split()


def is_alive(pid):
    at = fields(pid)
    return bool(at) and at[0] not in (b"Z", b"X")


def began(pid):
    """When, in ticks: with its number it names a process for ever."""
    at = fields(pid)
    return int(at[19]) if len(at) > 19 else 0


def network(pid):
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return 0


def kill(pid, is_ours):
    """Kills the process if it still is ours, and not one with its number."""
    import signal  # pylint: disable=import-outside-toplevel
    try:
        fd = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if is_ours(pid):
            signal.pidfd_send_signal(fd, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.close(fd)
