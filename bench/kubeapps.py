# SPDX-License-Identifier: Apache-2.0
"""The programs that kube-overhead compares, in pods: what they are called with, and
how their steps are read (pace.py)."""

import os
import re

import kubejobs
import workloads
from runs import Failed

ELEMENTS, NLOOP = 300000, 20000     # about 0.4 s of a processor a step
TAIL = 8192         # bytes; GROMACS writes its log in pieces of 4096


class Parint:
    name, program, image = "parint", "parint", "bellows-parint"

    def prepare(self, folder):
        pass

    def command(self, steps):
        return ["parint", "--array-size", str(ELEMENTS), "--nloop",
                str(NLOOP), "--iterations", str(steps), "--steps"]

    def furnish(self, room, objects):
        pass

    def look(self, volume):
        """A point of pace.py, while it runs; it tells them itself."""

    def read(self, text, _seen):
        """Its points, and what has to be the same in all runs of that
        length."""
        starts = [at for at in kubejobs.Log(text).starts() if at]
        digest = re.findall(r"^parint: digest (\w+)$", text, re.M)
        if len(starts) != 1 or len(digest) != 1:
            raise Failed(f"{len(starts)} starts and {len(digest)} digests, "
                         "not one of each")
        return [(at, i) for i, at in enumerate(starts[0])], digest[0]


class Gromacs:
    """A box of water, in a ConfigMap as in k8s/overlays/volcano-gromacs."""

    name, program, image = "gromacs", "gmx_mpi", "bellows-gromacs"

    def __init__(self, atoms):
        self.water = workloads.Water(atoms)

    def prepare(self, folder):
        self.water.prepare(folder)

    def command(self, steps):
        words = self.water.job(steps)["command"]
        return ["/etc/bellows/input/md.tpr" if word == self.water.tpr
                else word for word in words]

    def furnish(self, room, objects):
        room.kubectl("create", "configmap", "heat-input",
                     f"--from-file=md.tpr={self.water.tpr}")
        for task in kubejobs.tasks(objects).values():
            spec = task["template"]["spec"]
            spec["volumes"] = [at for at in spec["volumes"]
                               if at["name"] != "input"] + [
                {"name": "input", "configMap": {"name": "heat-input"}}]
            mounts = spec["containers"][0]["volumeMounts"]
            mounts[:] = [at for at in mounts if at["name"] != "input"] + [
                {"name": "input", "mountPath": "/etc/bellows/input"}]

    @staticmethod
    def look(volume):
        """The last step in the log, and when that was written."""
        try:
            with open(os.path.join(volume, "md.log"), "rb") as file:
                status = os.fstat(file.fileno())
                file.seek(max(0, status.st_size - TAIL))
                text = file.read(min(TAIL, status.st_size))
        except FileNotFoundError:
            return None
        found = workloads.logged(text.decode(errors="replace"))
        return (status.st_mtime, int(found[-1])) if found else None

    @staticmethod
    def read(_text, seen):
        """The first and the last one have beginning and end in them."""
        return seen[1:-1], None
