/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_AWAIT_H
#define RUNNER_KUBE_AWAIT_H

/*
 * One request to the API at a time: the loop runs until it is answered
 *
 *     struct kube_outcome outcome = {.loop = loop, .err = err};
 *     r = kube_await(&outcome, kube_get(..., kube_on_answer, &outcome, err));
 */

#include "kube/kube.h"

struct kube_outcome {
	struct loop *loop;
	struct error *err;
	int r;
	cJSON *object; /* a copy, which is the caller's; NULL unless r is 0 */
};

void kube_on_answer(void *user, const struct kube_answer *answer);

/* begun: of the function that was to begin the request.  Returns r, or -errno
 * of what failed before. */
int kube_await(struct kube_outcome *outcome, int begun);

#endif
