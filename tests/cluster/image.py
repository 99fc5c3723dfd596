# SPDX-License-Identifier: Apache-2.0
"""Small images, made of files of this machine

A docker-archive of one layer, as `podman save` and `docker save` write it.
"""

import hashlib
import io
import json
import os
import re
import subprocess
import tarfile

# what getent and its like load by themselves
NAMES = ("/etc/nsswitch.conf",)


def layer(files):
    """files: path in the image -> path here"""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        made = set()
        for path, source in sorted(files.items()):
            at = ""
            for part in os.path.dirname(path).strip("/").split("/"):
                at = f"{at}/{part}"
                if part and at not in made:
                    made.add(at)
                    folder = tarfile.TarInfo(at[1:])
                    folder.type, folder.mode = tarfile.DIRTYPE, 0o755
                    tar.addfile(folder)
            with open(source, "rb") as file:
                data = file.read()
            entry = tarfile.TarInfo(path.lstrip("/"))
            entry.size, entry.mode = len(data), 0o755
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def add(tar, name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def write(path, name, files, command, arch="amd64"):
    """An image of that name in the file path; returns the path."""
    data = layer(files)
    config = json.dumps({
        "architecture": arch, "os": "linux", "created": "1970-01-01T00:00:00Z",
        "config": {"Entrypoint": command,
                   "Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]},
        "rootfs": {"type": "layers", "diff_ids": [
            "sha256:" + hashlib.sha256(data).hexdigest()]},
    }).encode()
    manifest = [{"Config": "config.json", "RepoTags": [name],
                 "Layers": ["layer.tar"]}]
    with tarfile.open(path, "w") as tar:
        add(tar, "layer.tar", data)
        add(tar, "config.json", config)
        add(tar, "manifest.json", json.dumps(manifest).encode())
    return path


def with_libraries(*programs):
    """These and all that they load, each at its own path."""
    files = {}
    for program in programs:
        files[program] = os.path.realpath(program)
        out = subprocess.run(["ldd", program], capture_output=True, text=True,
                             check=False).stdout
        for path in re.findall(r"(/\S+) \(0x", out):
            files[path] = os.path.realpath(path)
    files.update((path, path) for path in NAMES if os.path.exists(path))
    return files
