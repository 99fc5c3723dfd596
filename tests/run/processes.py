# SPDX-License-Identifier: Apache-2.0
"""What is seen of processes, shared memory and files"""

import glob
import os
import re
import resource
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                             "hosts"))

from proc import (  # pylint: disable=wrong-import-position
    began, fields, is_alive, pids as processes)


def read(path, mode="rb"):
    try:
        with open(path, mode) as file:
            return file.read()
    except OSError:
        return b"" if "b" in mode else ""


def environment(pid):
    return read(f"/proc/{pid}/environ").split(b"\0")


def number_of(pid, key):
    """The value of a variable of its environment; -1 if it has none."""
    found = re.search(rb"^%s=(\d+)$" % key.encode(),
                      b"\n".join(environment(pid)), re.M)
    return int(found[1]) if found else -1


def stat(pid):
    """State and parent, or None if there is no such process."""
    at = fields(pid)
    return (at[0].decode(), int(at[1])) if at else None


def age(pid):
    """Seconds."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - \
        began(pid) / os.sysconf("SC_CLK_TCK")


def send(pid, signo):
    """False if the process has ended meanwhile."""
    try:
        os.kill(pid, signo)
    except ProcessLookupError:
        return False
    return True


def computed():
    """Seconds of processor time of this process and of what it has waited for:
    all that the test has started, where tests are made side by side."""
    used = (resource.getrusage(whom) for whom in
            (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(at.ru_utime + at.ru_stime for at in used)


def command(pid):
    return [word.decode(errors="replace")
            for word in read(f"/proc/{pid}/cmdline").split(b"\0")[:-1]]


def children(pid):
    return [at for at in processes() if (stat(at) or (None, 0))[1] == pid]


def namespace_pid(pid):
    """Its number in its own namespace; 0 if there is no such process.  Among
    few processes these grow, whereas the machine's may begin anew."""
    found = re.search(r"^NSpid:.*\s(\d+)$", read(f"/proc/{pid}/status", "r"),
                      re.M)
    return int(found[1]) if found else 0


def zombies(*parents):
    return [(pid, parent) for pid, parent in
            ((pid, stat(pid)) for pid in processes())
            if parent and parent[0] == "Z" and parent[1] in parents]


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory(pid):
    """Resident, in KiB."""
    return int(re.search(rb"^VmRSS:\s+(\d+)",
                         read(f"/proc/{pid}/status"), re.M).group(1))


def segments():
    """Of this user; another one's programs have theirs in the same place."""
    found = glob.glob("/dev/shm/bellows-*") + glob.glob("/dev/shm/vader_*")
    return {path for path in found if os.access(path, os.R_OK)}


def is_mapped(path):
    return any(path.encode() in read(f"/proc/{pid}/maps")
               for pid in processes())


# ---- files ----

def tree(folder):
    """All below it, as paths from there; folders end with a slash."""
    found = []
    for at, folders, files in os.walk(folder):
        names = files + [name + "/" for name in folders]
        found += [os.path.relpath(at, folder) + "/" + name for name in names]
    return [name[2:] if name.startswith("./") else name for name in found]


# ---- secrets ----

def in_sight(words):
    """Command lines that show one of these."""
    return [pid for pid in processes()
            if any(word.encode() in read(f"/proc/{pid}/cmdline")
                   for word in words)]


def in_files(folder, words):
    return [path for path in (os.path.join(folder, name)
                              for name in tree(folder))
            if os.path.isfile(path)
            and any(word.encode() in read(path) for word in words)]
