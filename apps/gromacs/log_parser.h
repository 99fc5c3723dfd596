/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GROMACS_LOG_PARSER_H
#define APPS_GROMACS_LOG_PARSER_H

/*
 * What mdrun says, in its log and on stderr
 *
 *     4000 steps,      8.0 ps.                                      stderr
 *     4000 steps,      8.0 ps (continuing from step 150,      0.3 ps).
 *     Restarting from checkpoint, appending to previous log file.   log
 *       step:                  150
 *                 150        0.30000
 *
 *     WARNING: Checkpoint file is corrupted or truncated             stderr
 *     The checkpoint file is corrupted or not a checkpoint file
 *
 * The last of the first five is the line below "Step  Time", by its columns:
 * the step ends in the 15th, and the time, with five decimals, in the 30th or
 * later. No table of energies has such a line, for energies have exponents.
 */

#include "apps/adapter.h"

enum line_kind log_parser_read(const char *line, struct line_facts *facts);

#endif
