/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SAVE_CHOICE_H
#define CORE_SAVE_CHOICE_H

/*
 * What a checkpoint costs an application that writes when it likes
 *
 * It can be waited for, while the ranks compute on at the old size, or the
 * newest one can be taken as it is, which repeats the steps since then.  Say
 * that a step takes c / n on n ranks.  To grow from n to m ranks, waiting for w
 * steps costs w (c / n - c / m), what the larger size would have saved; to
 * repeat p of them on it costs p c / m: less, if p n < w (m - n).  To shrink,
 * the ranks that are given up are held for w c / n longer, (n - m) of them, and
 * the repeated steps cost p c whatever the size: less, if p n < w (n - m).
 */

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

struct save_choice {
	unsigned from, to; /* ranks; to 0: it is to stop */
	uint64_t step;     /* it is at */
	bool has_newest;   /* a complete checkpoint is there */
	uint64_t newest;   /* its step; 0: not known */
	uint64_t next;     /* step of the one it writes next; 0: not known */
	double step_time;  /* milliseconds; 0: not known */
	msec_t deadline;   /* for a checkpoint to be complete */
};

/* True: take the newest; false: wait. */
bool save_takes_newest(const struct save_choice *choice);

#endif
