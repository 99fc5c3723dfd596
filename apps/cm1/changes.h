/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_CM1_CHANGES_H
#define APPS_CM1_CHANGES_H

/*
 * What has to be changed in a namelist, so that a run which goes on from a
 * checkpoint on another number of ranks computes and writes what an unbroken
 * one does
 *
 * Restart files have to be written at all, as one set for each time, and CM1's
 * clocks must not begin anew at a restart.  restart_reset_frqtim begins those
 * of output, statistics and restart files anew; those of diagfrq and azimavgfrq
 * always do, and the last record of statistics is written over, which does no
 * harm if each restart is at a whole multiple of them and of statfrq.  Pure.
 */

#include "apps/cm1/input.h"

#include <stdio.h>

enum { CHANGES_MAX = 8 };

struct changes {
	size_t n;
	struct input_edit edit[CHANGES_MAX];
	char why[CHANGES_MAX][240]; /* "<key> is <what it is>, <so that ...>" */
};

void changes_find(const struct input *input, struct changes *out);

/* -EINVAL with the sentence of the first, if there is one; 0 else. */
int changes_refuse(const struct input *input, const struct changes *changes,
		   struct error *err);

/* All sentences, and a patch. */
void changes_print(const struct input *input, const struct changes *changes,
		   FILE *to);

#endif
