/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_STATUS_PUBLISHER_H
#define MONITOR_STATUS_PUBLISHER_H

/*
 * What happens to the job, told in the cluster: Events below the job's owner,
 * and conditions of the coordinator's pod
 *
 *     kubectl describe vcjob heat
 *     kubectl wait pod -l bellows.io/job=heat,bellows.io/role=coordinator
 *         --for=condition=bellows.io/Resized
 *
 * What to say is monitor/status_build's to decide.  Events go out one after the
 * other, in their order; conditions as they are when their turn comes.  While
 * the API is away both wait, in bounded space.  Nothing here ends or delays the
 * job: what is refused is logged once.  It has a client of its own, so that
 * what is told never waits with, or holds up, what is done.
 */

#include "base/cleanup.h"
#include "kube/kube.h"
#include "proto/bellows.pb-c.h"

struct status_publisher;

/* All borrowed while it lives, except the strings. */
struct status_publisher_config {
	struct loop *loop;
	const struct kube_config *kube;
	const char *namespace;
	const struct kube_kind *kind; /* of the owner */
	const char *owner;            /* its name */
	const char *job;              /* that pods are labelled with */
};

int status_publisher_create(struct status_publisher **out,
			    const struct status_publisher_config *config,
			    struct error *err);
struct status_publisher *
status_publisher_destroy(struct status_publisher *publisher); /* returns NULL */

DEFINE_CLEANUP(struct status_publisher, status_publisher_destroy)

/* The job is now so. */
void status_publisher_on_job(struct status_publisher *publisher,
			     const Bellows__V1__Job *job);

/* Why executors may share processors, although they were to have their own. */
void status_publisher_on_shared(struct status_publisher *publisher,
				const char *why);

/* Calls fn once all is told, or cannot be within patience; never from within.
 * Nothing is added after it. */
void status_publisher_finish(struct status_publisher *publisher,
			     msec_t patience, void (*fn)(void *user),
			     void *user);

#endif
