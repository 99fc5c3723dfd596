# SPDX-License-Identifier: Apache-2.0
"""Images of the programs under test, built when a test needs them first

Where BELLOWS_IMAGES names a folder they are kept there, for all tests.
"""

import contextlib
import fcntl
import os
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PATIENCE = 1500


@contextlib.contextmanager
def alone(path):
    """No other process holds this file's lock meanwhile."""
    with open(path, "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def obey(words, tmp):
    at = subprocess.run(words, stdin=subprocess.DEVNULL, text=True,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        env=dict(os.environ, TMPDIR=tmp), timeout=PATIENCE,
                        check=False)
    assert at.returncode == 0, f"{words[:4]}: {at.stdout[-1500:]}"
    return at.stdout


def build(programs, folder, names):
    """An archive is there whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="half-", dir=folder) as half:
        tmp, installed, out = (os.path.join(half, name)
                               for name in ("tmp", "installed", "out"))
        os.mkdir(tmp)
        obey(["meson", "install", "--no-rebuild", "--quiet", "-C",
              os.path.join(programs, "..", ".."), "--destdir", installed], tmp)
        said = obey([os.path.join(ROOT, "scripts", "images"), "--built",
                     installed, out, *names], tmp)
        assert os.listdir(tmp) == [], "the build left files"
        with open(os.path.join(folder, "said"), "a", encoding="utf-8") as file:
            file.write(said)
        for name in names:
            os.rename(os.path.join(out, name + ".tar"),
                      os.path.join(folder, name + ".tar"))


def images(programs, folder, *names):
    """Those of the folder `programs` of a build; returns the folder with
    NAME.tar of each, and in `said` what the build said.  folder: where there
    is none for everybody."""
    folder = os.environ.get("BELLOWS_IMAGES") or folder
    os.makedirs(folder, exist_ok=True)
    with alone(os.path.join(folder, "lock")):
        missing = [name for name in names if not os.path.exists(
            os.path.join(folder, name + ".tar"))]
        if missing:
            build(programs, folder, missing)
    return folder
