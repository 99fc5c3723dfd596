/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCHED_H
#define CORE_SCHED_H

/*
 * Scheduling: which job starts when, and how many ranks each one has
 *
 * A policy is asked when something has happened: a job was submitted, a job
 * has ended, or an instant has come that an earlier answer named.  It looks at
 * the cluster and answers with actions, each with its reason.  It keeps nothing
 * between two questions, so a scheduler and a simulator run the same code.
 *
 * A rank takes one slot; a job takes view->extra slots beside its ranks, 1
 * where its launcher needs one.  A decision is written into the view at once
 * (target of the jobs, free), so that whatever is decided next counts with it.
 *
 *   elastic ...       the paper's figures 2 and 3     sched_elastic.c
 *   operator          the operator that it describes  sched_elastic.c
 *   published ...     the simulator that made its figures
 *                                                     sched_published.c
 *   fifo, easy        what every site has             sched_rigid.c
 *   bellows           ours                            sched_bellows.c
 *
 * The paper: "An elastic job scheduler for HPC applications on the cloud"; the
 * simulator and the operator are its published artifacts.
 */

#include "base/time.h"
#include "core/cost.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How fast a job is. */
struct sched_pace {
	const struct cost_curve *curve; /* seconds of a step; NULL: unknown */
	struct cost_time price;         /* of a rescale */
	double seconds; /* of a step at its size, measured; 0: not yet */
	double left;    /* steps that it had to compute at the instant `at` */
	usec_t at;      /* since then it computes; later than now: it starts */
};

/* A user of the cluster. */
struct sched_user {
	double share; /* of the cluster, that is meant for this user; 0 to 1 */
	double usage; /* of what all users had of late, its part; 0 to 1 */
};

enum sched_rule {
	SCHED_FITS,
	SCHED_MADE_ROOM,
	SCHED_GIVES_WAY,
	SCHED_GROWS,
	SCHED_NO_ROOM,
	SCHED_GAP_ENDS,
	SCHED_IN_TURN,
	SCHED_NOT_ITS_TURN,
	SCHED_ENDS_IN_TIME,
	SCHED_NOT_IN_THE_WAY,
	SCHED_QUEUE_MOVED,
	SCHED_TOGETHER,
	SCHED_SAVES_TIME,
	SCHED_LESS_IMPORTANT,
	SCHED_FILLS_IN,
	SCHED_RULES,
};

/* What a decision has made of a job so far; of no use between two decisions. */
struct sched_draft {
	unsigned size;  /* that it would have */
	bool is_fixed;  /* it keeps the size that it has */
	bool is_chosen; /* to be parked */
	double weight, importance;
	double urgency;    /* of a job that waits */
	double more, less; /* weighted seconds that it would win with the next
			    * size, by slot, and lose with the one before */
	usec_t ends;
	const struct sched_job *other; /* in whose favour it gives up slots */
	enum sched_rule rule;
};

struct sched_job {
	unsigned number; /* in order of submission, each its own */
	int priority;    /* a larger one is more important */
	usec_t submitted;
	unsigned min, max; /* ranks that it may have; min 0: a fill-in job */
	const unsigned *sizes; /* that the application accepts, the smallest
				* first, min and max among them; NULL: all */
	size_t n_sizes;
	unsigned size;   /* ranks that it has; 0: it does not run yet */
	unsigned target; /* ranks that it was told to have; other than size
			  * until that has come about */
	usec_t changed;  /* instant of its last start or rescale */
	usec_t length;   /* expected, from its start to its end, on max ranks */
	usec_t ends;     /* expected; once it was told to start */
	uint64_t place;  /* counts up whenever a job enters a list */
	unsigned user;   /* index of view->users */
	bool parked;     /* it waits with a checkpoint, since `changed` */
	usec_t waited;   /* for its starts until now */
	struct sched_pace pace;
	struct sched_draft draft;
};

enum sched_cause {
	SCHED_SUBMITTED, /* view->submitted, which is in the queue already */
	SCHED_ENDED,     /* a job, which is in no list any more */
	SCHED_RECHECK,   /* it is time to look at the queue again */
	SCHED_REASSIGN,  /* it is time to hand out free slots again */
};

/* Orders of a list.  In those by priority the most important job is last. */
enum sched_order {
	SCHED_BY_PLACE,
	SCHED_BY_PRIORITY,       /* then the job submitted later first */
	SCHED_BY_PRIORITY_PLACE, /* then the later place first */
	SCHED_BY_END,            /* the one that ends first is first */
};

struct sched_view {
	usec_t now;
	usec_t gap;   /* between two changes of one job, at least */
	usec_t delay; /* from a decision until it has an effect */
	int free;     /* slots that nobody has or was promised */
	unsigned extra;
	enum sched_cause cause;
	struct sched_job *submitted; /* NULL for other causes */
	struct sched_job **queue;    /* in the policy's order */
	struct sched_job **running;  /* likewise; those that start, too */
	size_t n_queue, n_running;
	const struct sched_user *users; /* NULL: all are alike, or the
					 * policy has no fair share */
	usec_t aging; /* waiting so long doubles the importance of a job; 0:
		       * it does not */
	struct sched_job **scratch; /* room for 2 n_queue, for the policy */
};

enum sched_kind {
	SCHED_START,  /* job, on size ranks */
	SCHED_RESIZE, /* job, to size ranks */
	SCHED_WAIT,   /* job stays in the queue, and gets a new place */
	SCHED_ASK,    /* ask again at the instant `at`, with the cause */
	SCHED_PARK,   /* job saves, leaves its slots, and waits again */
};

struct sched_reason {
	enum sched_rule rule;
	int free;                      /* slots that were free before */
	const struct sched_job *other; /* in whose favour; NULL: nobody's */
};

struct sched_action {
	enum sched_kind kind;
	struct sched_job *job; /* NULL: SCHED_ASK */
	unsigned size;
	usec_t at;
	enum sched_cause cause;
	struct sched_reason reason;
};

/* Which of its sizes a job may have.  A fill-in job has a rank at least, unless
 * the policy takes it for what it is. */
enum sched_sizes {
	SCHED_ALL_SIZES,
	SCHED_MIN_ONLY,
	SCHED_MAX_ONLY,
	SCHED_FILL_IN, /* all, and none for a fill-in job */
};

struct sched_policy {
	const char *name;
	/* Writes actions, in the order in which they are to be taken; returns
	 * their number, at most sched_room() of the view. */
	size_t (*decide)(struct sched_view *view, struct sched_action *actions);
	enum sched_order queue, running;
	enum sched_sizes sizes;
	usec_t gap;     /* in place of the cluster's; 0: the cluster's */
	bool published; /* time and slots as in the published simulator */
	bool asks_anew; /* of instants named for a cause only the last counts */
	bool fair_share; /* it reads view->users */
};

/* Ends with a row whose name is NULL. */
extern const struct sched_policy sched_policies[];

/* NULL if there is none of that name. */
const struct sched_policy *sched_policy_find(const char *name);

/* "elastic, moldable, ...": the names of all, or of those that a scheduler of
 * real jobs may have; as much as there is room for.  Returns text. */
const char *sched_policy_names(char *text, size_t n, bool simulated);

/* Actions that a decision may need room for. */
size_t sched_room(size_t n_queue, size_t n_running);

/* Whether a stands before b in a list of that order. */
bool sched_is_before(enum sched_order order, const struct sched_job *a,
		     const struct sched_job *b);

/* The smallest of the sizes with ranks that the job may have. */
unsigned sched_size_least(const struct sched_job *job);

/* The largest of the sizes that the job may have, at most `ranks`; 0: none. */
unsigned sched_size_at_most(const struct sched_job *job, unsigned ranks);

/* How long a job has waited for its starts, this one among them. */
usec_t sched_waited(const struct sched_job *job, usec_t now);

/* Narrows min and max to what the policy lets a job have. */
void sched_fit(const struct sched_policy *policy, struct sched_job *job);

/* "the free slots are enough" */
const char *sched_rule_text(enum sched_rule rule);

/* The policies' functions. */
size_t sched_elastic(struct sched_view *view, struct sched_action *actions);
size_t sched_operator(struct sched_view *view, struct sched_action *actions);
size_t sched_published(struct sched_view *view, struct sched_action *actions);
size_t sched_fifo(struct sched_view *view, struct sched_action *actions);
size_t sched_easy(struct sched_view *view, struct sched_action *actions);
size_t sched_bellows(struct sched_view *view, struct sched_action *actions);

#endif
