/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_LAMMPS_LINES_H
#define APPS_LAMMPS_LINES_H

/*
 * What LAMMPS prints
 *
 *     Reading restart file ...
 *     Setting up Verlet run ...
 *       Unit style    : lj
 *       Current step  : 300
 *       Time step     : 0.005
 *     Step Temp E_pair E_mol TotEng Press
 *          300   0.75569127   -5.7576689            0    -4.625444   0.249853
 *     Loop time of 3.29296 on 2 procs for 500 steps with 864 atoms
 *
 * "Current step" comes before the first step of each run and minimisation, and
 * is how it is known where a start begins: nothing else says it before
 * something is computed.  That a restart file is read proves nothing, for it
 * might be another one.  What cannot be read is told by where the error is:
 *
 *     ERROR: Invalid flag in header section of restart file
 * (../read_restart.cpp:1104)
 *
 * A line of thermodynamic output is one of numbers alone, a whole one first,
 * that ends with a blank, which those of `print` and `fix print` do not, nor
 * the tables behind a run; or, with `thermo_modify line multi`,
 *
 *     ---------------- Step       10 ----- CPU =      0.0008 (sec) -----------
 */

#include "apps/adapter.h"

/* As on_line of struct adapter; total is left alone. */
enum line_kind lines_read(const char *line, struct line_facts *facts);

#endif
