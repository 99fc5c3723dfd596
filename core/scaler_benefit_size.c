/* SPDX-License-Identifier: Apache-2.0 */
#include "core/scaler_benefit_size.h"

#include <math.h>

#define HOPE   0.1 /* of what is left, which a probe has to let hope for */
#define MARGIN 1
/* One size leaves all between no speed-up and the ideal one: that is a range,
 * and its standard deviation is less than its half. */
#define MARGIN_ONE_SIZE 0.5

struct benefit_view benefit_view(const struct benefit *benefit,
				 const struct benefit_facts *facts)
{
	struct benefit_view view = {
		.benefit = benefit,
		.facts = facts,
		.curve = cost_fit(&facts->meter->steps),
		.price = cost_of_rescale(facts->rescales,
					 step_meter_start(facts->meter),
					 facts->state_bytes),
		.until = (double)(benefit->rules.deadline - facts->now) / 1000,
	};

	view.margin =
		view.curve.law == COST_ONE_SIZE ? MARGIN_ONE_SIZE : MARGIN;
	view.left = facts->steps_left * cost_seconds(&view.curve, facts->size);
	return view;
}

static bool is_refused(const struct benefit *benefit, unsigned ranks)
{
	for (size_t i = 0; i < benefit->n_refused && i < BENEFIT_REFUSED_MAX;
	     i++)
		if (benefit->refused[i] == ranks)
			return true;
	return false;
}

static bool is_other(const struct benefit_view *view, unsigned ranks)
{
	return ranks != view->facts->size && !is_refused(view->benefit, ranks);
}

/* Whether what a change to this size saves is work, and not time. */
static bool counts_work(const struct benefit_view *view, unsigned ranks)
{
	switch (view->benefit->rules.goal) {
	case BENEFIT_SOONEST:
		return false;
	case BENEFIT_CHEAPEST:
		return true;
	case BENEFIT_DEADLINE:
		return view->left <= view->until;
	case BENEFIT_EFFICIENCY:
		return ranks < view->facts->size;
	}
	return false;
}

/* What was measured at both sizes says more than a law does. */
static struct cost_time saving(const struct benefit_view *view, unsigned to,
			       double here, double there)
{
	const struct cost_steps *steps = &view->facts->meter->steps;
	unsigned from = view->facts->size;
	const struct cost_size *a = cost_seen(steps, from),
			       *b = cost_seen(steps, to);
	struct cost_time on_a, on_b;

	if (!a || !b || b->n < BENEFIT_MEASURES)
		return cost_difference(&view->curve, from, here, to, there);
	on_a = cost_measured(steps, a);
	on_b = cost_measured(steps, b);
	return (struct cost_time){
		.seconds = here * on_a.seconds - there * on_b.seconds,
		.sd = hypot(here * on_a.sd, there * on_b.sd),
	};
}

struct benefit_change benefit_change_to(const struct benefit_view *view,
					unsigned ranks)
{
	struct benefit_change change = {
		.to = ranks,
		.price = view->price,
		.is_work = counts_work(view, ranks),
	};
	unsigned from = view->facts->size;
	double here = view->facts->steps_left, there = here, larger;

	if (change.is_work) {
		here *= from;
		there *= ranks;
		larger = ranks > from ? ranks : from;
		change.price.seconds *= larger;
		change.price.sd *= larger;
	}
	change.gain = saving(view, ranks, here, there);
	return change;
}

struct cost_time benefit_net(const struct benefit_change *change)
{
	return (struct cost_time){
		.seconds = change->gain.seconds - change->price.seconds,
		.sd = hypot(change->gain.sd, change->price.sd),
	};
}

/* ---- goals ---- */

/* The net gain that is to be expected with this part of the uncertainty taken
 * off, or added. */
static double worth(const struct benefit_change *change, double deviations)
{
	struct cost_time net = benefit_net(change);

	return net.seconds + deviations * net.sd;
}

static struct benefit_change most_worth(const struct benefit_view *view)
{
	const struct benefit_rules *rules = &view->benefit->rules;
	struct benefit_change best = {0};

	for (size_t i = 0; i < rules->n_sizes; i++) {
		struct benefit_change at;

		if (!is_other(view, rules->sizes[i]))
			continue;
		at = benefit_change_to(view, rules->sizes[i]);
		if (best.to == 0 ||
		    worth(&at, -view->margin) > worth(&best, -view->margin))
			best = at;
	}
	return best;
}

static bool is_in_time(const struct benefit_view *view, unsigned ranks)
{
	double steps = view->facts->steps_left;
	struct cost_time step = cost_of_step(&view->curve, ranks);

	return view->price.seconds + steps * step.seconds +
		       hypot(view->price.sd, steps * step.sd) <=
	       view->until;
}

static struct benefit_change in_time(const struct benefit_view *view)
{
	const struct benefit_rules *rules = &view->benefit->rules;
	bool is_late = view->left > view->until;

	for (size_t i = 0; i < rules->n_sizes; i++) {
		unsigned ranks = rules->sizes[i];

		if (!is_late && ranks >= view->facts->size)
			return (struct benefit_change){0};
		if (is_other(view, ranks) && is_in_time(view, ranks))
			return benefit_change_to(view, ranks);
	}
	return is_late ? most_worth(view) : (struct benefit_change){0};
}

/* How many standard deviations the efficiency is above the one asked for:
 * T(1) / (n T(n)) >= e is T(1) - e n T(n) >= 0. */
static double efficiency_margin(const struct benefit_view *view, unsigned ranks)
{
	struct cost_time above =
		cost_difference(&view->curve, 1, 1, ranks,
				view->benefit->rules.efficiency * ranks);

	if (above.sd > 0)
		return above.seconds / above.sd;
	return above.seconds >= 0 ? INFINITY : -INFINITY;
}

static struct benefit_change efficient(const struct benefit_view *view)
{
	const struct benefit_rules *rules = &view->benefit->rules;
	bool is_now = efficiency_margin(view, view->facts->size) >= -1;
	unsigned smallest = 0;

	for (size_t i = rules->n_sizes; i-- > 0;) {
		unsigned ranks = rules->sizes[i];

		if (is_now && ranks <= view->facts->size)
			break;
		if (!is_other(view, ranks))
			continue;
		if (efficiency_margin(view, ranks) >= 1)
			return benefit_change_to(view, ranks);
		if (!is_now && ranks < view->facts->size)
			smallest = ranks;
	}
	return smallest > 0 ? benefit_change_to(view, smallest)
			    : (struct benefit_change){0};
}

struct benefit_change benefit_target(const struct benefit_view *view)
{
	switch (view->benefit->rules.goal) {
	case BENEFIT_SOONEST:
	case BENEFIT_CHEAPEST:
		return most_worth(view);
	case BENEFIT_DEADLINE:
		return in_time(view);
	case BENEFIT_EFFICIENCY:
		return efficient(view);
	}
	return (struct benefit_change){0};
}

/* ---- probes ---- */

unsigned benefit_measures(const struct benefit_facts *facts)
{
	const struct cost_steps *steps = &facts->meter->steps;
	const struct cost_size *seen = cost_seen(steps, facts->size);
	struct cost_time mean;
	double off;

	if (!seen)
		return BENEFIT_MEASURES;
	mean = cost_measured(steps, seen);
	off = mean.sd / mean.seconds / BENEFIT_KNOWN;
	return (unsigned)fmin(
		fmax(ceil((double)seen->n * off * off), BENEFIT_MEASURES),
		BENEFIT_MEASURES_MOST);
}

double benefit_probe_steps(const struct benefit_facts *facts)
{
	return (COST_WARM_UP + benefit_measures(facts)) *
	       fmax(facts->meter->stride, 1);
}

double benefit_probe_cost(const struct benefit_view *view, unsigned ranks)
{
	double from = view->facts->size;
	double more = (ranks > from ? ranks / from : from / ranks) - 1;
	double step = cost_seconds(&view->curve, view->facts->size);

	return 2 * (view->price.seconds + view->price.sd) +
	       benefit_probe_steps(view->facts) * step * more;
}

/* A probe must be cheap, and must not make the job miss its deadline. */
static bool may_probe(const struct benefit_view *view, unsigned ranks)
{
	const struct benefit_facts *facts = view->facts;
	double cost = benefit_probe_cost(view, ranks);
	bool is_in_time = view->left <= view->until;

	if (!is_other(view, ranks) ||
	    (facts->grant > 0 && ranks > facts->grant))
		return false;
	if (view->benefit->rules.goal == BENEFIT_DEADLINE && is_in_time &&
	    view->left + cost > view->until)
		return false;
	return cost <= BENEFIT_PROBE_SHARE * view->left;
}

/* What is gained with luck.  Where one size was seen, a larger one may be
 * ideal, and a smaller one be faster by as much as it has fewer ranks. */
static double hope(const struct benefit_view *view,
		   const struct benefit_change *change)
{
	double size = view->facts->size;

	if (view->curve.law == COST_ONE_SIZE && !change->is_work &&
	    change->to < size)
		return view->left * (1 - change->to / size) -
		       change->price.seconds;
	return worth(change, 1);
}

static double least_hope(const struct benefit_view *view,
			 const struct benefit_change *change)
{
	return HOPE * view->left * (change->is_work ? view->facts->size : 1);
}

/* Larger ones first: more programs get faster with ranks than slower. */
struct benefit_change benefit_probe_target(const struct benefit_view *view)
{
	const struct benefit_rules *rules = &view->benefit->rules;
	struct benefit_change best = {0};

	for (size_t i = rules->n_sizes; i-- > 0;) {
		unsigned ranks = rules->sizes[i];
		struct benefit_change at;

		if (ranks < view->facts->size && best.to > view->facts->size &&
		    view->curve.law == COST_ONE_SIZE)
			break;
		if (!may_probe(view, ranks))
			continue;
		at = benefit_change_to(view, ranks);
		if (hope(view, &at) > least_hope(view, &at) &&
		    (best.to == 0 || hope(view, &at) > hope(view, &best)))
			best = at;
	}
	return best;
}
