/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_RUN_LOOP_H
#define TESTS_UNIT_RUN_LOOP_H

/*
 * A loop that is stopped by a test's callback, or after some time
 */

#include "loop/loop.h"

static void on_loop_late(void *user)
{
	loop_stop(user, -1);
}

/* The code of loop_stop(); -1: nothing stopped it in time. */
static int run_loop(struct loop *loop, msec_t most)
{
	struct loop_timer late = {0};
	int r;

	loop_timer_set(loop, &late, most, on_loop_late, loop);
	r = loop_run(loop);
	loop_timer_clear(&late);
	return r;
}

#endif
