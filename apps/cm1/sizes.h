/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_CM1_SIZES_H
#define APPS_CM1_SIZES_H

/*
 * Numbers of ranks that CM1 runs on, as its release 21 computes it (cm1.F and
 * param.F).  Pure.
 */

#include "apps/cm1/input.h"

/* What CM1 does not compute with MPI on any number of ranks: 0, or -EINVAL with
 * the key. */
int sizes_check(const struct input *input, struct error *err);

/* Whether it runs on so many: 0, or -EINVAL with the reason. */
int sizes_accept(const struct input *input, unsigned ranks, struct error *err);

#endif
