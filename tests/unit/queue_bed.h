/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_QUEUE_BED_H
#define TESTS_QUEUE_BED_H

/* A queue of 8 slots to show: four jobs, of which one runs */

#include "client/queue.h"
#include "tests/unit/cli_job.h"

enum { BED_JOBS = 1000 };

#define NOW         UINT64_C(1795780800000) /* 2026-11-27, noon, UTC */
#define STATE(name) BELLOWS__V1__QUEUE_STATE__QUEUE_##name

static Bellows__V1__Queue queue;
static Bellows__V1__QueueJob bed_jobs[BED_JOBS], *bed_list[BED_JOBS];
static Bellows__V1__QueueSpan bed_span, *bed_spans[] = {&bed_span};

static Bellows__V1__QueueJob *add_job(const char *name, const char *user,
				      Bellows__V1__QueueState state)
{
	Bellows__V1__QueueJob *job = &bed_jobs[queue.n_jobs];

	bellows__v1__queue_job__init(job);
	bed_list[queue.n_jobs++] = job;
	job->number = queue.n_jobs;
	job->name = (char *)name;
	job->user = (char *)user;
	job->state = state;
	job->priority = 10;
	job->min = 2;
	job->max = 8;
	job->progress = -1;
	job->eta = -1;
	job->submitted = NOW - MINUTES(2);
	return job;
}

static void begin_queue(void)
{
	bellows__v1__queue__init(&queue);
	queue.jobs = bed_list;
	queue.now = NOW;
	queue.policy = "bellows";
	queue.where = "this machine";
	queue.slots = 8;
	queue.used = 4;
}

static inline void fill_queue(void)
{
	Bellows__V1__QueueJob *job;

	begin_queue();
	job = add_job("heat", "ann", STATE(RUNNING));
	job->size = 2;
	job->grant = 4;
	job->want = 6;
	job->progress = 0.432;
	job->rate = 28.4;
	job->eta = 80400;
	job->eta_sd = 2400;
	job->started = NOW - MINUTES(1);
	job = add_job("cold", "bob", STATE(WAITING));
	job->reason = "2 of the 4 slots that it needs are free";
	job = add_job("ice", "bob", STATE(PARKED));
	job->progress = 0.5;
	job->started = NOW - MINUTES(30);
	job = add_job("done", "ann", STATE(DONE));
	job->started = NOW - MINUTES(90);
	job->ended = NOW - MINUTES(61);
	bellows__v1__queue_span__init(&bed_span);
	bed_span.number = 3;
	bed_span.from = NOW - MINUTES(30);
	bed_span.to = NOW - SECONDS(3);
	queue.spans = bed_spans;
	queue.n_spans = 1;
}

#endif
