# SPDX-License-Identifier: Apache-2.0
"""An image with an sshd, for what people have without Bellows

One of scripts/images, and upon it a layer with this machine's sshd, ssh and
ssh-keygen, the libraries that they need and the user that sshd wants.  Its
programs run as root.  Application and MPI are the same
files in both.
"""

import hashlib
import json
import os
import re
import subprocess
import tarfile

import image

PROGRAMS = ("/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen")
# What the image has of its own, and must not have from elsewhere.
OWN = re.compile(r"/(ld-linux|lib(c|m|dl|rt|pthread|resolv|util|anl))[-.]")

USERS = """root:x:0:0::/root:/bin/sh
bellows:x:10001:10001::/home/bellows:/bin/sh
sshd:x:101:65534::/run/sshd:/usr/sbin/nologin
"""


def missing():
    """What this machine lacks for it, or None."""
    return next((path for path in PROGRAMS if not os.path.exists(path)), None)


def merged(path):
    """As on a Debian whose /lib is /usr/lib: a layer with a folder /lib would
    hide what the image has there."""
    return "/usr" + path if re.match(r"/(lib|lib64|bin|sbin)/", path) else path


def files(folder):
    """Those of the layer; what is made for it is put into the folder."""
    users = os.path.join(folder, "passwd")
    with open(users, "w", encoding="ascii") as file:
        file.write(USERS)
    return {"/etc/passwd": users, **of_programs(*PROGRAMS)}


def of_programs(*programs):
    """These, and the libraries that the image may not have."""
    found = {}
    for program in programs:
        found[program] = os.path.realpath(program)
        out = subprocess.run(["ldd", program], capture_output=True, text=True,
                             timeout=60, check=True).stdout
        for path in re.findall(r"(/\S+) \(0x", out):
            if not OWN.search(path):
                found[merged(path)] = os.path.realpath(path)
    return found


def upon(archive, out, name, more):
    """Writes to out the image of archive, a docker-archive, with the files
    more and as root's; returns out."""
    with tarfile.open(archive) as old, tarfile.open(out, "w") as new:
        manifest = json.load(old.extractfile("manifest.json"))[0]
        config = json.load(old.extractfile(manifest["Config"]))
        for layer in manifest["Layers"]:
            # one that an earlier image has too is a link to it
            data = old.extractfile(layer)
            entry = tarfile.TarInfo(layer)
            entry.size = data.seek(0, os.SEEK_END)
            data.seek(0)
            new.addfile(entry, data)
        data = image.layer(more)
        config["rootfs"]["diff_ids"].append(
            "sha256:" + hashlib.sha256(data).hexdigest())
        config["config"].pop("User", None)
        config.pop("history", None)
        image.add(new, "sshd.tar", data)
        image.add(new, "config.json", json.dumps(config).encode())
        image.add(new, "manifest.json", json.dumps([{
            "Config": "config.json", "RepoTags": [name],
            "Layers": [*manifest["Layers"], "sshd.tar"]}]).encode())
    return out
