/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/lease.h"

#include "base/log.h"
#include "executor/process.h"

#include <signal.h>

#define LOOK_AGAIN MSEC(200) /* for what was started meanwhile */

static void stop(void *user)
{
	struct lease *lease = user;
	size_t n = process_signal(0, false, SIGSTOP);

	if (!lease->is_over) {
		lease->is_over = true;
		lease->over_since = loop_now();
		log_warn("no answer to a heartbeat for %lld ms: %zu processes "
			 "stand still",
			 (long long)lease->length, n);
	}
	loop_timer_set(lease->loop, &lease->timer, LOOK_AGAIN, stop, lease);
}

static void go_on(struct lease *lease)
{
	size_t n = process_signal(0, false, SIGCONT);

	lease->is_over = false;
	log_warn("the coordinator answers again: %zu processes go on, that "
		 "stood still for %lld ms",
		 n, (long long)(loop_now() - lease->over_since));
}

void lease_renew(struct lease *lease, msec_t sent)
{
	msec_t left = sent + lease->length - loop_now();

	/* late, or of another life */
	if (left <= 0 || left > lease->length)
		return;
	loop_timer_set(lease->loop, &lease->timer, left, stop, lease);
	if (lease->is_over)
		go_on(lease);
}

void lease_end(struct lease *lease)
{
	loop_timer_clear(&lease->timer);
}
