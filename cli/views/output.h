/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_OUTPUT_H
#define CLI_VIEWS_OUTPUT_H

/*
 * Forms of output: text for people, JSON for programs
 *
 * A command says what it has to say through one of these and never asks which.
 * Keys of the JSON form are documented in bellows(1) and stay as they are;
 * times in it are milliseconds, what is not known is null.
 */

#include "cli/views/follow.h"
#include "cli/views/queue_table.h"
#include "jobfile/jobfile.h"

#include <stdio.h>

/* What a scheduler did with a job. */
struct queue_answer {
	uint64_t number;
	const char *name, *note;
	const char *state; /* in which it is now; NULL: not known */
	bool is_new;       /* it was submitted */
};

struct output {
	const char *name;

	void (*event)(FILE *to, const struct event *event);

	/* One job in full, or a list of jobs. */
	void (*jobs)(FILE *to, Bellows__V1__Job *const *jobs, size_t n,
		     bool list);

	void (*scaled)(FILE *to, const char *job,
		       const Bellows__V1__ScaleReply *reply);

	void (*queue)(FILE *to, const Bellows__V1__Queue *queue,
		      const struct queue_table *table);

	void (*queued)(FILE *to, const struct queue_answer *queued);

	/* Why a job of a queue has its ranks. */
	void (*explained)(FILE *to, const Bellows__V1__ExplainReply *reply);

	/* A job file that was accepted. */
	void (*spec)(FILE *to, const struct jobfile *job);

	/* Why the command ends with that exit status. */
	void (*failure)(int code, const char *sentence);
};

extern const struct output output_text, output_json;

/* Says why and returns code. */
int output_fail(const struct output *output, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
