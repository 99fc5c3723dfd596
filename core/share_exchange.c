/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_stay.h"

#include <math.h>

/* Seconds that are nothing. */
#define CLOSE 1e-9

enum {
	MOVED_MAX = 3, /* increments at once; the next one may slow a task */
};

struct exchange {
	unsigned taker, giver, n;
	double gain;
};

static void survey_step(struct share_stay *stay, unsigned step,
			const unsigned *levels)
{
	double first = -INFINITY, second = -INFINITY;

	for (unsigned i = 0; i < stay->table->tasks; i++) {
		double seconds = share_seconds(stay->table, step, i, levels[i]);

		if (seconds > first) {
			second = first;
			first = seconds;
			stay->slowest[step] = i;
		} else if (seconds > second) {
			second = seconds;
		}
	}
	stay->first[step] = first;
	stay->second[step] = second;
}

/* At least so many seconds the exchange spares; a giver that is the taker
 * stands for increments that no task has. */
static double gain_of(const struct share_stay *stay, const unsigned *levels,
		      const struct exchange *exchange)
{
	unsigned taker = exchange->taker, giver = exchange->giver;
	double gain = 0;

	for (unsigned s = stay->from; s < stay->to; s++) {
		double then = stay->slowest[s] == taker ? stay->second[s]
							: stay->first[s];

		then = fmax(then, share_seconds(stay->table, s, taker,
						levels[taker] + exchange->n));
		if (giver != taker)
			then = fmax(then,
				    share_seconds(stay->table, s, giver,
						  levels[giver] - exchange->n));
		gain += stay->first[s] - then;
	}
	return gain;
}

/* The best one that gives to the task. */
static void look_for(const struct share_stay *stay, const unsigned *levels,
		     unsigned spare, unsigned taker, struct exchange *best)
{
	struct exchange exchange = {.taker = taker};

	for (unsigned i = 0; i < stay->table->tasks; i++) {
		unsigned most = i == taker ? spare : levels[i];

		exchange.giver = i;
		for (unsigned n = 1; n <= MOVED_MAX && n <= most; n++) {
			if (levels[taker] + n > stay->rules->level_max)
				break;
			exchange.n = n;
			exchange.gain = gain_of(stay, levels, &exchange);
			if (exchange.gain > best->gain)
				*best = exchange;
		}
	}
}

static bool is_slowest_before(const struct share_stay *stay, unsigned step)
{
	for (unsigned s = stay->from; s < step; s++)
		if (stay->slowest[s] == stay->slowest[step])
			return true;
	return false;
}

static unsigned count_spare(const struct share_stay *stay,
			    const unsigned *levels)
{
	unsigned spare = stay->rules->increments;

	for (unsigned i = 0; i < stay->table->tasks; i++)
		spare -= levels[i];
	return spare;
}

double share_stay_improve(struct share_stay *stay, unsigned from, unsigned to,
			  unsigned *levels)
{
	struct exchange best;

	stay->from = from;
	stay->to = to;
	do {
		unsigned spare = count_spare(stay, levels);

		best = (struct exchange){.gain = CLOSE};
		for (unsigned s = from; s < to; s++)
			survey_step(stay, s, levels);
		for (unsigned s = from; s < to; s++)
			if (!is_slowest_before(stay, s))
				look_for(stay, levels, spare, stay->slowest[s],
					 &best);
		if (best.n > 0) {
			levels[best.taker] += best.n;
			if (best.giver != best.taker)
				levels[best.giver] -= best.n;
		}
	} while (best.n > 0);
	return share_window_seconds(stay->table, from, to, levels);
}
