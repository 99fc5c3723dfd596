#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The real CM1, release 21: from 2 ranks to 4 and back, by a schedule in per cent.
args: BIN CM1 SOURCE

The namelist is that of the release, on a smaller grid, with times of output that
restarts do not lie on: CM1 would count them anew from each restart
(restart_reset_frqtim), if Bellows did not write .false.
"""

import os
import re
import shutil
import subprocess
import sys

import harness

CM1 = os.path.abspath(sys.argv.pop(2))
SOURCE = os.path.abspath(sys.argv.pop(2))
SETTINGS = {"nx": "24", "ny": "24", "nz": "16", "timax": "900.0",
            "rstfrq": "60.0", "tapfrq": "40.0", "statfrq": "30.0",
            "dodomaindiag": ".true.", "diagfrq": "20.0", "dtl": "5.0",
            "timeformat": "3"}  # hours
# sums over all ranks, which add up in another order
SUMS = re.compile(r"cm1rst_\d+_x\.dat")


def make_folder(room, name):
    folder = room.path(name)
    os.mkdir(folder)
    text = harness.read(os.path.join(SOURCE, "run", "namelist.input"), "r")
    for key, value in SETTINGS.items():
        text, n = re.subn(rf"(?m)^( *{key} *= *)[^,\s]+", rf"\g<1>{value}", text)
        assert n == 1, key
    room.write(f"{name}/namelist.input", text)
    shutil.copy(os.path.join(SOURCE, "run", "LANDUSE.TBL"), folder)
    return folder


def files(folder):
    return {name: harness.read(os.path.join(folder, name))
            for name in os.listdir(folder)
            if name.startswith(("cm1out", "cm1rst"))}


def all_files_are_those_of_an_unscaled_run(room):
    plain, elastic = make_folder(room, "plain"), make_folder(room, "elastic")
    subprocess.run([harness.MPIEXEC, "--oversubscribe", "-n", "2", CM1],
                   cwd=plain, env=dict(room.env, **harness.AS_ROOT),
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=600, check=True)
    job = room.write("storm.yaml", f"""name: storm
app: cm1
command: [{CM1}]
dir: elastic
ranks: {{initial: 2, min: 1, max: 4}}
checkpoint: {{dir: .}}
settings: {{restart_reset_frqtim: false}}
scale: {{schedule: [{{at: 20%, ranks: 4}}, {{at: 55%, ranks: 2}}]}}
""")
    at = room.start("bellows", "run", job).ends_with(0, 600)
    assert re.findall(r"running on (\d) ranks", at.errors) == ["2", "4", "2"], \
        at.errors
    expected, got = files(plain), files(elastic)
    assert sorted(expected) == sorted(got), set(expected) ^ set(got)
    for name, text in expected.items():
        assert len(text) == len(got[name]), name
        assert text == got[name] or SUMS.fullmatch(name), name


harness.main(all_files_are_those_of_an_unscaled_run)
