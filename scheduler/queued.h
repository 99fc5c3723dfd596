/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_QUEUED_H
#define SCHEDULER_QUEUED_H

/*
 * One job of the queue: what is written down of it, what a policy may know of
 * it, its programs, and the connection to its coordinator
 */

#include "core/sched.h"
#include "core/step_meter.h"
#include "jobfile/jobfile.h"
#include "proto/bellows.pb-c.h"
#include "runner/kube/runs.h"
#include "scheduler/link.h"
#include "scheduler/programs.h"
#include "scheduler/record.h"

struct scheduler;

/* What its coordinator has said last. */
struct queued_view {
	unsigned size;
	double progress;      /* negative: not known */
	msec_t eta;           /* likewise */
	uint64_t eta_sd;      /* its standard deviation; 0: not known */
	double rate;          /* steps a second; 0: not known */
	uint64_t step, total; /* total 0: not known */
	uint64_t checkpoint;  /* bytes; 0: there is none */
	char shortfall[RECORD_WHY_MAX];
	msec_t computes; /* since then it does, at its size */
	size_t pauses;   /* rescales whose pause was counted */
};

struct queued {
	struct list link;
	struct scheduler *scheduler;
	struct record record;
	bool written;   /* a record is on the disk */
	uint64_t given; /* bytes of the book with its last record */

	struct sched_job sched;
	unsigned *sizes; /* that the application accepts; NULL: all */
	struct step_meter meter;
	struct cost_curve curve;
	struct cost_rescales pauses;
	bool was_eligible; /* when the policy was asked last */
	bool is_explained; /* why it waits */

	struct programs programs;
	struct kube_run run; /* once they have made it in a cluster */
	bool is_making;      /* they have to try again to make it */
	unsigned makings;    /* that failed, in a row */
	unsigned *hosts;     /* where it runs: indices, the first ones first */
	struct link coordinator;
	struct queued_view view;
	unsigned granting; /* the grant that a call tells */
	msec_t call_again; /* after a call that failed, not before */
};

/* Where a job's files are: DIR/jobs/NUMBER. */
void queued_dir(const char *dir, uint64_t number, char path[PATH_MAX]);

/* Puts file and record on the disk, except for the journal; takes the sizes of
 * the job from file. */
int queued_create(struct queued **out, struct scheduler *scheduler,
		  const struct record *record, const struct jobfile *file,
		  struct error *err);
struct queued *queued_destroy(struct queued *queued); /* returns NULL */

/* Sets what a policy may know. */
void queued_update(struct queued *queued, usec_t now);

/* Its coordinator has been told this grant. */
void queued_told(struct queued *queued, unsigned grant);

/* A message of its coordinator. */
void queued_on_job(struct queued *queued, const Bellows__V1__Job *job);

/* Ranks that it should want: what its coordinator said, or its most. */
unsigned queued_want(const struct queued *queued);

/* Slots that it takes, or may take at any moment. */
unsigned queued_slots(const struct queued *queued);

#endif
