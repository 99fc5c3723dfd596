/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCALER_H
#define CORE_SCALER_H

/*
 * Scaler: the size a job should ask for, and when
 *
 * A schedule is a list of steps.  A step is reached once, by progress or by the
 * time the job has computed, and then it is due: the job should have that many
 * ranks.  Only the step that was reached last is ever due; it waits until the
 * job is steady, and is dropped if the job has that size already, so a scaler
 * that starts late, or again, asks for nothing that is there.
 *
 *                    due, steady                 accepted
 *       QUIET ------------------------> ASKED ------------------> QUIET
 *         ^                               |  \
 *         |              job seen to move |   \ declined
 *         |                               v    v
 *         |      declined               BUSY  REFUSED
 *         +-------------------------------+    | job seen to move: ask again
 *                                              | steady all the time: dropped
 *
 * Whether it was the job's state that led to a refusal shows in the facts: a
 * job that was seen to move between question and pause was asked too late.
 *
 * A scaler is a value; nothing here does I/O or reads a clock.  No steps: a
 * scaler that never asks.
 */

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>

enum { SCALER_STEPS_MAX = 256 };

/* From an answer to the next question about the same step, at least. */
#define SCALER_PAUSE     ((msec_t)500)
#define SCALER_PAUSE_MAX SECONDS(8)

struct scaler_step {
	double progress; /* 0 to 1; negative: by time */
	msec_t after;    /* since the job began to compute */
	unsigned ranks;
};

struct scaler_facts {
	msec_t now;       /* any origin, above 0 */
	msec_t computing; /* since the first rank ran; negative: none did */
	double progress;  /* negative: not known */
	unsigned size;    /* ranks */
	bool steady;      /* it runs, and no rescale is under way */
};

enum scaler_answer {
	SCALER_ACCEPTED,
	SCALER_DECLINED,
	SCALER_POSTPONED,  /* declined for the state the job is in */
	SCALER_UNANSWERED, /* perhaps it was not even heard */
};

enum scaler_state {
	SCALER_QUIET,
	SCALER_ASKED,
	SCALER_BUSY, /* asked, and the job was seen to move since */
	SCALER_REFUSED,
};

struct scaler {
	const struct scaler_step *steps; /* borrowed */
	size_t n;
	bool reached[SCALER_STEPS_MAX];

	size_t due;       /* step; n: none */
	unsigned attempt; /* of the step that is due */
	msec_t pause;     /* end of it; 0: none */

	enum scaler_state state;
	size_t asked; /* step of the question that state speaks of */
};

struct scaler_want {
	unsigned ranks; /* ask for this many now; 0: ask nothing */
	size_t step;    /* because this step was reached */
	unsigned attempt;
	msec_t again; /* instant to decide at without news; 0: none */
};

/* n is at most SCALER_STEPS_MAX. */
void scaler_init(struct scaler *scaler, const struct scaler_step *steps,
		 size_t n);

/* Every want with ranks is to be asked and answered before the next one can
 * come. */
struct scaler_want scaler_decide(struct scaler *scaler,
				 const struct scaler_facts *facts);

void scaler_answered(struct scaler *scaler, enum scaler_answer answer,
		     msec_t now);

#endif
