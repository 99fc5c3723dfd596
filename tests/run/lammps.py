#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LAMMPS, as Debian has it: a melt of Lennard-Jones atoms.  args: BIN

Atoms in chaos forget rounding slowly: what another number of ranks, or another
order of the atoms in memory, does to the last digit grows about tenfold each
130 steps.  Plain LAMMPS, 32,000 atoms, from a restart file of step 100 to step
1000 on 2 and on 4 ranks, against the run that was not interrupted: 1e-9 in
what thermo prints, 4e-8 in places, 6e-7 in velocities, all in Lennard-Jones
units.  The tolerances are 1000 times that; a start from another step, or from
another state, is wrong by 0.01 in thermo and by 1 in places.

Neighbour lists are rebuilt when an atom has moved too far, not each so many
steps: LAMMPS rebuilds them too when it writes a restart file, so that fixed
steps would be others after a restart, and the lists worse.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile

import harness

LMP = shutil.which("lmp")
CELLS = 20
SIDE = CELLS * (4 / 0.8442) ** (1 / 3)
THERMO, PLACES, VELOCITIES = 1e-6, 4e-5, 6e-4
EVERY = 100

BEGIN = f"""units lj
lattice fcc 0.8442
region box block 0 {CELLS} 0 {CELLS} 0 {CELLS}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
"""
GO_ON = "read_restart ${from}\n"
RUN = """log log.melt append
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
fix 1 all nve
thermo 10
thermo_modify format float %.12g flush yes
restart {every} {files}
run {steps} upto
write_dump all custom end id x y z vx vy vz modify sort id format float %.15g
"""
ROW = re.compile(r" *(\d+)((?: +[-+.\de]+){5}) ")


class Melt:
    def __init__(self, steps, files="melt.*.restart"):
        self.steps = steps
        self.files = files

    def inputs(self, folder, go_on=GO_ON):
        words = " ".join("ck/" + name for name in self.files.split())
        run = RUN.format(every=EVERY, files=words, steps=self.steps)
        for name, first in (("in.melt", BEGIN), ("in.restart", go_on)):
            with open(os.path.join(folder, name), "w",
                      encoding="utf-8") as file:
                file.write(first + run)

    def job(self, room, go_on=GO_ON):
        self.inputs(room.folder, go_on)
        return room.write("melt.yaml", f"""name: melt
app: lammps
command: [lmp, -in, in.melt, -log, none]
restart: [lmp, -in, in.restart, -log, none, -var, from, "{{checkpoint}}"]
environment: {{OMP_NUM_THREADS: 1}}
ranks: {{initial: 2, min: 1, max: 4}}
checkpoint: {{dir: ck}}
settings: {{files: {self.files}, every: {EVERY}, steps: {self.steps}}}
""")


# ---- what it computed ----

def starts(output):
    """Of each start: the step it began at, and its thermo lines by step."""
    found = []
    for line in output.splitlines():
        begun = re.fullmatch(r"  Current step  : (\d+)", line)
        if begun:
            found.append((int(begun.group(1)), {}))
        row = ROW.fullmatch(line)
        if row:
            found[-1][1][int(row.group(1))] = [float(value) for value in
                                               row.group(2).split()]
    return found


def logged(folder):
    """All thermo lines of the log, as steps."""
    lines = harness.read(os.path.join(folder, "log.melt"), "r").splitlines()
    return [int(row.group(1)) for row in map(ROW.fullmatch, lines) if row]


def atoms(folder):
    rows = harness.read(os.path.join(folder, "end"), "r").splitlines()[9:]
    return [[float(value) for value in row.split()] for row in rows]


def worst(pairs):
    return max(abs(a - b) for a, b in pairs)


def thermo_is_near(rows, others):
    both = rows.keys() & others.keys()
    far = worst(pair for step in both
                for pair in zip(rows[step], others[step]))
    assert far < THERMO, f"thermo differs by {far}"


def atoms_are_near(folder, wanted):
    pairs = list(zip(atoms(folder), wanted, strict=True))
    assert all(a[0] == b[0] for a, b in pairs)
    gaps = [abs(a[i] - b[i]) for a, b in pairs for i in (1, 2, 3)]
    places = max(min(gap, SIDE - gap) for gap in gaps)
    speeds = worst((a[i], b[i]) for a, b in pairs for i in (4, 5, 6))
    print(f"# places differ by {places:.2g}, velocities by {speeds:.2g}")
    assert places < PLACES and speeds < VELOCITIES


def goes_on(output, last):
    """Every step was computed, each start from a checkpoint, and what was
    computed twice is the same: the steps that the starts began at."""
    begun, rows = [], {}
    for first, mine in starts(output):
        assert list(mine) == list(range(first, max(mine) + 1, 10)), list(mine)
        assert first % EVERY == 0 and (first == 0) == (not begun)
        if begun:
            assert first in rows, f"none before {first}"
            thermo_is_near(mine, rows)
        begun.append(first)
        rows.update(mine)
    assert sorted(rows) == list(range(0, last + 1, 10))
    return begun, rows


class Plain:
    """LAMMPS by itself, on 2 ranks, not interrupted; run once."""

    made = None
    steps = 1000

    def __init__(self):
        with tempfile.TemporaryDirectory(prefix="b-") as folder:
            os.mkdir(os.path.join(folder, "ck"))
            Melt(self.steps).inputs(folder)
            self.output = subprocess.run(
                [harness.MPIEXEC, "--oversubscribe", "-n", "2", LMP, "-in",
                 "in.melt", "-log", "none"], cwd=folder,
                env=dict(os.environ, TMPDIR=folder, OMP_NUM_THREADS="1",
                         **harness.AS_ROOT),
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=300, check=True).stdout
            self.rows = goes_on(self.output, self.steps)[1]
            self.atoms = atoms(folder)
            self.files = {step: harness.read(os.path.join(
                folder, "ck", f"melt.{step}.restart")) for step in (100, 200)}

    @classmethod
    def get(cls):
        cls.made = cls.made or cls()
        return cls.made


def run(room, melt, **more):
    if not LMP:
        raise harness.Skip("lmp is missing")
    return room.start("bellows", "run", melt.job(room, **more))


def has_written(room):
    room.wait("a checkpoint", lambda: any(
        "restart" in name for name in os.listdir(room.path("ck"))))


# ---- tests ----

def a_melt_goes_on_from_2_to_4_to_2_ranks(room):
    melt = Melt(Plain.steps)
    at = run(room, melt)
    room.runs_on(2, "melt")
    has_written(room)
    room.scale(4, "melt").ends_with(0)
    room.runs_on(4, "melt")
    room.scale(2, "melt").ends_with(0)
    at.ends_with(0, 300)
    begun, rows = goes_on(at.output, melt.steps)
    assert len(begun) == 3 and begun[1] >= EVERY, begun
    print(f"# it went on from {begun[1:]}")
    thermo_is_near(rows, Plain.get().rows)
    atoms_are_near(room.folder, Plain.get().atoms)
    assert set(logged(room.folder)) == rows.keys()


def of_two_files_in_turn_the_newest_complete_one_is_gone_on_from(room):
    melt = Melt(600, "a.restart b.restart")
    at = run(room, melt)
    room.runs_on(2, "melt")
    has_written(room)
    room.scale(3, "melt").ends_with(0)
    room.runs_on(3, "melt")
    os.kill(max(room.ours("lmp")), signal.SIGKILL)
    at.ends_with(0, 300)
    begun, rows = goes_on(at.output, melt.steps)
    assert len(begun) == 3 and begun[2] >= begun[1] >= EVERY, begun
    thermo_is_near(rows, Plain.get().rows)
    assert sorted(os.listdir(room.path("ck"))) == melt.files.split()


def a_newest_file_that_is_torn_is_skipped(room):
    if not LMP:
        raise harness.Skip("lmp is missing")
    melt = Melt(300)
    files = dict(Plain.get().files)
    files[200] = files[200][:-1]
    for step, data in files.items():
        with open(room.path("ck", f"melt.{step}.restart"), "wb") as file:
            file.write(data)
    at = run(room, melt).ends_with(0, 300)
    at.says("resuming from the checkpoint of step 100")
    assert [first for first, _ in starts(at.output)] == [100]
    thermo_is_near(starts(at.output)[0][1], Plain.get().rows)
    assert len(harness.read(room.path("ck", "melt.200.restart"))) == \
        len(files[200]) + 1


def a_restart_that_begins_afresh_is_a_failed_start(room):
    at = run(room, Melt(5000), go_on=BEGIN)
    room.runs_on(2, "melt")
    has_written(room)
    room.scale(4, "melt").ends_with(79)
    at.ends_with(74).says("it did not go on from its checkpoint of step")
    began = starts(at.output)
    assert [first for first, _ in began] == [0] * 3  # on 2, on 4, on 2
    assert max(max(rows, default=0) for _, rows in began[1:]) < EVERY


def a_job_file_without_a_restart_command_is_refused(room):
    path = Melt(100).job(room)
    text = re.sub(r"^restart: .*\n", "", harness.read(path, "r"), flags=re.M)
    room.run("bellows", "run", room.write("melt.yaml", text)).ends_with(65) \
        .says("melt.yaml:2: app: lammps: there is no restart; a command "
              "whose input begins with read_restart, as [lmp, -in, "
              'in.restart, -var, from, "{checkpoint}"]')


harness.main(
    a_melt_goes_on_from_2_to_4_to_2_ranks,
    of_two_files_in_turn_the_newest_complete_one_is_gone_on_from,
    a_newest_file_that_is_torn_is_skipped,
    a_restart_that_begins_afresh_is_a_failed_start,
    a_job_file_without_a_restart_command_is_refused,
)
