/* SPDX-License-Identifier: Apache-2.0 */
#include "core/scaler_threshold.h"

#include "base/list.h"
#include "base/machine.h"
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

void threshold_init(struct threshold *threshold,
		    const struct threshold_rules *rules)
{
	*threshold = (struct threshold){.rules = *rules};
}

/* ---- how long the figure is on one side ---- */

enum event { NONE, WITHIN, ABOVE, BELOW, ANSWERED };

static const struct machine_row rows[] = {
	{THRESHOLD_QUIET, ABOVE, THRESHOLD_RISEN},
	{THRESHOLD_QUIET, BELOW, THRESHOLD_FALLEN},
	{THRESHOLD_RISEN, NONE, THRESHOLD_QUIET},
	{THRESHOLD_RISEN, WITHIN, THRESHOLD_QUIET},
	{THRESHOLD_RISEN, BELOW, THRESHOLD_FALLEN},
	{THRESHOLD_RISEN, ANSWERED, THRESHOLD_QUIET},
	{THRESHOLD_FALLEN, NONE, THRESHOLD_QUIET},
	{THRESHOLD_FALLEN, WITHIN, THRESHOLD_QUIET},
	{THRESHOLD_FALLEN, ABOVE, THRESHOLD_RISEN},
	{THRESHOLD_FALLEN, ANSWERED, THRESHOLD_QUIET},
};

static void step(struct threshold *threshold, enum event event, msec_t now)
{
	unsigned side = threshold->side;

	if (!machine_step(rows, LENGTH(rows), &side, event))
		return;
	threshold->side = (enum threshold_state)side;
	threshold->since = now;
	threshold->attempt = 0;
	threshold->pause = 0;
}

static enum event event_of(const struct threshold *threshold,
			   const struct threshold_facts *facts)
{
	const struct threshold_rules *rules = &threshold->rules;

	if (facts->size == 0 || facts->looked == 0 ||
	    facts->looked < threshold->after ||
	    facts->now - facts->looked > rules->late || isnan(facts->value))
		return NONE;
	return facts->value > rules->above   ? ABOVE
	       : facts->value < rules->below ? BELOW
					     : WITHIN;
}

static void look(struct threshold *threshold,
		 const struct threshold_facts *facts)
{
	if (facts->size != threshold->size)
		threshold->after = facts->now;
	/* what came between the two looks is not known */
	if (facts->looked - threshold->looked > threshold->rules.late)
		step(threshold, NONE, facts->now);
	threshold->size = facts->size;
	threshold->looked = facts->looked;
	step(threshold, event_of(threshold, facts), facts->looked);
}

/* ---- choosing ---- */

/* The size that is at least a step away, or else the one that is farthest; 0 if
 * there is none on that side. */
static unsigned next_size(const struct threshold_rules *rules, unsigned from,
			  bool up)
{
	unsigned best = 0;

	for (size_t i = 0; i < rules->n_sizes; i++) {
		unsigned size = rules->sizes[up ? i : rules->n_sizes - 1 - i];

		if (up ? size <= from : size >= from)
			continue;
		best = size;
		if ((up ? size - from : from - size) >= rules->step)
			break;
	}
	return best;
}

static struct threshold_choice choose(const struct threshold *threshold,
				      const struct threshold_facts *facts)
{
	const struct threshold_rules *rules = &threshold->rules;
	bool rises = threshold->side == THRESHOLD_RISEN;
	unsigned to = next_size(rules, facts->size, rises);
	struct threshold_choice choice = {
		.from = facts->size,
		.want = facts->want,
		.rises = rises,
		.value = facts->value,
		.bound = rises ? rules->above : rules->below,
		.lasted = facts->looked - threshold->since,
	};

	choice.reason = THRESHOLD_END;
	if (to == 0)
		return choice;
	choice.reason = THRESHOLD_WANTED;
	if (rises ? facts->want >= to : facts->want <= to)
		return choice;
	choice.reason = THRESHOLD_ASKS;
	choice.ranks = to;
	return choice;
}

struct threshold_choice threshold_decide(struct threshold *threshold,
					 const struct threshold_facts *facts)
{
	struct threshold_choice choice = {.reason = THRESHOLD_WAITS};

	look(threshold, facts);
	if (threshold->state == SCALER_ASKED)
		return choice;
	choice.reason = THRESHOLD_STAYS;
	if (threshold->side == THRESHOLD_QUIET ||
	    facts->looked - threshold->since < threshold->rules.lasts)
		return choice;
	choice.reason = THRESHOLD_WAITS;
	choice.again = threshold->pause;
	if (facts->now < threshold->pause)
		return choice;
	choice = choose(threshold, facts);
	if (choice.ranks > 0)
		threshold->state = SCALER_ASKED;
	return choice;
}

void threshold_answered(struct threshold *threshold, enum scaler_answer answer,
			msec_t now)
{
	assert(threshold->state == SCALER_ASKED);

	threshold->state = SCALER_QUIET;
	switch (answer) {
	case SCALER_ACCEPTED:
	case SCALER_DECLINED:
		threshold->after = now;
		step(threshold, ANSWERED, now);
		break;
	case SCALER_POSTPONED:
	case SCALER_UNANSWERED:
		threshold->pause = now + scaler_pause(threshold->attempt++);
		break;
	}
}

void threshold_refuse(struct threshold *threshold, unsigned ranks)
{
	struct threshold_rules *rules = &threshold->rules;
	size_t kept = 0;

	for (size_t i = 0; i < rules->n_sizes; i++)
		if (rules->sizes[i] != ranks)
			rules->sizes[kept++] = rules->sizes[i];
	rules->n_sizes = kept;
}

/* ---- what is told ---- */

void threshold_say(const struct threshold_choice *choice, char *text, size_t n)
{
	bool lasted = choice->lasted > 0;
	char figure[160];

	snprintf(figure, sizeof(figure), "the query is %.6g, %s %.6g%s%s",
		 choice->value, choice->rises ? "above" : "below",
		 choice->bound, lasted ? " for " : "",
		 lasted ? text_duration(choice->lasted).s : "");
	switch (choice->reason) {
	case THRESHOLD_STAYS:
	case THRESHOLD_WAITS:
		snprintf(text, n, "nothing is to be changed now");
		return;
	case THRESHOLD_END:
		snprintf(text, n, "%s, and %u rank%s are the %s", figure,
			 choice->from, text_plural(choice->from),
			 choice->rises ? "most" : "fewest");
		return;
	case THRESHOLD_WANTED:
		snprintf(text, n, "%s, and %u rank%s are wanted already",
			 figure, choice->want, text_plural(choice->want));
		return;
	case THRESHOLD_ASKS:
		snprintf(text, n, "%u -> %u: %s", choice->from, choice->ranks,
			 figure);
		return;
	}
}
