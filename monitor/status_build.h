/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_STATUS_BUILD_H
#define MONITOR_STATUS_BUILD_H

/*
 * What a user of the cluster is to know about a job: what happened, as Events,
 * and how it stands, as conditions
 *
 * Values in, values out.  A message of the job says how it is, not what
 * changed, and may be repeated, or be the first one after many were missed.  So
 * what was told already is kept: each rescale by the instant at which it was
 * asked for, with those of its phases that were told, and notices by their
 * number.
 *
 * The first message is where it begins: what it shows was told by the monitor
 * before, except the end of the job.  Of rescales that came and went between
 * two messages the newest few are told.
 */

#include "proto/bellows.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	STATUS_RESCALES = 4,
	/* of one message: five a rescale, 16 notices, four of the job */
	STATUS_MAX = 5 * STATUS_RESCALES + 16 + 4,
	STATUS_NOTE_MAX = 512,
	STATUS_CONDITIONS = 4,
};

struct status_event {
	bool warning;
	const char *reason, *action; /* "ScaleRequested", "Scale"; static */
	char note[STATUS_NOTE_MAX];
};

/* Zeroed: nothing was told. */
struct status_told {
	bool any; /* a message came */
	bool started, over;
	uint64_t age;
	uint64_t incarnation; /* of the coordinator */
	uint64_t notice;      /* number of the newest */
	char trouble[STATUS_NOTE_MAX];
	struct {
		uint64_t asked;
		unsigned phases;     /* set of those told */
	} rescales[STATUS_RESCALES]; /* newest first */
};

/* What is new in a message, in the order in which it happened; returns how
 * many.  Of more notices than a message holds the newest are told. */
size_t status_build_events(struct status_told *told,
			   const Bellows__V1__Job *job,
			   struct status_event out[STATUS_MAX]);

struct condition {
	const char *type;   /* "bellows.io/Running" */
	bool holds;         /* status "True" */
	const char *reason; /* "Growing" */
	char message[STATUS_NOTE_MAX];
};

/* Progress is not in them, so they change with states alone. */
void status_build_conditions(const Bellows__V1__Job *job,
			     struct condition out[STATUS_CONDITIONS]);

#endif
