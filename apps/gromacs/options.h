/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GROMACS_OPTIONS_H
#define APPS_GROMACS_OPTIONS_H

/*
 * Which options of mdrun go with a job whose size changes
 */

#include "apps/gromacs/argv.h"

/* Most words of the user's command; a start adds some, and the NULL. */
enum { OPTIONS_ARGS_MAX = ADAPTER_ARGS_MAX - 6 };

/* -EINVAL with the reason. */
int options_check(const struct adapter_app *app, struct error *err);

/* What can be told without asking mdrun: -dd and -npme fit that many ranks. */
int options_accept(const struct adapter_app *app, unsigned ranks,
		   struct error *err);

#endif
