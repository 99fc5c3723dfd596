/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/explain.h"

#include "base/log.h"
#include "base/text.h"
#include "scheduler/clock.h"

#include <math.h>

/* ---- what other sizes would mean ---- */

/* By what was measured, or by what the user expects. */
static struct alternative at_size(const struct queued *queued, unsigned ranks)
{
	const struct sched_pace *pace = &queued->sched.pace;
	const struct record *record = &queued->record;
	struct alternative one = {.size = ranks, .seconds = -1, .sd = -1};
	struct cost_time step;

	if (pace->curve && pace->curve->law != COST_UNKNOWN) {
		step = cost_of_step(pace->curve, ranks);
		one.seconds = step.seconds * pace->left;
		if (isfinite(step.sd))
			one.sd = step.sd * pace->left;
		if (ranks != queued->view.size)
			one.seconds += pace->price.seconds;
	} else if (!record->life.began && record->max > 0) {
		one.seconds =
			(double)record->length / 1000 * record->max / ranks;
	}
	if (!isfinite(one.seconds))
		one.seconds = -1;
	return one;
}

static void add_alternative(struct decision *decision,
			    const struct queued *queued, unsigned ranks)
{
	if (ranks == 0 || decision->n_alternatives == ALTERNATIVES_MAX)
		return;
	for (unsigned i = 0; i < decision->n_alternatives; i++)
		if (decision->alternatives[i].size == ranks)
			return;
	decision->alternatives[decision->n_alternatives++] =
		at_size(queued, ranks);
}

/* ---- one decision ---- */

static struct decision describe(const struct queued *queued, const char *kind,
				const char *rule, unsigned to)
{
	const struct sched_job *sched = &queued->sched;
	const struct sched_pace *pace = &sched->pace;
	struct decision decision = {
		.number = queued->record.number,
		.at = clock_wall(),
		.want = queued_want(queued),
		.from = queued->record.life.grant,
		.to = to,
		.size = queued->view.size,
		.step = pace->seconds,
		.price = pace->price.seconds,
		.left = pace->left,
	};

	snprintf(decision.kind, sizeof(decision.kind), "%s", kind);
	snprintf(decision.rule, sizeof(decision.rule), "%s", rule);
	snprintf(decision.policy, sizeof(decision.policy), "%s",
		 queued->scheduler->policy->name);
	add_alternative(&decision, queued, to);
	add_alternative(&decision, queued, decision.from);
	add_alternative(&decision, queued, sched->min);
	add_alternative(&decision, queued, sched->max);
	add_alternative(&decision, queued,
			sched_size_at_most(sched, 2 * sched->min));
	return decision;
}

static void keep(struct queued *queued, const struct decision *decision)
{
	struct scheduler *scheduler = queued->scheduler;

	queued->record.decisions++;
	decisions_add(&scheduler->decisions, decision);
	book_decision(&scheduler->book, decision);
	log_info("job=%s decision=%s grant=%u->%u free=%d reason=\"%s\"",
		 queued->record.name, decision->kind, decision->from,
		 decision->to, decision->free, decision->rule);
}

static void add_view(struct decision *decision, const struct sched_view *view)
{
	decision->queued = (unsigned)view->n_queue;
	decision->running = (unsigned)view->n_running;
}

static const char *kind_name(enum sched_kind kind)
{
	switch (kind) {
	case SCHED_START:
		return "start";
	case SCHED_RESIZE:
		return "resize";
	case SCHED_PARK:
		return "park";
	case SCHED_WAIT:
	case SCHED_ASK:
		break;
	}
	return "wait";
}

void explain_action(struct queued *queued, const struct sched_view *view,
		    const struct sched_action *action)
{
	struct decision decision =
		describe(queued, kind_name(action->kind),
			 sched_rule_text(action->reason.rule),
			 action->kind == SCHED_PARK ? 0 : action->size);
	const struct sched_job *other = action->reason.other;

	add_view(&decision, view);
	decision.free = action->reason.free;
	if (other)
		snprintf(decision.other, sizeof(decision.other), "%s",
			 CONTAINER(other, struct queued, sched)->record.name);
	keep(queued, &decision);
}

void explain_wait(struct queued *queued, const struct sched_view *view)
{
	char rule[96];
	struct decision decision;

	snprintf(rule, sizeof(rule), "it needs at least %u slot%s of its own",
		 queued->sched.min, text_plural(queued->sched.min));
	decision = describe(queued, "wait", rule, 0);
	add_view(&decision, view);
	decision.free = view->free;
	keep(queued, &decision);
}

void explain_by_hand(struct queued *queued, unsigned to, const char *rule)
{
	struct decision decision =
		describe(queued, to ? "resize" : "park", rule, to);

	keep(queued, &decision);
}
