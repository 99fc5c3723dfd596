/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_ENGINE_STATE_H
#define SIM_ENGINE_STATE_H

/*
 * The state of a simulation, for the files of the engine alone
 *
 *   engine.c          the events, one after the other
 *   engine_job.c      what a job does
 *   engine_nodes.c    nodes that fail
 *   engine_policy.c   questions to the policy, and its decisions
 */

#include "base/splitmix.h"
#include "sim/engine.h"
#include "sim/event_heap.h"
#include "sim/sim_job.h"
#include "sim/sim_users.h"
#include "sim/sorted_jobs.h"
#include "sim/tally.h"

struct engine_nodes {
	unsigned all, up;
	unsigned in_a_row; /* failures since a job ended, of any node */
	struct random random;
};

/* The last question that is to be asked. */
struct asked {
	usec_t at;
	size_t n; /* that are the same */
};

struct engine {
	const struct workload *workload;
	const struct sim_settings *settings;
	const struct sched_policy *policy;
	usec_t now, gap, delay, start_delay;
	int free;
	uint64_t places;
	struct cost_curve *curves; /* by class */
	struct sim_job *jobs;
	size_t n, over;
	struct event_heap heap;
	struct sorted_jobs queue, running;
	struct sched_action *actions;
	struct sched_job **scratch;
	size_t room;                            /* of both */
	struct asked asked[SCHED_REASSIGN + 1]; /* by cause */
	struct engine_nodes nodes;
	struct sim_users users;
	struct tally tally;
};

/* What follows returns 0 or -ENOMEM, unless it says more. */

int engine_add_event(struct engine *engine, enum sim_event_kind kind, usec_t at,
		     unsigned job, unsigned size);

/* A decision has its effect: the job starts; it has another size, or at 0 waits
 * with a checkpoint. */
int engine_start(struct engine *engine, struct sim_job *job, unsigned size);
int engine_resize(struct engine *engine, struct sim_job *job, unsigned size);

/* A node failed under the job, or under what it was promised: it goes on from
 * its last checkpoint with the size that is left to it, or at 0 waits.  What it
 * was told to do is off. */
int engine_fall_back(struct engine *engine, struct sim_job *job, unsigned size);

/* It has computed its last step; its slots are free. */
void engine_end(struct engine *engine, struct sim_job *job);

/* -ERANGE: there are too many failures. */
int engine_nodes_init(struct engine *engine);
int engine_fail(struct engine *engine);
int engine_repair(struct engine *engine);

/* submitted: the job of SCHED_SUBMITTED, or NULL. */
int engine_ask(struct engine *engine, enum sched_cause cause,
	       struct sched_job *submitted);
/* The instant has come that the policy named for a cause. */
int engine_ask_again(struct engine *engine, enum sched_cause cause);

#endif
