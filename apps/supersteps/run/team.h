/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_SUPERSTEPS_RUN_TEAM_H
#define APPS_SUPERSTEPS_RUN_TEAM_H

/*
 * The tasks that each rank runs, and what ranks tell each other at a barrier
 *
 * Task t is run by rank t modulo the number of ranks.  A rank that waits for
 * others rests, because the processors are for the tasks.
 */

#include "apps/supersteps/run/pod_limit.h"
#include "supersteps/task_run.h"

enum order_kind {
	ORDER_STEP,
	ORDER_LEAVE, /* all is saved */
	ORDER_FAIL,
};

/* What rank 0 tells all before a step; the levels of all tasks follow. */
struct order {
	enum order_kind kind;
	unsigned step;
};

/* How shares are applied. */
enum share_way {
	SHARE_BY_GROUPS, /* a control group for each task */
	SHARE_BY_PODS,   /* the pod's limit is that of its tasks together */
	SHARE_BY_NOTHING,
};

struct team {
	int rank, ranks;
	struct loop *loop;
	enum share_way way;
	struct pod_limit limit; /* if by pods */
	const struct supersteps *of;
	struct task_run *runs; /* of this rank */
	unsigned n, most;      /* tasks of this rank; of any */
	unsigned left;         /* that run now */
	/* Of all tasks. */
	unsigned levels[SHARE_TASKS_MAX];
	bool skip[SHARE_TASKS_MAX]; /* it has ended in this step before */
	struct task_result results[SHARE_TASKS_MAX]; /* on rank 0 */
	struct task_result *room;                    /* [ranks][most] */
	struct task_result *mine;                    /* [most] */
};

/* base: where groups may be made; NULL if shares are applied in another way.
 * The caller has set loop and way.  team_fini() in each case. */
int team_init(struct team *team, const struct supersteps *supersteps,
	      const struct cgroup_base *base, struct error *err);

/* From rank 0 to all, with levels and skip. */
void team_tell(struct team *team, struct order *order);

/* Runs the tasks of this rank, and gathers the results of all on rank 0.
 * -errno of a share that could not be set on any. */
int team_step(struct team *team, unsigned step, struct error *err);

/* Seconds that a change of the shares takes: the median of some, on the slowest
 * rank. */
int team_measure_change(struct team *team, double *seconds, struct error *err);

/* 0, or -errno of a rank on which something has failed, which says why. */
int team_agree(struct team *team, int r);

void team_fini(struct team *team);

#endif
