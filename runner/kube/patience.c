/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/patience.h"

#include "runner/kube/internal.h"

#include <errno.h>

#define LOOK MSEC(300)

static void on_rested(void *user)
{
	struct reach *reach = user;

	loop_stop(reach->loop, 0);
}

int kube_rest(struct reach *reach)
{
	struct loop_timer timer = {0};

	loop_timer_set(reach->loop, &timer, LOOK, on_rested, reach);
	return loop_run(reach->loop);
}

int kube_patience_rest(struct kube_patience *patience, struct reach *reach,
		       struct error *err)
{
	int r;

	if (patience->until == 0) {
		patience->until = loop_now() + KUBE_PATIENCE;
		patience->tell(patience->user);
	} else if (loop_now() >= patience->until) {
		return -ETIMEDOUT;
	}
	r = kube_rest(reach);
	if (r < 0)
		return error_set(err, r, "waiting failed");
	return *patience->stop ? error_set(err, -ECANCELED, "interrupted") : 0;
}
