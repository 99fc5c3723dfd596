/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_optimum.h"

#include "core/share_stay.h"

#include <math.h>
#include <string.h>

enum {
	/* Boxes of a stay that are looked into, those of a stay that is
	 * probably too long, and boxes times steps times tasks for all that
	 * begin at one step. */
	BOXES_MAX = 3000,
	BOXES_FEW = 60,
	EFFORT_MAX = 200000,
};

struct planning {
	const struct share_rules *rules;
	const struct share_table *table;
	struct share_stay stay;
	/* From a step on: what the best known plan takes, and what none takes
	 * less than.  Behind the last step a change would not have to be paid:
	 * -cost, with which the cost of the stay before it is 0. */
	double *upper, *lower;
	unsigned *until; /* the first stay of that plan */
	unsigned *levels;
	/* Of stays that begin at the present step, by their end: a bound, and
	 * what the levels that exchanges find take; INFINITY: not known. */
	double *least, *found;
	unsigned *trial;
	unsigned long effort;
};

/* ---- the room ---- */

struct room {
	char *at; /* NULL: only counted */
	size_t used;
};

static void *take(struct room *room, size_t n, size_t size)
{
	void *taken = room->at ? room->at + room->used : NULL;

	room->used += (n * size + 15) / 16 * 16;
	return taken;
}

static void furnish(struct planning *at, const struct share_table *table,
		    struct room *room)
{
	struct share_stay *stay = &at->stay;
	size_t steps = table->steps, tasks = table->tasks;

	stay->bounds = take(room, steps * SHARE_STAY_MAX, sizeof(double));
	stay->first = take(room, steps, sizeof(double));
	stay->second = take(room, steps, sizeof(double));
	stay->slowest = take(room, steps, sizeof(unsigned));
	stay->boxes = take(room, SHARE_STAY_DEPTH, sizeof(*stay->boxes));
	stay->needed = take(room, SHARE_STAY_DEPTH * tasks, sizeof(unsigned));
	stay->able = take(room, tasks * table->levels, sizeof(unsigned));
	stay->ables = take(room, tasks, sizeof(unsigned));
	stay->trial = take(room, tasks, sizeof(unsigned));
	stay->best = take(room, tasks, sizeof(unsigned));
	at->upper = take(room, steps + 1, sizeof(double));
	at->lower = take(room, steps + 1, sizeof(double));
	at->until = take(room, steps, sizeof(unsigned));
	at->least = take(room, steps + 1, sizeof(double));
	at->found = take(room, steps + 1, sizeof(double));
	at->trial = take(room, tasks, sizeof(unsigned));
}

size_t share_optimum_room(const struct share_table *table)
{
	struct planning at;
	struct room room = {0};

	furnish(&at, table, &room);
	return room.used;
}

/* ---- plans ---- */

/* If it is the best plan from the step on. */
static void take_stay(struct planning *at, unsigned from, unsigned to,
		      double seconds, const unsigned *levels)
{
	size_t tasks = at->table->tasks;

	seconds += at->rules->cost + at->upper[to];
	if (seconds >= at->upper[from])
		return;
	at->upper[from] = seconds;
	at->until[from] = to;
	memcpy(at->levels + from * tasks, levels, tasks * sizeof(*levels));
}

/* What a stay has to take less than, to be part of a better plan. */
static double worth(const struct planning *at, unsigned from, unsigned to)
{
	return at->upper[from] - at->rules->cost - at->upper[to];
}

/*
 * What a stay has to take, if none that is longer is to be part of a better
 * plan: a plan in which it is longer becomes, with one change more at `to`, a
 * plan whose stay ends there.  So it takes at least what the stay up to `to`
 * takes, and what the best plan from there on takes.
 */
static double enough(const struct planning *at, unsigned from, unsigned to)
{
	return at->upper[from] - at->upper[to];
}

/* The levels of each stay are those of the one before it, improved. */
static void exchange(struct planning *at, unsigned from)
{
	unsigned steps = at->table->steps;

	for (unsigned to = from + 1; to <= steps; to++)
		at->found[to] = INFINITY;
	for (unsigned to = from + 1; to <= steps; to++) {
		at->found[to] =
			share_stay_improve(&at->stay, from, to, at->trial);
		take_stay(at, from, to, at->found[to], at->trial);
		if (at->found[to] > enough(at, from, to) + at->rules->cost)
			return;
	}
}

/* ---- bounds ---- */

/* The best of its own and of the sums of those of its parts. */
static double known_bound(const struct planning *at, unsigned from, unsigned to)
{
	const struct share_stay *stay = &at->stay;
	double least = 0;

	if (to - from <= SHARE_STAY_MAX)
		least = *share_stay_bound(stay, from, to);
	for (unsigned k = to - 1; k > from && to - k <= SHARE_STAY_MAX; k--)
		least = fmax(least,
			     at->least[k] + *share_stay_bound(stay, k, to));
	return least;
}

/* Has the bound raised up to `less`, if there is time; true: and a better stay
 * was found. */
static bool solve(struct planning *at, unsigned from, unsigned to, double less,
		  unsigned boxes)
{
	struct share_stay *stay = &at->stay;
	unsigned long size = (unsigned long)(to - from) * at->table->tasks;
	unsigned long most = at->effort / size;
	double bound;

	if (to - from > SHARE_STAY_MAX || most == 0)
		return false;
	if (boxes > most)
		boxes = (unsigned)most;
	stay->boxes_left = boxes;
	*share_stay_bound(stay, from, to) = at->least[to];
	bound = share_stay_find(stay, from, to, less);
	at->effort -= (boxes - stay->boxes_left) * size;
	at->least[to] = fmax(at->least[to], bound);
	*share_stay_bound(stay, from, to) = at->least[to];
	return stay->seconds < less;
}

/* The best stay from..to-1, if it is worth it.  True: longer ones are not. */
static bool end_at(struct planning *at, unsigned from, unsigned to)
{
	double less;

	at->least[to] = known_bound(at, from, to);
	if (to - from <= SHARE_STAY_MAX)
		*share_stay_bound(&at->stay, from, to) = at->least[to];
	less = worth(at, from, to);
	if (at->least[to] < less && solve(at, from, to, less, BOXES_MAX))
		take_stay(at, from, to, at->stay.seconds, at->stay.best);
	less = enough(at, from, to);
	if (at->least[to] >= worth(at, from, to) && at->least[to] < less &&
	    at->found[to] >= less)
		solve(at, from, to, less, BOXES_FEW);
	at->lower[from] = fmin(at->lower[from],
			       at->least[to] + at->rules->cost + at->lower[to]);
	return at->least[to] >= enough(at, from, to);
}

/* One step is solved by one box. */
static void begin_at(struct planning *at, unsigned from)
{
	unsigned tasks = at->table->tasks;

	memset(&at->stay.bounds[(size_t)from * SHARE_STAY_MAX], 0,
	       SHARE_STAY_MAX * sizeof(double));
	at->effort = EFFORT_MAX;
	at->upper[from] = at->lower[from] = INFINITY;
	at->least[from + 1] = 0;
	solve(at, from, from + 1, INFINITY, BOXES_MAX);
	memcpy(at->trial, at->stay.best, tasks * sizeof(*at->trial));
}

static void plan_from(struct planning *at, unsigned from)
{
	unsigned steps = at->table->steps;

	begin_at(at, from);
	exchange(at, from);
	for (unsigned to = from + 1; to <= steps; to++) {
		if (!end_at(at, from, to))
			continue;
		/* those that are longer */
		at->lower[from] =
			fmin(at->lower[from], at->least[to] + at->lower[to]);
		return;
	}
}

/* Copies the levels of a stay to all of its steps. */
static void write_plan(struct planning *at, struct share_optimum *optimum)
{
	size_t tasks = at->table->tasks;

	*optimum = (struct share_optimum){0};
	for (unsigned from = 0; from < at->table->steps;) {
		unsigned to = at->until[from];
		const unsigned *levels = at->levels + from * tasks;

		optimum->seconds +=
			share_window_seconds(at->table, from, to, levels);
		if (from > 0) {
			optimum->changes++;
			optimum->seconds += at->rules->cost;
		}
		for (unsigned s = from + 1; s < to; s++)
			memcpy(at->levels + s * tasks, levels,
			       tasks * sizeof(*levels));
		from = to;
	}
	optimum->bound = fmin(at->lower[0], optimum->seconds);
}

void share_optimum_find(struct share_optimum *optimum,
			const struct share_rules *rules,
			const struct share_table *table,
			const struct share_progress *progress, void *room,
			unsigned *levels)
{
	struct planning at = {
		.rules = rules,
		.table = table,
		.stay = {.rules = rules, .table = table},
		.levels = levels,
	};

	furnish(&at, table, &(struct room){.at = room});
	at.upper[table->steps] = at.lower[table->steps] = -rules->cost;
	for (unsigned from = table->steps; from-- > 0;) {
		if (progress)
			progress->tell(progress->arg, from + 1);
		plan_from(&at, from);
	}
	write_plan(&at, optimum);
}
