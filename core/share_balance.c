/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_balance.h"

#include <string.h>

const double *share_grid_row(const struct share_grid *grid, unsigned task,
			     double workload)
{
	double at = (workload - grid->first[task]) / grid->apart[task] + 0.5;
	unsigned row = 0;

	if (at >= grid->workloads)
		row = grid->workloads - 1;
	else if (at > 0)
		row = (unsigned)at;
	return grid->seconds +
	       ((size_t)task * grid->workloads + row) * grid->levels;
}

static const double *const *scenario(const struct share_scenes *scenes,
				     unsigned step, unsigned k)
{
	return scenes->rows +
	       ((size_t)step * SHARE_SCENARIOS + k) * scenes->tasks;
}

static double seconds_at(const struct share_scenes *scenes, const double *row,
			 unsigned level)
{
	return row[level < scenes->levels ? level : scenes->levels - 1];
}

/* The slowest task, and what the next slowest takes. */
struct slowest {
	unsigned task;
	double seconds, next;
};

static struct slowest find_slowest(const struct share_scenes *scenes,
				   const double *const *rows,
				   const unsigned *levels)
{
	struct slowest slowest = {0, seconds_at(scenes, rows[0], levels[0]), 0};

	for (unsigned i = 1; i < scenes->tasks; i++) {
		double seconds = seconds_at(scenes, rows[i], levels[i]);

		if (seconds > slowest.seconds)
			slowest = (struct slowest){i, seconds, slowest.seconds};
		else if (seconds > slowest.next)
			slowest.next = seconds;
	}
	return slowest;
}

double share_scenes_seconds(const struct share_scenes *scenes, unsigned from,
			    unsigned to, const unsigned *levels)
{
	double sum = 0, weight = 1;

	for (unsigned s = from; s < to; s++, weight *= scenes->weight) {
		double step = 0;

		for (unsigned k = 0; k < scenes->n[s]; k++)
			step += find_slowest(scenes, scenario(scenes, s, k),
					     levels)
					.seconds;
		sum += weight * step / scenes->n[s];
	}
	return sum;
}

void share_spread(const struct share_rules *rules, unsigned *levels)
{
	unsigned each = rules->increments / rules->tasks;
	unsigned more = rules->increments % rules->tasks;

	for (unsigned i = 0; i < rules->tasks; i++) {
		levels[i] = each + (i < more);
		if (levels[i] > rules->level_max)
			levels[i] = rules->level_max;
	}
}

/* ---- moves ---- */

struct balancing {
	const struct share_rules *rules;
	struct share_scenes *scenes;
	unsigned from, to;
	unsigned *levels;
	unsigned size; /* increments that are moved at once */
};

/* One scenario's part in gains and losses; returns its seconds. */
static double weigh_scenario(const struct balancing *at,
			     const double *const *rows, double weight)
{
	struct share_scenes *scenes = at->scenes;
	struct slowest slowest = find_slowest(scenes, rows, at->levels);
	double then = seconds_at(scenes, rows[slowest.task],
				 at->levels[slowest.task] + at->size);

	if (then < slowest.next)
		then = slowest.next;
	scenes->gains[slowest.task] += weight * (slowest.seconds - then);
	for (unsigned i = 0; i < scenes->tasks; i++) {
		double seconds;

		if (at->levels[i] < at->size)
			continue;
		seconds = seconds_at(scenes, rows[i], at->levels[i] - at->size);
		if (seconds > slowest.seconds)
			scenes->losses[i] +=
				weight * (seconds - slowest.seconds);
	}
	return weight * slowest.seconds;
}

/* Gains and losses of all tasks; returns the seconds of the steps. */
static double weigh(const struct balancing *at)
{
	struct share_scenes *scenes = at->scenes;
	double sum = 0, weight = 1;

	memset(scenes->gains, 0, scenes->tasks * sizeof(*scenes->gains));
	memset(scenes->losses, 0, scenes->tasks * sizeof(*scenes->losses));
	for (unsigned s = at->from; s < at->to; s++, weight *= scenes->weight)
		for (unsigned k = 0; k < scenes->n[s]; k++)
			sum += weigh_scenario(at, scenario(scenes, s, k),
					      weight / scenes->n[s]);
	return sum;
}

/* The one that gains most; `tasks`: none may have more. */
static unsigned find_taker(const struct balancing *at)
{
	unsigned tasks = at->scenes->tasks, taker = tasks;
	const double *gains = at->scenes->gains;

	for (unsigned i = 0; i < tasks; i++)
		if (at->levels[i] + at->size <= at->rules->level_max &&
		    (taker == tasks || gains[i] > gains[taker]))
			taker = i;
	return taker;
}

/* The other one that loses least; `tasks`: none has enough. */
static unsigned find_giver(const struct balancing *at, unsigned taker)
{
	unsigned tasks = at->scenes->tasks, giver = tasks;
	const double *losses = at->scenes->losses;

	for (unsigned i = 0; i < tasks; i++)
		if (i != taker && at->levels[i] >= at->size &&
		    (giver == tasks || losses[i] < losses[giver]))
			giver = i;
	return giver;
}

/* The best move; false: none is of use. */
static bool find_move(const struct balancing *at, unsigned *giver,
		      unsigned *taker)
{
	const struct share_scenes *scenes = at->scenes;

	*taker = find_taker(at);
	*giver = find_giver(at, *taker);
	return *taker < scenes->tasks && *giver < scenes->tasks &&
	       scenes->gains[*taker] > scenes->losses[*giver];
}

static double move_all(const struct balancing *at, double seconds)
{
	unsigned giver, taker;

	while (find_move(at, &giver, &taker)) {
		double then;

		at->levels[giver] -= at->size;
		at->levels[taker] += at->size;
		then = weigh(at);
		if (then < seconds) {
			seconds = then;
			continue;
		}
		at->levels[giver] += at->size;
		at->levels[taker] -= at->size;
		break;
	}
	return seconds;
}

double share_balance(const struct share_rules *rules,
		     struct share_scenes *scenes, unsigned from, unsigned to,
		     unsigned *levels)
{
	struct balancing at = {rules, scenes, from, to, levels, 0};
	double seconds = 0;

	for (at.size = 8; at.size > 0; at.size /= 2)
		seconds = move_all(&at, weigh(&at));
	return seconds;
}
