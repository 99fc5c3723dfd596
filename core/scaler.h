/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCALER_H
#define CORE_SCALER_H

/*
 * Scaler: the want that a program should state, and when
 *
 * A schedule is a list of steps.  A step is reached once, by progress or by the
 * time the job has computed, and then it is due: the job should have that many
 * ranks.  Only the step that was reached last is ever due.  The want is stated
 * once and lasts, so a step is over when its number was accepted, when the job
 * declines it, or when that is its want already; a scaler that starts late, or
 * again, states nothing that is there.
 *
 *                 due                   accepted, declined
 *       QUIET -----------> ASKED ------------------------------> QUIET
 *         ^                  |
 *         +------------------+ postponed or unanswered: again after a pause
 *
 * A scaler is a value; nothing here does I/O or reads a clock.  No steps: a
 * scaler that never asks.
 */

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>

enum { SCALER_STEPS_MAX = 256 };

/* From an answer to the next question about the same step, at least. */
#define SCALER_PAUSE     MSEC(500)
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
	unsigned want;    /* ranks */
};

enum scaler_answer {
	SCALER_ACCEPTED,
	SCALER_DECLINED,   /* for good */
	SCALER_POSTPONED,  /* for the state that the job is in */
	SCALER_UNANSWERED, /* perhaps it was not even heard */
};

enum scaler_state {
	SCALER_QUIET,
	SCALER_ASKED,
};

struct scaler {
	const struct scaler_step *steps; /* borrowed */
	size_t n;
	bool reached[SCALER_STEPS_MAX];

	size_t due;       /* step; n: none */
	unsigned attempt; /* of the step that is due */
	msec_t pause;     /* end of it; 0: none */

	enum scaler_state state;
	size_t asked; /* step of the question that is to be answered */
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

/* From the answer to this attempt to the next one. */
msec_t scaler_pause(unsigned attempt);

void scaler_answered(struct scaler *scaler, enum scaler_answer answer,
		     msec_t now);

#endif
