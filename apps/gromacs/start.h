/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GROMACS_START_H
#define APPS_GROMACS_START_H

/*
 * How mdrun is started, and how it goes on
 *
 * The checkpoint is state.cpt in the checkpoint directory: -cpo is put at the
 * end of the command, and -cpi with -append when there is one to go on from.
 *
 * mdrun without its checkpoint begins at step 0 and sets the output of the run
 * before aside; so a start that is to go on is not made without one.
 *
 * mdrun writes on in its log from where the checkpoint was written, over what
 * is there, without shortening it (2022): behind the new lines stand old ones,
 * and with the next checkpoint it goes on behind those.  So the log is cut off
 * there, and a reader that follows the log sees new lines only.
 */

#include "apps/adapter.h"

int start_prepare(const struct adapter_app *app,
		  const struct checkpoint *restart, struct error *err);
int start_command(const struct adapter_app *app,
		  const struct checkpoint *restart,
		  const char *argv[ADAPTER_ARGS_MAX], char *text,
		  size_t text_size, struct error *err);

#endif
