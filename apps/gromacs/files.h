/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GROMACS_FILES_H
#define APPS_GROMACS_FILES_H

/*
 * Where the checkpoint and the log are
 */

#include "apps/adapter.h"

#define FILES_CHECKPOINT "state.cpt"
#define FILES_FORMER     "state_prev.cpt" /* where mdrun puts the one before */
#define FILES_DAMAGED    "state_damaged.cpt"

int files_checkpoint_path(const struct adapter_app *app, char *text,
			  size_t text_size, struct error *err);
int files_log_path(const struct adapter_app *app, char *text, size_t text_size,
		   struct error *err);

/* A descriptor of a file of that name in the checkpoint directory, whose path
 * has room for PATH_MAX bytes; -ENOENT if there is none. */
int files_open(const struct adapter_app *app, const char *name, char *path,
	       struct error *err);

#endif
