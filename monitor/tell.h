/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_TELL_H
#define MONITOR_TELL_H

/*
 * What happens to the job, told in the cluster: Events below the job's owner,
 * and conditions of the coordinator's pod
 *
 *     kubectl describe vcjob heat
 *     kubectl wait pod -l bellows.io/job=heat,bellows.io/role=coordinator
 *         --for=condition=bellows.io/Resized
 *
 * What to say is monitor/announce's to decide.  Events go out one after the
 * other, in their order; conditions as they are when their turn comes.  While
 * the API is away both wait, in bounded space.  Nothing here ends or delays the
 * job: what is refused is logged once.  It has a client of its own, so that
 * what is told never waits with, or holds up, what is done.
 */

#include "base/cleanup.h"
#include "kube/kube.h"
#include "proto/bellows.pb-c.h"

struct tell;

/* All borrowed while it lives, except the strings. */
struct tell_config {
	struct loop *loop;
	const struct kube_config *kube;
	const char *namespace;
	const struct kube_kind *kind; /* of the owner */
	const char *owner;            /* its name */
	const char *job;              /* that pods are labelled with */
};

int tell_create(struct tell **out, const struct tell_config *config,
		struct error *err);
struct tell *tell_destroy(struct tell *tell); /* returns NULL */

DEFINE_CLEANUP(struct tell, tell_destroy)

/* The job is now so. */
void tell_on_job(struct tell *tell, const Bellows__V1__Job *job);

/* Calls fn once all is told, or cannot be within patience; never from within.
 * Nothing is added after it. */
void tell_finish(struct tell *tell, msec_t patience, void (*fn)(void *user),
		 void *user);

#endif
