/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_RECORD_H
#define SCHEDULER_RECORD_H

/*
 * What the queue's journal says: jobs and decisions, a line of JSON each
 *
 *     {"at":1763769600000,"job":7,"name":"heat","priority":10, ...}
 *     {"at":1763769600412,"decision":7,"kind":"resize","from":2,"to":4, ...}
 *
 * The line of a job is all that has to be known of it, and is written anew
 * whenever that changes: the last one counts.
 */

#include "base/error.h"
#include "base/time.h"
#include "core/queue_job.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RECORD_NAME_MAX = 64,
	RECORD_WHY_MAX = 320,
	AFTER_MAX = 16,
	ALTERNATIVES_MAX = 8,
	RECORD_LINE_MAX = 32768,
};

/* Instants are milliseconds since 1970; 0: not yet. */
struct record {
	uint64_t number; /* from 1 on, in order of submission */
	char name[RECORD_NAME_MAX], user[RECORD_NAME_MAX];
	char path[PATH_MAX];   /* where the job file was read, for sentences */
	char folder[PATH_MAX]; /* that relative directories start from */
	char request[RECORD_NAME_MAX]; /* of the Submit; "": none */
	char run[RECORD_NAME_MAX]; /* ID of its run in a cluster; "": none */
	char namespace[RECORD_NAME_MAX]; /* of the cluster; "": not in one */
	char why[RECORD_WHY_MAX];        /* of its last change */
	unsigned priority;
	unsigned min, max;         /* ranks, as the job file says */
	unsigned each;             /* ranks of an executor, as it says, too */
	uint64_t after[AFTER_MAX]; /* numbers of jobs */
	unsigned n_after;
	msec_t length; /* expected on ranks.max */
	msec_t submitted, started, ended;
	msec_t changed;    /* its last start, rescale or parking */
	msec_t waited;     /* for its starts so far */
	unsigned told;     /* the largest grant that its coordinator may know */
	unsigned want;     /* as its coordinator said last; 0: never */
	bool finished;     /* its coordinator has said that it is done */
	uint64_t furthest; /* step that any of its runs came to */
	unsigned rescales, parks, decisions;
	struct queue_job life;
};

/* What one size would mean for a job. */
struct alternative {
	unsigned size;
	double seconds, sd; /* to its end; negative: not known */
};

/* One decision about a job, with what it was made by. */
struct decision {
	uint64_t number; /* of the job */
	msec_t at;
	char kind[12];               /* "start", "resize", "park", "wait" */
	char rule[96];               /* a sentence */
	char other[RECORD_NAME_MAX]; /* in whose favour; "": nobody's */
	char policy[32];
	unsigned want, from, to, size; /* ranks */
	int free;                      /* slots */
	unsigned queued, running;      /* jobs */
	double step, price;            /* seconds; 0: not known */
	double left;                   /* steps; 0: not known */
	struct alternative alternatives[ALTERNATIVES_MAX];
	unsigned n_alternatives;
};

/* A sealed line (journal/journal_line.h); returns its bytes. */
size_t record_format(const struct record *record, msec_t at,
		     char line[RECORD_LINE_MAX]);
size_t decision_format(const struct decision *decision,
		       char line[RECORD_LINE_MAX]);

enum record_kind { LINE_RECORD, LINE_DECISION };

struct line {
	enum record_kind kind;
	struct record record;
	struct decision decision;
};

/* The text of a line; -EINVAL: it is none of these. */
int line_parse(const char *text, size_t n, struct line *out);

#endif
