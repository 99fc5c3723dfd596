/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_DECIDE_H
#define MONITOR_DECIDE_H

/*
 * Decide: the scaler in the world
 *
 * What the coordinator tells of the job becomes facts for core/scaler, what
 * that wants becomes a Scale call, one at a time, and the instant at which it
 * wants to be asked again becomes a timer.  A call that got no answer is made
 * again with the same request id, so the coordinator rescales once.  Under
 * scale.policy: benefit or threshold the same is done for core/scaler_benefit
 * or core/scaler_threshold, whose questions have no id: each is about the job
 * as it is by then.
 */

#include "core/scaler.h"
#include "loop/loop.h"
#include "monitor/decide_benefit.h"
#include "monitor/decide_threshold.h"
#include "rpc/client.h"

/* Embedded in its owner. */
struct decide {
	struct loop *loop;           /* borrowed */
	struct rpc_channel *channel; /* borrowed */
	enum scale_policy policy;
	struct scaler_step *steps;
	struct scaler scaler;
	struct scaler_facts facts; /* as of facts.now */
	struct decide_benefit benefit;
	struct decide_threshold threshold;
	unsigned asked; /* ranks */
	struct loop_timer timer;
	bool stopped;
};

/* The facts that a message of the job states. */
struct scaler_facts decide_facts(const Bellows__V1__Job *job, msec_t now);

/* "schedule: 30 % reached", "schedule: 90 s computed" */
void decide_reason(const struct scaler_step *step, char *text, size_t n);

int decide_init(struct decide *decide, struct loop *loop,
		struct rpc_channel *channel, const struct jobfile *job,
		struct error *err);
void decide_on_job(struct decide *decide, const Bellows__V1__Job *job);
void decide_stop(struct decide *decide);

/* The channel is gone already. */
void decide_fini(struct decide *decide);

#endif
