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
	const bool *stop; /* looked at after each rest */
	msec_t until;     /* 0: nothing was waited for yet */
};

/* Lets a moment pass before the next look.  -ECANCELED: *stop; -ETIMEDOUT
 * without a sentence: the caller says what was waited for. */
int kube_patience_rest(struct kube_patience *patience, struct reach *reach,
		       struct error *err);

/* The moment alone. */
int kube_rest(struct reach *reach);

#endif
