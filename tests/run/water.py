# SPDX-License-Identifier: Apache-2.0
"""A box of water for GROMACS, and what must be true of a run of it

Boxes are made here, from what GROMACS has: molecules of SPC geometry, TIP3P,
PME with cut-offs of 1.0 nm, 2 fs, constant energy.  Everything is written each
EACH steps, so a frame that is missing or there twice is seen.
"""

import os
import re
import shutil
import subprocess
import tempfile

import harness

EDGE = 4.7   # nm; 10155 atoms
SMALL = 2.6  # 1713 atoms, for what is not about computing
EACH = 100  # steps between frames
# kJ/mol.  Runs on other numbers of ranks add up in another order and part
# within a picosecond.  The list of neighbours may then cost an atom 0.005
# kJ/mol in a picosecond (verlet-buffer-tolerance, by default): 50 kJ/mol for
# all.  Measured are 5 to 17.  Velocities that are lost change it by 17000.
TOLERANCE = 50
FORCES = {"nsteps": 100, "coulombtype": "PME", "rcoulomb": 1.0, "rvdw": 1.0}
SMOOTH = {**FORCES, "integrator": "steep", "emtol": 500,
          "define": "-DFLEXIBLE"}  # rigid ones may be too close to begin with
DYNAMICS = {**FORCES, "integrator": "md", "dt": 0.002, "gen-vel": "yes",
            "gen-temp": 300, "gen-seed": 17, "constraints": "h-bonds",
            "nstenergy": EACH, "nstlog": EACH, "nstxout-compressed": EACH,
            "nstxout": 5 * EACH}
STEP = re.compile(r"^ +Step +Time\n +(\d+) +\d+\.\d{5}$", re.M)
# What GROMACS says of a processor that lacks an instruction it was built for.
NOT_HERE = re.compile(r"the\s+(\w+)\s+CPU\s+instruction\.\s+However")


def is_there():
    return shutil.which("gmx") and shutil.which("gmx_mpi")


def need():
    if not is_there():
        raise harness.Skip("gmx and gmx_mpi are not installed")


def gmx(folder, *words, answer=""):
    """What it prints."""
    at = subprocess.run(["gmx", "-quiet", *map(str, words)], cwd=folder,
                        env=dict(os.environ, GMX_MAXBACKUP="-1"),
                        input=answer, capture_output=True, text=True,
                        timeout=600, check=False)
    lacks = NOT_HERE.search(at.stderr)
    if lacks:
        raise harness.Skip(f"this GROMACS needs a processor with {lacks[1]}")
    assert at.returncode == 0, at.stderr[-1000:]
    return at.stdout + at.stderr


def settings(folder, name, values):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.writelines(f"{key} = {value}\n" for key, value in values.items())


class Box:
    """A folder with conf.gro and topol.top, made once; and runs from it."""

    made = {}

    def __init__(self, edge):
        self.kept = tempfile.TemporaryDirectory(prefix="b-")
        self.folder = self.kept.name
        with open(self.path("topol.top"), "w", encoding="utf-8") as file:
            file.write('#include "oplsaa.ff/forcefield.itp"\n'
                       '#include "oplsaa.ff/tip3p.itp"\n'
                       "[ system ]\nwater\n[ molecules ]\n")
        gmx(self.folder, "solvate", "-cs", "spc216", "-box", edge, edge, edge,
            "-o", "conf.gro", "-p", "topol.top")
        settings(self.folder, "em.mdp", SMOOTH)
        gmx(self.folder, "grompp", "-f", "em.mdp", "-o", "em.tpr")
        gmx(self.folder, "mdrun", "-deffnm", "em", "-ntmpi", 1, "-ntomp", 1)

    def path(self, name):
        return os.path.join(self.folder, name)

    @classmethod
    def get(cls, edge=EDGE):
        need()
        if edge not in cls.made:
            cls.made[edge] = cls(edge)
        return cls.made[edge]

    def put(self, path, steps):
        """Writes a .tpr of so many steps; -1: without end."""
        settings(self.folder, "md.mdp", {**DYNAMICS, "nsteps": steps})
        gmx(self.folder, "grompp", "-f", "md.mdp", "-c", "em.gro", "-o", path)
        return path

    def unbroken(self, steps):
        """A folder with the output of one process that nobody disturbs."""
        folder = self.path(f"unbroken-{steps}")
        if not os.path.exists(folder):
            os.mkdir(folder)
            self.put(os.path.join(folder, "md.tpr"), steps)
            gmx(folder, "mdrun", "-s", "md.tpr", "-ntmpi", 1, "-ntomp", 1)
        return folder


# ---- what came out ----

def log_steps(folder, name="md.log"):
    """The steps that the log tells of, in its order."""
    text = harness.read(os.path.join(folder, name)).decode(errors="replace")
    return [int(step) for step in STEP.findall(text)]


def energies(folder):
    """(picoseconds, kJ/mol), total energy."""
    gmx(folder, "energy", "-f", "ener.edr", "-o", "energy.xvg",
        answer="Total-Energy\n\n")
    lines = harness.read(os.path.join(folder, "energy.xvg"), "r").splitlines()
    return [tuple(map(float, line.split())) for line in lines
            if line[:1] not in "#@"]


def frames(folder, name):
    """How many a trajectory has, and picoseconds between any two; gmx check
    says so only if they are all the same."""
    found = re.search(r"^Step +(\d+)(?: +([0-9.]+))?$",
                      gmx(folder, "check", "-f", name), re.M)
    return int(found.group(1)), float(found.group(2) or 0)


def steps_follow(folder, total):
    """No step is left out or told of again, but the one at which it stopped."""
    steps = log_steps(folder)
    assert steps == sorted(steps), f"steps go back: {steps}"
    missing = set(range(0, total + 1, EACH)) - set(steps)
    assert not missing, f"not in the log: {sorted(missing)}"


def frames_are_there_once(folder, total):
    times = [time for time, _ in energies(folder)]
    wanted = [step * DYNAMICS["dt"] for step in range(0, total + 1, EACH)]
    assert len(times) == len(wanted) and all(
        abs(a - b) < 1e-4 for a, b in zip(times, wanted)), times
    for name, each in (("traj_comp.xtc", EACH), ("traj.trr", 5 * EACH)):
        found = frames(folder, name)
        apart = each * DYNAMICS["dt"]
        assert found[0] == total // each + 1 and \
            abs(found[1] - apart) < 1e-4, f"{name}: {found}"


def energy_is_kept(folder, unbroken):
    pairs = zip(energies(folder), energies(unbroken))
    worst = max(abs(one[1] - other[1]) for one, other in pairs)
    print(f"# energies differ by at most {worst:.1f} kJ/mol", flush=True)
    assert worst < TOLERANCE, f"energies differ by {worst} kJ/mol"
