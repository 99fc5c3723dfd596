/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_DECIDE_THRESHOLD_H
#define MONITOR_DECIDE_THRESHOLD_H

/*
 * What core/scaler_threshold knows: the job, by the coordinator's messages, and
 * the value of the job file's query, by a Prometheus server
 *
 * The server is asked every so often, beginning with the first message of the
 * job, one question at a time.  While it gives no value nothing is decided.
 */

#include "core/scaler_threshold.h"
#include "jobfile/jobfile.h"
#include "prometheus/prometheus.h"
#include "proto/bellows.pb-c.h"

/* Embedded in its owner; zero-initialised: there is none. */
struct decide_threshold {
	struct loop *loop;
	struct prometheus *prometheus;
	struct loop_timer timer; /* the next question */
	msec_t every, next;
	unsigned *sizes;
	struct threshold threshold;
	struct threshold_facts facts;
	void (*looked)(void *user);
	void *user;

	/* what was logged last, so that it is logged once */
	enum { VALUE_UNTOLD, VALUE_IS_THERE, VALUE_IS_NOT } told;
	struct threshold_choice stayed;
};

/* Borrows all.  looked: there is news to decide by. */
int decide_threshold_init(struct decide_threshold *decide, struct loop *loop,
			  const struct jobfile *job, void (*looked)(void *user),
			  void *user, struct error *err);
void decide_threshold_on_job(struct decide_threshold *decide,
			     const Bellows__V1__Job *job);

/* What is to be asked now, with the reason for the coordinator. */
struct threshold_choice decide_threshold_choose(struct decide_threshold *decide,
						msec_t now, char *reason,
						size_t n);

/* The server is asked no more. */
void decide_threshold_stop(struct decide_threshold *decide);
void decide_threshold_fini(struct decide_threshold *decide);

#endif
