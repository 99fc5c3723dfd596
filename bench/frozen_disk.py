# SPDX-License-Identifier: Apache-2.0
"""A small disk whose file system can be frozen: a program that writes then
waits

ext4 in a file behind a loop device; fsfreeze holds up writes, and reads that
would write, until it is thawed.  For root.
"""

import contextlib
import os
import subprocess

MIB = 256


def obey(*words):
    subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True,
                   check=True, timeout=60)


class FrozenDisk:
    """Mounted on the folder, in whose place it stands, as long as the block."""

    def __init__(self, folder):
        self.folder, self.image = folder, folder + ".img"

    def __enter__(self):
        mode = os.stat(self.folder).st_mode & 0o777
        with open(self.image, "wb") as file:
            file.truncate(MIB << 20)
        obey("mkfs.ext4", "-q", self.image)
        obey("mount", "-o", "loop", self.image, self.folder)
        os.rmdir(os.path.join(self.folder, "lost+found"))
        os.chmod(self.folder, mode)
        return self

    def __exit__(self, *_):
        obey("umount", self.folder)
        os.unlink(self.image)

    @contextlib.contextmanager
    def frozen(self):
        obey("fsfreeze", "--freeze", self.folder)
        try:
            yield
        finally:
            obey("fsfreeze", "--unfreeze", self.folder)
