/* SPDX-License-Identifier: Apache-2.0 */
#include "core/scaler.h"

#include <assert.h>

void scaler_init(struct scaler *scaler, const struct scaler_step *steps,
		 size_t n)
{
	assert(n <= SCALER_STEPS_MAX);
	*scaler = (struct scaler){.steps = steps, .n = n, .due = n, .asked = n};
}

static bool is_reached(const struct scaler_step *step,
		       const struct scaler_facts *facts)
{
	if (step->progress >= 0)
		return facts->progress >= step->progress;
	return facts->computing >= 0 && facts->computing >= step->after;
}

/* Whether step a counts, and not b, if both were passed between two looks; a
 * stands behind b in the list. */
static bool is_newer(const struct scaler_step *a, const struct scaler_step *b)
{
	if (a->progress >= 0 && b->progress >= 0)
		return a->progress >= b->progress;
	if (a->progress < 0 && b->progress < 0)
		return a->after >= b->after;
	return true;
}

static void mark_reached(struct scaler *scaler,
			 const struct scaler_facts *facts)
{
	size_t newest = scaler->n;

	for (size_t i = 0; i < scaler->n; i++) {
		const struct scaler_step *step = &scaler->steps[i];

		if (scaler->reached[i] || !is_reached(step, facts))
			continue;
		scaler->reached[i] = true;
		if (newest == scaler->n ||
		    is_newer(step, &scaler->steps[newest]))
			newest = i;
	}
	if (newest == scaler->n)
		return;
	scaler->due = newest;
	scaler->attempt = 0;
	scaler->pause = 0;
}

static void drop(struct scaler *scaler)
{
	scaler->due = scaler->n;
	scaler->pause = 0;
}

static msec_t sooner(msec_t a, msec_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The next instant at which something happens without news of the job. */
static msec_t next_instant(const struct scaler *scaler,
			   const struct scaler_facts *facts)
{
	msec_t next = 0;

	if (scaler->due < scaler->n && facts->now < scaler->pause)
		next = scaler->pause;
	if (facts->computing < 0)
		return next;

	for (size_t i = 0; i < scaler->n; i++)
		if (!scaler->reached[i] && scaler->steps[i].progress < 0)
			next = sooner(next, facts->now +
						    scaler->steps[i].after -
						    facts->computing);
	return next;
}

struct scaler_want scaler_decide(struct scaler *scaler,
				 const struct scaler_facts *facts)
{
	struct scaler_want want = {0};

	mark_reached(scaler, facts);

	if (scaler->state == SCALER_QUIET && scaler->due < scaler->n &&
	    facts->now >= scaler->pause) {
		const struct scaler_step *step = &scaler->steps[scaler->due];

		if (step->ranks == facts->want) {
			drop(scaler);
		} else {
			want.ranks = step->ranks;
			want.step = scaler->due;
			want.attempt = scaler->attempt;
			scaler->asked = scaler->due;
			scaler->state = SCALER_ASKED;
		}
	}
	want.again = next_instant(scaler, facts);
	return want;
}

msec_t scaler_pause(unsigned attempt)
{
	msec_t pause = SCALER_PAUSE;

	for (unsigned i = 0; i < attempt && pause < SCALER_PAUSE_MAX; i++)
		pause *= 2;
	return pause;
}

static void pause_until(struct scaler *scaler, msec_t now)
{
	scaler->pause = now + scaler_pause(scaler->attempt);
}

void scaler_answered(struct scaler *scaler, enum scaler_answer answer,
		     msec_t now)
{
	assert(scaler->state == SCALER_ASKED);

	scaler->state = SCALER_QUIET;
	if (scaler->due != scaler->asked)
		return; /* a newer step counts now */

	switch (answer) {
	case SCALER_ACCEPTED:
	case SCALER_DECLINED:
		drop(scaler);
		break;
	case SCALER_POSTPONED:
		pause_until(scaler, now);
		scaler->attempt++;
		break;
	case SCALER_UNANSWERED: /* asked again with the same identifier */
		pause_until(scaler, now);
		break;
	}
}
