/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_HISTORY_H
#define COORDINATOR_JOURNAL_HISTORY_H

/*
 * What happened so far: spans of time at one size, each rescale with its
 * phases, what else is to be noticed, and how far the application is
 *
 * Instants are milliseconds since the job began.
 */

#include "core/job.h"
#include "proto/bellows.pb-c.h"

#include <stddef.h>

#define NOTICE_AGAIN SECONDS(10) /* until the same is noticed again */

enum {
	/* All of them are in each update that a watching client gets, up to
	 * ten a second. */
	RESCALES_MAX = 256,
	SPANS_MAX = 1024,
	NOTICES_MAX = 16,
	REASON_MAX = 320,
};

struct rescale {
	unsigned epoch, from, to;
	char reason[REASON_MAX], result[REASON_MAX];
	msec_t asked, executors, prepared, ordered, saved, stopped, up, resumed,
		stepped, last_step;
	uint64_t checkpoint; /* its step; 0: not known */
	uint64_t repeated;   /* steps */
	bool recovery, due;
	bool failed;    /* its ranks did not work: result says why, and the
			 * job goes back to the size that it had */
	bool goes_back; /* that is under way, and the rescale not over */
};

struct notice {
	uint64_t number; /* 1: the first of the job */
	msec_t at;
	Bellows__V1__NoticeKind kind;
	char text[REASON_MAX];
};

/* What a rescale passes through, to the first step of its ranks. */
enum rescale_phase {
	PHASE_EXECUTORS, /* they come; ranks compute */
	PHASE_PREPARE,   /* the next start is wired up; ranks compute */
	PHASE_SAVE,
	PHASE_STOP,
	PHASE_START,
	PHASE_STEP,
	PHASES,
};

/* Counts over the whole life of the job, for Prometheus. */
struct tally {
	unsigned grown, shrunk, recovered, checkpoints;
	unsigned dropped; /* or failed */
	unsigned declined, lost, drained;
	msec_t phases[PHASES]; /* of those that were not dropped */
	msec_t paused;         /* from the order to save to the first step */
	uint64_t repeated;     /* steps */
};

struct span {
	msec_t from, to;
	unsigned ranks;
};

struct history {
	msec_t began;
	struct rescale rescales[RESCALES_MAX]; /* the oldest are forgotten */
	size_t n_rescales;
	unsigned rescales_done; /* without checkpoints that were due */
	struct span spans[SPANS_MAX];
	size_t n_spans;
	struct notice notices[NOTICES_MAX]; /* the newest */
	size_t n_notices;
	struct tally tally;

	uint64_t step, total;
	msec_t last_step;
	/* of the running start, to tell the rate */
	uint64_t first_step;
	msec_t first_step_at;
};

void history_init(struct history *history, msec_t now);

/* A history whose instants count from 0 goes on, of a job that began then. */
void history_shift(struct history *history, msec_t began);

/* After job_step(): before is the job as it was.  reason: for a new rescale or
 * the end of one; borrowed. */
void history_on_step(struct history *history, const struct job *before,
		     const struct job *job, const struct job_event *event,
		     const char *reason);

/* False: the same was noticed a moment ago. */
bool history_notice(struct history *history, Bellows__V1__NoticeKind kind,
		    const char *text, msec_t now);

/* A line of progress; total 0: as it was; first: of its start. */
void history_on_progress(struct history *history, uint64_t step, uint64_t total,
			 bool first, msec_t now);

/* How far the application is to go. */
void history_on_total(struct history *history, uint64_t total);

/* Why the last rescale was dropped or failed; "": it was not. */
const char *history_dropped(const struct history *history);

/* The step of the checkpoint that the current rescale goes on from, and the
 * steps from there to the last one seen.  False: there is no rescale, or that
 * is known. */
bool history_on_checkpoint(struct history *history, uint64_t step);
bool history_on_repeated(struct history *history, uint64_t steps);

/* Milliseconds that the last checkpoint cost which was gone on from: from the
 * order to save to the first step; 0: there was none. */
msec_t history_checkpoint_cost(const struct history *history);

/* Milliseconds of a step of this start; 0: not known. */
double history_step_time(const struct history *history);

/* 0 to 1; negative: not known. */
double history_progress(const struct history *history);

/* Fills spans, rescales and notices of a message: arrays and entries are made
 * with malloc() and freed by history_unfill(). */
int history_fill(const struct history *history, Bellows__V1__Job *out);
void history_unfill(Bellows__V1__Job *out);

#endif
