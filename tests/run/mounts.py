# SPDX-License-Identifier: Apache-2.0
"""File systems of a test's own, and those that are full"""

import contextlib
import os
import subprocess

from harness import Skip


@contextlib.contextmanager
def mounted(folder, options):
    """A file system of its own, as long as it is used."""
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder],
                      stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skip("needs the right to mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def remount(folder, options):
    subprocess.run(["mount", "-o", "remount," + options, folder], check=True)


@contextlib.contextmanager
def full(folder):
    """Nothing more fits into it."""
    path = os.path.join(folder, "ballast")
    with open(path, "wb", buffering=0) as file:
        with contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 65536)
        with contextlib.suppress(OSError):
            while True:
                file.write(b"x")
    try:
        yield
    finally:
        os.unlink(path)
