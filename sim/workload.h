/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H

/*
 * What is simulated: a cluster, classes of jobs, and one or more sets of jobs
 *
 * It is read from a JSON file, whose keys docs/scheduling.md lists, or made of
 * the log of a batch system (sim/swf_workload.h).
 */

#include "base/error.h"
#include "base/time.h"
#include "sim/curve.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	WORKLOAD_BYTES_MAX = 64 << 20,
	WORKLOAD_NAME_MAX = 63,
	WORKLOAD_SLOTS_MAX = 1000000,
	WORKLOAD_SECONDS_MAX = 1000000000, /* of a run, or a time: 31 years */
	WORKLOAD_USERS_MAX = 100000,
	WORKLOAD_JOBS_MAX = 2000000,
	WORKLOAD_SETS_MAX = 10000,
	WORKLOAD_PRIORITY_MAX = 1000000,
};

struct workload_class {
	char name[WORKLOAD_NAME_MAX + 1];
	unsigned min, max; /* ranks; min 0: a fill-in job */
	unsigned *sizes;   /* that the application accepts, the smallest
			    * first, min and max among them; NULL: all */
	size_t n_sizes;
	double steps;           /* of a job that has no number of its own */
	struct curve step_time; /* of one step */
	struct curve start;     /* until it computes */
	struct curve move;      /* beside that, of a rescale */
};

struct workload_job {
	char name[WORKLOAD_NAME_MAX + 1]; /* "": it has none */
	unsigned class;                   /* index */
	unsigned user;                    /* index */
	int priority;
	double steps;    /* 0: the class says */
	usec_t submit;   /* -1: the set's gap says */
	usec_t estimate; /* of its run on max ranks; -1: it is what it takes */
};

struct workload_set {
	char name[WORKLOAD_NAME_MAX + 1]; /* "": it has none */
	struct workload_job *jobs;
	size_t n;
};

struct workload_failures {
	double mtbf; /* seconds, of one node; 0: none fails */
	unsigned slots_per_node;
	usec_t repair;     /* until a node that failed is there again */
	usec_t checkpoint; /* from one of a job to the next; 0: it has none but
			    * those of its rescales */
	unsigned seed;
};

struct workload_user {
	char name[WORKLOAD_NAME_MAX + 1]; /* "": of jobs that name nobody */
	double share;                     /* beside those of the others */
};

/* In the order in which they were added (sim/workload_users.h). */
struct workload_users {
	struct workload_user *at; /* NULL: all jobs are of one user */
	size_t n, room;
	unsigned *places; /* by name */
	bool listed;      /* the file lists them */
};

struct workload {
	unsigned slots;
	unsigned launcher_slots; /* of each job, beside its ranks */
	usec_t rescale_gap;      /* between two changes of one job, at least */
	usec_t aging; /* waiting so long doubles the importance of a job; 0:
		       * it does not */
	usec_t decision_delay; /* from a decision until it has an effect */
	usec_t start_delay;    /* the same of a start while no job is to leave
				* slots */
	usec_t gap; /* between two jobs without a time of their own */
	usec_t usage_half_life; /* after which a slot-second of a user counts
				 * half; 0: it counts for ever */
	struct workload_failures failures;
	struct workload_users users;
	struct workload_class *classes;
	size_t n_classes;
	struct workload_set *sets;
	size_t n_sets;
};

/* One that is empty, with the defaults; NULL: there is no memory. */
struct workload *workload_create(void);

/* path: for sentences.  0; -EINVAL with "PATH:LINE: what is wrong"; -ENOMEM. */
int workload_parse(struct workload **out, const char *path, const char *text,
		   size_t size, struct error *err);

/* The same of a file; also -errno with a sentence. */
int workload_read(struct workload **out, const char *path, struct error *err);

/* The fewest ranks on which a job of the class computes. */
unsigned workload_class_least(const struct workload_class *class);

void workload_destroy(struct workload *workload);

#endif
