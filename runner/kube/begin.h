/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_BEGIN_H
#define RUNNER_KUBE_BEGIN_H

/*
 * A job in a cluster, made in place of a previous run of its name
 */

#include "runner/kube/manifests.h"
#include "runner/kube/reach.h"

/* All borrowed. */
struct begin_config {
	struct loop *loop;
	struct reach *reach;
	const bool *stop; /* looked at between two requests */
	void (*say)(void *user, const char *sentence);
	void *user;
};

/* Runs the loop until the objects are made; those of the same run are not made
 * twice.  Sets the wish's namespace; sets its plain where the cluster has no
 * Volcano.  -ECANCELED: *stop; -EEXIST: a job of that name is in the way;
 * -ETIMEDOUT: what it left does not go. */
int kube_begin(struct kube_objects **out, const struct begin_config *config,
	       struct kube_wish *wish, struct error *err);

#endif
