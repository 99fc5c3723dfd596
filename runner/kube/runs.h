/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_RUNS_H
#define RUNNER_KUBE_RUNS_H

/*
 * What becomes of runs in a namespace that were made with an ID (make.h)
 *
 *                       pod runs            pod has ended
 *       looked for <------------> there -----------------------> over
 *            |                                                    ^
 *            | no pod, and its Job is gone or over                |
 *            +----------------------------------------------------+
 *
 * One watch of the coordinators' pods for all of them; the Job is asked for
 * only where no pod is.  A container that has failed is started again in its
 * pod, and a pod that has failed may get a successor: neither is the end of the
 * run, unless its coordinator has said that the job is over.
 */

#include "runner/kube/reach.h"

struct kube_runs;

struct kube_run_events {
	/* pod: the coordinator's that runs, borrowed until the next event;
	 * NULL: none does, and why ("Pending: Unschedulable ..."). */
	void (*on_pod)(void *user, const cJSON *pod, const char *why);
	/* Once, and it is not followed any more.  code: the coordinator's exit
	 * status; negative: its Job is gone, or nobody has seen one. */
	void (*on_end)(void *user, int code, const char *why);
};

/* The caller sets the first four. */
struct kube_run {
	const char *job, *id; /* borrowed */
	const struct kube_run_events *events;
	void *user;

	struct kube_runs *runs; /* NULL: it is not followed */
	struct list link;
	bool has_pod;
	bool has_run; /* a coordinator of it, now or before */
	bool is_unwanted;
	int code; /* that its coordinator has told; negative: none */
	int last; /* exit status of its last container; negative: none */
	struct kube_call *call;
	struct loop_timer look;
};

/* Outlived by the reach; the runs are not followed any more before. */
int kube_runs_create(struct kube_runs **out, struct reach *reach,
		     struct error *err);
struct kube_runs *kube_runs_destroy(struct kube_runs *runs); /* NULL */

/* No event comes from within. */
void kube_run_follow(struct kube_run *run, struct kube_runs *runs);
void kube_run_leave(struct kube_run *run);

/* Its coordinator has said that the job is over, with this exit status. */
void kube_run_is_over(struct kube_run *run, int code);

/* Its Job is deleted if no coordinator runs now.  Ranks of one that ran before
 * are not saved. */
void kube_run_remove(struct kube_run *run);

/* ---- pure ---- */

enum kube_run_state {
	KUBE_RUN_WAITS, /* its pod does not run yet, or not now */
	KUBE_RUN_RUNS,
	KUBE_RUN_OVER,
	KUBE_RUN_LOST, /* this pod has failed; there may be another */
};

/* code: as of struct kube_run; *code: its exit status, if it is over. */
enum kube_run_state kube_run_judge(const cJSON *pod, int *code);

#endif
