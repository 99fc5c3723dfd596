/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

/*
 * One set of jobs under one policy, in virtual time
 *
 * The policies are those of core/sched; nothing here decides.  A job computes
 * `steps` of step_time(ranks) after start(ranks); a rescale stops it for
 * move(ranks) + start(ranks) at its new size.  A decision has its effect after
 * the delay, a start after its own one if no job is to leave slots then, and
 * the slots that it gives away are taken from that decision on.
 *
 * A node that fails takes its slots at once, from the jobs that hold them or
 * were promised them and from those that are free, so that a policy never sees
 * fewer than none free.
 *
 * The policies that are the published simulator's keep its time and slots, too:
 *
 * - the delay is a second, but a job that fits when it is submitted starts at
 *   once;
 * - a rescale costs what it would at the old size, and the gap begins when the
 *   job computes again;
 * - the time that a start takes counts as computed at the first rescale;
 * - if a job ends in the second before its rescale, its slots are given back by
 *   the size that it had: those of a shrink are there twice from then on, those
 *   of a growth are lost;
 * - events at the same instant come as from Python's heapq.
 */

#include "core/sched.h"
#include "sim/workload.h"

struct sim_metrics {
	double total;        /* seconds, until the last job has ended */
	double utilisation;  /* of the slots, seen every 2 s; 1: all */
	double response;     /* seconds to the start, weighted by priority */
	double completion;   /* seconds to the end, likewise */
	double slowdown;     /* bounded (10 s), mean */
	double fairness;     /* of the slowdown, to users (sim/sim_users.h) */
	double slot_seconds; /* that jobs held */
	double efficiency;   /* of these, what the same steps take with the
			      * fewest ranks */
	double rescales;
	double parks;          /* a job gave up all its slots, or lost them, and
				* waited again */
	double failures;       /* of nodes, until the last job has ended */
	double repeated;       /* seconds that jobs computed in vain */
	double repeated_steps; /* in this time */
};

/* Each of the functions may be NULL. */
struct sim_observer {
	void *user;
	void (*on_action)(void *user, usec_t now,
			  const struct sched_action *action);
	/* A job has other slots from now on, those of its launcher among them.
	 */
	void (*on_slots)(void *user, usec_t now, const struct sched_job *job,
			 unsigned from, unsigned to);
};

struct sim_settings {
	const struct sched_policy *policy;
	usec_t gap, rescale_gap; /* in place of the workload's; -1: those */
	struct sim_observer observer;
};

/* 0; -EINVAL with a sentence if a policy of the published simulator does not
 * know what the workload has; -EDEADLK with a sentence if the policy leaves
 * jobs waiting for ever; -ERANGE if virtual time has no end; -ENOMEM. */
int sim_run(struct sim_metrics *out, const struct workload *workload,
	    const struct workload_set *set, const struct sim_settings *settings,
	    struct error *err);

/* The means over all sets of the workload. */
int sim_run_all(struct sim_metrics *out, const struct workload *workload,
		const struct sim_settings *settings, struct error *err);

#endif
