/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_PATIENCE_H
#define RUNNER_KUBE_PATIENCE_H

/*
 * Patience with a former run that is ending: 10 s in all, and it is told once
 */

#include "runner/kube/reach.h"

#define KUBE_PATIENCE SECONDS(10)

struct kube_patience {
	void (*tell)(void *user); /* before the first rest */
	void *user;
	msec_t until; /* 0: nothing was waited for yet */
};

/* Lets a moment pass before the next look.  Returns 0, or -ETIMEDOUT without a
 * sentence: what is waited for is the caller's to say. */
int kube_patience_rest(struct kube_patience *patience, struct reach *reach);

/* The moment alone. */
int kube_rest(struct reach *reach);

#endif
