/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCHED_DRAFT_H
#define CORE_SCHED_DRAFT_H

/*
 * A decision of the policy `bellows` while it is thought over: what size each
 * job would have (the jobs' draft), and how many slots would be free
 *
 * Nothing of it is written into the view or into an action.
 */

#include "core/sched_plan.h"

struct sched_decision {
	const struct sched_view *view;
	int free;
	struct sched_job **waiting; /* a heap, the most urgent job on top */
	size_t n_waiting;
	unsigned smallest; /* minimum of those that wait */
	struct sched_job **starting;
	size_t n_starting;
	struct sched_job *blocked; /* the first that does not fit; NULL */
	usec_t reserved;           /* it can start then */
	int spare;                 /* slots that it does not need then */
	usec_t again;              /* it is to be decided again then */
};

/* The instant so many seconds from now. */
usec_t sched_later(const struct sched_view *view, double seconds);

/* Whether it takes slots that no other job has a use for. */
bool sched_is_fill_in(const struct sched_job *job);

/* It keeps its size so far, unless it is a fill-in job: that one gives all its
 * slots back. */
void sched_draft_running(struct sched_decision *d, struct sched_job *job);

/* Slots that are missing for its minimum; 0 or less: none. */
int sched_draft_missing(const struct sched_decision *d,
			const struct sched_job *job);
/* On its minimum. */
void sched_draft_start(struct sched_decision *d, struct sched_job *job,
		       enum sched_rule rule);
/* To the next size. */
void sched_draft_grow(struct sched_decision *d, struct sched_job *job);
/* To the size before, in favour of another job. */
void sched_draft_shrink(struct sched_decision *d, struct sched_job *job,
			struct sched_job *other);

/* Slots that jobs could give up for one of that importance. */
int sched_draft_slack(const struct sched_decision *d, double importance);
/* The one of them that loses least by the size before, of all or of those that
 * shrink already; NULL: there is none. */
struct sched_job *sched_draft_loser(const struct sched_decision *d,
				    double importance, bool shrinks_already);

/* The job is the first that does not fit. */
void sched_draft_reserve(struct sched_decision *d, struct sched_job *job);
/* Whether slots that this job gets now would not be back when the job that is
 * blocked can start. */
bool sched_draft_takes_spare(const struct sched_decision *d,
			     const struct sched_job *job);

/* sched_hand_out.c: what to do with free slots. */

/* They go to the jobs whose value rises most by them. */
void sched_hand_out(struct sched_decision *d);
/* Jobs that start take further ones from jobs that shrink already, where they
 * are worth more. */
void sched_balance(struct sched_decision *d);
/* What is left is for fill-in jobs. */
void sched_fill_in(struct sched_decision *d);

#endif
