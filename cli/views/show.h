/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SHOW_H
#define CLI_VIEWS_SHOW_H

/*
 * What a person or a program sees of a job while it runs
 *
 * Lines about the job, the application's output and, on a terminal, the status
 * line below both, drawn at most ten times a second.  The status line is taken
 * away before anything else is written and put back after a whole line.
 */

#include "cli/views/output.h"
#include "loop/loop.h"

struct show;

struct show_config {
	const struct output *output;
	int lines;  /* descriptor of the lines about the job: 1 or 2 */
	bool bar;   /* a status line on standard error is wanted */
	bool wrap;  /* the application's output as events, among the lines */
	bool quiet; /* no lines about the job, and no status line */
	const char *term;      /* TERM, or NULL */
	const uint64_t *since; /* as of struct follow; NULL: not given */
	loop_timer_f on_room;  /* optional: see show_is_full() */
	void *user;
};

int show_create(struct show **out, struct loop *loop,
		const struct show_config *config, struct error *err);

/* Takes the status line away.  Returns NULL. */
struct show *show_destroy(struct show *show);

DEFINE_CLEANUP(struct show, show_destroy)

/* The job as it is now. */
void show_job(struct show *show, const Bellows__V1__Job *job);

/* fn gets each event, too: scale --wait waits for one of one kind. */
void show_job_to(struct show *show, const Bellows__V1__Job *job, event_f fn,
		 void *user);

/* A sentence about the job. */
void show_say(struct show *show, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Output of the application. */
void show_output(struct show *show, bool error, const char *data, size_t n);

/* The job is over: the status line goes, the summary comes.  Once. */
void show_over(struct show *show);

/* So much waits to be read that the application should be held back. */
bool show_is_full(const struct show *show);
bool show_is_empty(const struct show *show);

/* Whether standard output took all; else -errno with a sentence.  A reader that
 * has gone is no error. */
int show_check(const struct show *show, struct error *err);

/* The last job shown, or NULL; borrowed until the next. */
const Bellows__V1__Job *show_last(const struct show *show);

#endif
