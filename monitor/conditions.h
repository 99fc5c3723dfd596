/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_CONDITIONS_H
#define MONITOR_CONDITIONS_H

/*
 * Conditions, kept in the status of the coordinator's pod
 *
 * conditions_hold() states what they are; the pod is looked for, read and
 * written until it says so.  Each time it is looked for anew, so it may be
 * another one than before.  The list of conditions is the kubelet's too: a
 * merge patch replaces it as a whole, so the patch is bound to the version that
 * was read, and what is not ours is left as it was.
 */

#include "kube/kube.h"
#include "monitor/status_build.h"

/* Embedded in its owner; all borrowed.  rest: the pod has them, or they are
 * refused; may come from within conditions_hold(). */
struct conditions {
	struct loop *loop;
	struct kube *kube;
	struct kube_target pods; /* with a query that finds it */
	void (*rest)(void *user);
	void *user;

	struct condition wish[STATUS_CONDITIONS];
	bool dirty; /* the wish is not written yet */
	bool busy;  /* the pod is read or written */
	bool blind; /* we may not */
	struct loop_timer again;
};

void conditions_hold(struct conditions *conditions,
		     const struct condition wish[STATUS_CONDITIONS]);
bool conditions_rest(const struct conditions *conditions);
/* After its kube was destroyed. */
void conditions_fini(struct conditions *conditions);

#endif
