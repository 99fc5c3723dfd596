/* SPDX-License-Identifier: Apache-2.0 */

/*
 * For ranks on hosts that have a share of a processor (bench/places.py),
 * preloaded: to yield is to sleep for a moment
 *
 * A rank that waits looks for messages again and again, and yields in between.
 * On a processor of its own that costs nothing.  Here it is paid from the quota
 * of the host, and at the expense of another host's rank, for which it waits:
 * the kernel yields within a control group only.
 */

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

enum { NAP = 20000, SLACK = 1000 }; /* nanoseconds */

__attribute__((constructor)) static void wake_in_time(void)
{
	prctl(PR_SET_TIMERSLACK, SLACK);
}

int sched_yield(void)
{
	const struct timespec moment = {0, NAP};

	nanosleep(&moment, NULL);
	return 0;
}
