/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GROMACS_TRIAL_H
#define APPS_GROMACS_TRIAL_H

/*
 * Whether mdrun runs on a number of ranks
 *
 * Which numbers can share a box depends on its shape, on cut-offs and bonds,
 * and on how many ranks mdrun gives to PME; only mdrun knows.  So it is asked:
 * the user's command with no steps to make, its inputs by their full paths, and
 * nothing of its output.  mdrun divides the box first, and prints on how many
 * processes it runs once that is done (2018 and later).  The plans of FFTW that
 * it measures next take ten times as long and tell nothing more, so the trial
 * ends there.
 */

#include "apps/adapter.h"

int trial_command(const struct adapter_app *app,
		  const char *argv[ADAPTER_ARGS_MAX], char *text,
		  size_t text_size, struct error *err);

/* The sentence below "Fatal error:", in one line; false if there is none. */
bool trial_reason(const char *output, char *text, size_t text_size);

/* It has the line "Using 4 MPI processes", and no error. */
bool trial_passes(const char *output);

#endif
