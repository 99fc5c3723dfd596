/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/clock.h"

#include "loop/loop.h"

#include <time.h>

static msec_t offset;

void clock_begin(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	offset = (msec_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - loop_now();
}

msec_t clock_wall(void)
{
	return loop_now() + offset;
}
