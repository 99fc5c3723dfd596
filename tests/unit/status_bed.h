/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_STATUS_BED_H
#define TESTS_UNIT_STATUS_BED_H

/*
 * A job that is stepped as the coordinator does it, and its messages as a
 * monitor gets them; what that tells is written into a transcript.
 */

#include "coordinator/journal/history.h"
#include "coordinator/service/status.h"
#include "monitor/status_build.h"
#include "tests/check.h"

static const struct job_patience patience = {.retries = 3};
static struct history history;
static struct job job;
static struct status_told told;
static char said[4096], reason[256], trouble[600], stall[64];
static struct condition conditions[STATUS_CONDITIONS];
static msec_t now;
static uint64_t incarnation = 1; /* of the coordinator */

static void step(msec_t at, enum job_event_type type, unsigned size,
		 const char *why)
{
	const struct job_event event = {.type = type, .now = at, .size = size};
	const struct job before = job;

	now = at;
	if (!job_step(&job, &event))
		return;
	history_on_step(&history, &before, &job, &event, why);
	if (before.state != job.state)
		snprintf(reason, sizeof(reason), "%s", why);
}

static void fill(Bellows__V1__Job *message)
{
	bellows__v1__job__init(message);
	message->incarnation = incarnation;
	message->state = status_state(job.state);
	message->size = job.size;
	message->target = job.target;
	message->age = (uint64_t)(now - history.began);
	message->reason = reason;
	message->trouble = trouble;
	message->stall = stall;
	message->exit_code = job.state == JOB_FAILED ? 3 : 0;
	history_fill(&history, message);
}

/* The monitor gets a message. */
static void message(void)
{
	struct status_event out[STATUS_MAX];
	Bellows__V1__Job all;
	size_t n;

	fill(&all);
	n = status_build_events(&told, &all, out);
	status_build_conditions(&all, conditions);
	history_unfill(&all);
	for (size_t i = 0; i < n; i++) {
		size_t used = strlen(said);

		snprintf(said + used, sizeof(said) - used, "%s%s: %s\n",
			 out[i].warning ? "! " : "", out[i].reason,
			 out[i].note);
	}
}

static void tell(msec_t at, enum job_event_type type, unsigned size,
		 const char *why)
{
	step(at, type, size, why);
	message();
}

static void begin(void)
{
	memset(&told, 0, sizeof(told));
	said[0] = reason[0] = trouble[0] = stall[0] = '\0';
	now = 1000;
	job_init(&job, 2, &patience, false, now);
	history_init(&history, now);
}

#endif
