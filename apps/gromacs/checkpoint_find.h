/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GROMACS_CHECKPOINT_FIND_H
#define APPS_GROMACS_CHECKPOINT_FIND_H

/*
 * The newest whole checkpoint: state.cpt, or the one before
 *
 * mdrun writes the next one beside, renames state.cpt to state_prev.cpt and the
 * new one to state.cpt.  So state_prev.cpt is whole when state.cpt is not, or
 * is not there because mdrun was killed between.  To go on from it, it is put
 * in place of state.cpt first: else mdrun would write the damaged one over it
 * with its next checkpoint.
 */

#include "apps/adapter.h"
#include "apps/gromacs/cpt.h"

struct found_checkpoint {
	struct cpt cpt;
	const char *name; /* in the checkpoint directory */
};

/* 0; -ENOENT if there is none; -EBADMSG if none is whole, with what is wrong
 * with state.cpt, or -errno. */
int checkpoint_find(const struct adapter_app *app, struct found_checkpoint *out,
		    struct error *err);

/* Has it be state.cpt; a damaged one is set aside under another name. */
int checkpoint_put_in_place(const struct adapter_app *app,
			    const struct found_checkpoint *found,
			    struct error *err);

#endif
