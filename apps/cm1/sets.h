/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_CM1_SETS_H
#define APPS_CM1_SETS_H

/*
 * Restart files of CM1: sets of five, cm1rst_000012_x.dat and so on
 *
 * x holds the time and the like, s u v w the fields of their places in the
 * grid, over all of it, so that any number of ranks can go on from them.  No
 * file says that its set is complete.  It is taken for complete when all five
 * are there, the fields are made of whole levels and of as many as the grid has
 * at least, and none is smaller than in the set before.  Of the first set of a
 * run, for which there is no other to compare with, only the former is known.
 */

#include "apps/adapter.h"
#include "apps/cm1/input.h"

/* The newest complete set: its number, from 1, and size and mark in out: 0; 1
 * if there is none; -errno with a sentence. */
int sets_newest(const struct adapter_app *app, const struct input *input,
		unsigned *number, struct checkpoint *out, struct error *err);

/* Its five files, one after the other, until each() returns something else than
 * 0, which is returned. */
int sets_files(unsigned number, int (*each)(void *user, const char *name),
	       void *user);

#endif
