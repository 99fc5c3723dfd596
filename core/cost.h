/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_COST_H
#define CORE_COST_H

/*
 * What a checkpoint costs an application that writes when it likes
 *
 * It can be waited for, which takes time, or the newest one can be taken as it
 * is, which repeats the steps since then.  Both are steps at the same rate.
 */

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

struct save_choice {
	uint64_t step;    /* it is at */
	bool has_newest;  /* a complete checkpoint is there */
	uint64_t newest;  /* its step; 0: not known */
	uint64_t next;    /* step of the one it writes next; 0: not known */
	double step_time; /* milliseconds; 0: not known */
	msec_t deadline;  /* for a checkpoint to be complete */
};

/* True: take the newest; false: wait. */
bool cost_takes_newest(const struct save_choice *choice);

#endif
