/* SPDX-License-Identifier: Apache-2.0 */
#include "core/scaler_benefit.h"

#include "core/scaler_benefit_size.h"

#include <assert.h>
#include <math.h>

#define UNDO_MARGIN 2   /* standard deviations, for the way back */
#define SLOWER      1.1 /* times what was predicted */

void benefit_init(struct benefit *benefit, const struct benefit_rules *rules)
{
	*benefit = (struct benefit){.rules = *rules};
}

void benefit_refuse(struct benefit *benefit, unsigned ranks)
{
	for (size_t i = 0; i < benefit->n_refused && i < BENEFIT_REFUSED_MAX;
	     i++)
		if (benefit->refused[i] == ranks)
			return;
	benefit->refused[benefit->n_refused++ % BENEFIT_REFUSED_MAX] = ranks;
}

/* ---- what became of the last change ---- */

static double step_on(const struct benefit_facts *facts, unsigned ranks)
{
	const struct cost_size *seen = cost_seen(&facts->meter->steps, ranks);

	return seen ? seen->mean : NAN;
}

/* Measurements of another curve say nothing of what was decided by them. */
static void note_change(struct benefit *benefit,
			const struct benefit_facts *facts)
{
	if (facts->meter->change.number == benefit->changes)
		return;
	benefit->changes = facts->meter->change.number;
	benefit->probes = 0;
	benefit->is_probing = false;
	benefit->last = (struct benefit_move){0};
}

static void end_probe(struct benefit *benefit, const struct benefit_view *view)
{
	const struct benefit_facts *facts = view->facts;
	const struct benefit_move *last = &benefit->last;
	struct benefit_probe *probe = &benefit->probe;

	if (!benefit->is_probing || last->to != facts->size)
		return;
	benefit->is_probing = false;
	probe->number++;
	probe->ranks = last->to;
	probe->before = step_on(facts, last->from);
	probe->step = step_on(facts, last->to);
	probe->seconds =
		view->price.seconds +
		benefit_probe_steps(facts) * (probe->step - probe->before);
}

/* ---- choosing ---- */

static bool undoes(const struct benefit *benefit,
		   const struct benefit_facts *facts, unsigned ranks)
{
	return benefit->last.to == facts->size && benefit->last.from == ranks &&
	       !benefit->last.is_probe;
}

static bool is_worth(const struct benefit_view *view,
		     const struct benefit_change *change)
{
	struct cost_time net = benefit_net(change);

	if (change->to == 0)
		return false;
	if (undoes(view->benefit, view->facts, change->to))
		return net.seconds > UNDO_MARGIN * net.sd &&
		       net.seconds > change->price.seconds;
	return net.seconds > view->margin * net.sd;
}

static struct benefit_choice choice_of(const struct benefit_view *view,
				       const struct benefit_change *change,
				       enum benefit_reason reason)
{
	return (struct benefit_choice){
		.reason = reason,
		.from = view->facts->size,
		.to = change->to,
		.left = view->left,
		.gain = change->gain,
		.price = change->price,
		.is_work = change->is_work,
	};
}

/* The size that it has was chosen by a prediction, and is slower. */
static void blame_prediction(const struct benefit_view *view,
			     struct benefit_choice *choice)
{
	const struct benefit_move *last = &view->benefit->last;
	double step = step_on(view->facts, view->facts->size);

	if (last->to != view->facts->size || last->is_probe ||
	    !(step > SLOWER * last->predicted))
		return;
	choice->reason = BENEFIT_SLOWER;
	choice->predicted = last->predicted;
	choice->step = step;
	choice->goes_back = choice->to == last->from;
}

static struct benefit_choice move(const struct benefit_view *view,
				  const struct benefit_change *target)
{
	struct benefit_choice choice = choice_of(view, target, BENEFIT_GAINS);

	if (target->to == view->facts->want) {
		choice.reason = BENEFIT_WAITS;
		return choice;
	}
	choice.ranks = target->to;
	blame_prediction(view, &choice);
	return choice;
}

/* Nothing is worth it; but a want that was stated before may still be open. */
static struct benefit_choice stay(const struct benefit_view *view,
				  const struct benefit_change *target)
{
	const struct benefit_facts *facts = view->facts;
	struct benefit_change open;
	struct benefit_choice choice;

	if (facts->want != facts->size) {
		open = benefit_change_to(view, facts->want);
		choice = choice_of(view, &open, BENEFIT_WAITS);
		if (benefit_net(&open).seconds < 0) {
			choice.reason = BENEFIT_NO_MORE;
			choice.ranks = facts->size;
		}
		return choice;
	}
	if (target->to == 0 || target->gain.seconds <= 0)
		return choice_of(view, target, BENEFIT_BEST);
	return choice_of(view, target, BENEFIT_NOT_WORTH);
}

static struct benefit_choice choose(const struct benefit_view *view)
{
	const struct benefit *benefit = view->benefit;
	struct benefit_change target = benefit_target(view), probe = {0};
	bool worth = is_worth(view, &target);
	struct benefit_choice choice;

	if (benefit->rules.probes && benefit->probes < BENEFIT_PROBES_MAX &&
	    view->facts->want == view->facts->size &&
	    (!worth || view->curve.law == COST_ONE_SIZE))
		probe = benefit_probe_target(view);
	if (probe.to == 0)
		return worth ? move(view, &target) : stay(view, &target);
	choice = choice_of(view, &probe, BENEFIT_PROBES);
	choice.ranks = probe.to;
	choice.most = benefit_probe_cost(view, probe.to);
	return choice;
}

struct benefit_choice benefit_decide(struct benefit *benefit,
				     const struct benefit_facts *facts)
{
	struct benefit_choice choice = {.from = facts->size};
	struct benefit_view view;

	note_change(benefit, facts);
	choice.reason = BENEFIT_WAITS;
	if (benefit->state == SCALER_ASKED)
		return choice;
	if (facts->now < benefit->pause) {
		choice.again = benefit->pause;
		return choice;
	}
	choice.reason = BENEFIT_UNKNOWN;
	if (facts->steps_left < 0)
		return choice;
	choice.reason = BENEFIT_MEASURING;
	if (facts->size == 0 || facts->meter->fresh < benefit_measures(facts))
		return choice;
	view = benefit_view(benefit, facts);
	end_probe(benefit, &view);
	choice = choose(&view);
	if (choice.ranks > 0) {
		benefit->state = SCALER_ASKED;
		benefit->asked = (struct benefit_move){
			.from = choice.from,
			.to = choice.ranks,
			.predicted = cost_seconds(&view.curve, choice.ranks),
			.is_probe = choice.reason == BENEFIT_PROBES,
		};
	}
	return choice;
}

void benefit_answered(struct benefit *benefit, enum scaler_answer answer,
		      msec_t now)
{
	const struct benefit_move *asked = &benefit->asked;

	assert(benefit->state == SCALER_ASKED);

	benefit->state = SCALER_QUIET;
	benefit->pause = now + scaler_pause(benefit->attempt++);
	if (answer == SCALER_DECLINED && asked->to != asked->from)
		benefit_refuse(benefit, asked->to);
	if (answer != SCALER_ACCEPTED)
		return;
	benefit->attempt = 0;
	if (asked->to == asked->from)
		return;
	benefit->last = *asked;
	benefit->is_probing = asked->is_probe;
	benefit->probes += asked->is_probe;
}
