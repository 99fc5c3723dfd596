# SPDX-License-Identifier: Apache-2.0
"""What is run: parint, and a box of water for GROMACS.

A workload has a name, makes a job of a number of steps, and knows from what the
job said whether it did them all, whatever sizes it had.  parint tells when each
step was done, and so what a rescale took from the run that it was in.
"""

import math
import os
import re
import shutil
import subprocess

from runs import ENVIRONMENT, Failed

EDGE = 2.5          # seconds beside a rescale that are not like the others
PREPARATION = 600   # seconds for one step of making the box
ATOMS_IN_NM3 = 98.0


class Parint:
    app = "parint"
    unit = "iterations"
    target = True   # has to be at TARGET of the ideal

    def __init__(self, nloop, elements):
        self.name = f"parint, NLOOP {nloop}"
        self.short = f"parint-{nloop}"
        self.nloop, self.elements = nloop, elements
        self.digest = None

    def prepare(self, folder):
        pass

    def job(self, steps):
        return {"app": "parint", "command": [
            "parint", "--array-size", str(self.elements), "--iterations",
            str(steps), "--nloop", str(self.nloop), "--steps"]}

    def fresh(self):
        """The number of steps is another from here on."""
        self.digest = None

    def check(self, text, _folder, _steps):
        """The same result as every other run had."""
        found = re.findall(r"^parint: digest (\w+)$", text, re.M)
        if len(found) != 1:
            raise Failed(f"it printed {len(found)} digests")
        if found[0] != (self.digest or found[0]):
            raise Failed(f"digest {found[0]}; of another run {self.digest}")
        self.digest = found[0]

    @staticmethod
    def lost(text):
        """Seconds that its only rescale took: what there is between two steps,
        one before and one after it, beyond what these steps take at the pace of
        the steps before the one and after the other.  nan: it cannot be told."""
        done = [(int(n), float(at)) for n, at in re.findall(
            r"^parint: iteration (\d+) of \d+ at (\d+\.\d+)$", text, re.M)]
        turn = re.findall(r"^parint: resumed at iteration (\d+) of", text, re.M)
        if len(turn) != 1:
            return math.nan
        turn = int(turn[0])
        before = [step for step in done if step[0] <= turn]
        after = [step for step in done if step[0] > turn]
        if not before or not after:
            return math.nan
        before = [at for at in before if at[1] < before[-1][1] - EDGE]
        after = [at for at in after if at[1] > after[0][1] + EDGE]
        if len(before) < 2 or len(after) < 2:
            return math.nan
        (n_0, t_0), (n_1, t_1) = before[0], before[-1]
        (n_2, t_2), (n_3, t_3) = after[0], after[-1]
        return (t_2 - t_1) - (turn - n_1) * (t_1 - t_0) / (n_1 - n_0) \
            - (n_2 - turn) * (t_3 - t_2) / (n_3 - n_2)


TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/tip3p.itp"
[ system ]
water
[ molecules ]
"""

MINIMISE = """integrator = steep
nsteps = 200
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 1.0
rvdw = 1.0
"""

# The log is where progress is read, so it is written often.
MOVE = """integrator = md
dt = 0.002
nsteps = 1000
nstlog = 5
nstenergy = 100
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 1.0
rvdw = 1.0
tcoupl = v-rescale
tc-grps = System
tau-t = 0.5
ref-t = 300
gen-vel = yes
gen-temp = 300
constraints = h-bonds
"""


class Water:
    app = "gromacs"
    unit = "steps"
    target = False
    name = short = "gromacs"

    def __init__(self, atoms):
        self.atoms = atoms
        self.tpr = None

    def prepare(self, folder):
        """A box of water, minimised so that it does not fly apart."""
        folder = os.path.join(folder, "water")
        os.mkdir(folder)
        for name, text in (("topol.top", TOPOLOGY), ("em.mdp", MINIMISE),
                           ("md.mdp", MOVE)):
            with open(os.path.join(folder, name), "w",
                      encoding="ascii") as file:
                file.write(text)
        edge = f"{(self.atoms / ATOMS_IN_NM3) ** (1 / 3):.3f}"
        for words in (
                ["gmx", "solvate", "-cs", "spc216", "-box", edge, edge, edge,
                 "-o", "conf.gro", "-p", "topol.top"],
                ["gmx", "grompp", "-f", "em.mdp", "-o", "em.tpr"],
                ["gmx", "mdrun", "-deffnm", "em", "-ntmpi", "1"],
                ["gmx", "grompp", "-f", "md.mdp", "-c", "em.gro", "-o",
                 "md.tpr"]):
            self.tool(folder, words)
        self.tpr = os.path.join(folder, "md.tpr")

    @staticmethod
    def tool(folder, words):
        try:
            done = subprocess.run(
                words, cwd=folder, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=PREPARATION,
                env=ENVIRONMENT, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"{' '.join(words[:2])} took longer than "
                         f"{PREPARATION} s") from None
        if done.returncode != 0:
            raise Failed(f"{' '.join(words[:2])}: "
                         + " | ".join(done.stderr.splitlines()[-8:]))

    def job(self, steps):
        """All that mdrun would choose by what it measures is fixed: it must
        not differ between the runs that are compared."""
        return {"app": "gromacs", "command": [
            "gmx_mpi", "mdrun", "-s", self.tpr, "-nsteps", str(steps),
            "-ntomp", "1", "-npme", "0", "-dlb", "no", "-notunepme", "-pin",
            "off"]}

    def fresh(self):
        pass

    @staticmethod
    def lost(_text):
        return math.nan

    def check(self, _text, folder, steps):
        """All steps are done: the log ends with the last one."""
        with open(os.path.join(folder, "md.log"), encoding="utf-8",
                  errors="replace") as file:
            log = file.read()
        seen = logged(log)
        if not seen or int(seen[-1]) != steps or "Finished mdrun" not in log:
            raise Failed(f"its log ends at step {seen[-1] if seen else '-'}, "
                         f"not at {steps}")


def logged(text):
    """The steps of which GROMACS' log tells, as text."""
    return re.findall(r"^ +Step +Time\n +(\d+) ", text, re.M)


def missing(app):
    """What the application needs and is not here, or None."""
    tools = {"parint": (), "gromacs": ("gmx", "gmx_mpi")}[app]
    return next((tool for tool in tools if not shutil.which(tool)), None)
