/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_LEASE_H
#define EXECUTOR_LEASE_H

/*
 * For how long the ranks of this host may compute
 *
 *     computing --no answer for the lease's length--> standing still
 *         ^________________an answer____________________|
 *
 * The coordinator answers each heartbeat, and an answer is good for the length
 * of the lease from when its heartbeat was sent.  It was heard no earlier, and
 * an executor is not lost before lost_after has passed since then, which is
 * longer.  So when the
 * coordinator has others start from the checkpoint, nothing computes here that
 * could write another, whichever of the two cannot reach the other.
 *
 * They stand still (SIGSTOP) rather than end: a coordinator that was stopped
 * for a while, or a network that was, costs no more than that while.
 *
 * Both sides measure on their own clocks how much time passes, and no more.  A
 * machine that is stopped as a whole, its clock too, is beyond this.
 */

#include "loop/loop.h"

#include <stdbool.h>

struct lease {
	struct loop *loop;
	msec_t length; /* 0: none, they always may */
	bool is_over;
	msec_t over_since;
	struct loop_timer timer;
};

/* An answer to the heartbeat of then, by loop_now(). */
void lease_renew(struct lease *lease, msec_t sent);

/* What stands still remains so. */
void lease_end(struct lease *lease);

#endif
