/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_stay.h"

#include <math.h>
#include <string.h>

/* Seconds that are nothing. */
#define CLOSE 1e-9

enum {
	ROUNDS = 3, /* in which a box is made smaller before it is halved */
};

/* Above it nothing changes. */
static unsigned top_level(const struct share_stay *stay)
{
	unsigned last = stay->table->levels - 1;

	return stay->rules->level_max < last ? stay->rules->level_max : last;
}

static double seconds_of(const struct share_stay *stay, unsigned step,
			 unsigned task, unsigned level)
{
	return share_seconds(stay->table, stay->from + step, task, level);
}

/* ---- what is in a box ---- */

static unsigned *needed_in(const struct share_stay *stay,
			   const struct share_box *box)
{
	return stay->needed + (size_t)(box - stay->boxes) * stay->table->tasks;
}

static bool is_in(const struct share_stay *stay, const struct share_box *box,
		  unsigned task, unsigned level)
{
	for (unsigned s = 0; s < stay->to - stay->from; s++)
		if (seconds_of(stay, s, task, level) > box->most[s])
			return false;
	return true;
}

/* False: there are not that many increments. */
static bool raise_needed(const struct share_stay *stay, struct share_box *box)
{
	unsigned *needed = needed_in(stay, box), top = top_level(stay);

	box->sum = 0;
	for (unsigned i = 0; i < stay->table->tasks; i++) {
		while (needed[i] <= top && !is_in(stay, box, i, needed[i]))
			needed[i]++;
		if (needed[i] > top)
			return false;
		box->sum += needed[i];
	}
	return box->sum <= stay->rules->increments;
}

/* The levels of each task that are in the box. */
static void list_able(struct share_stay *stay, const struct share_box *box)
{
	unsigned spare = stay->rules->increments - box->sum;
	unsigned top = top_level(stay);

	for (unsigned i = 0; i < stay->table->tasks; i++) {
		unsigned *able = stay->able + (size_t)i * stay->table->levels;
		unsigned from = needed_in(stay, box)[i], n = 0;

		for (unsigned k = from; k <= top && k <= from + spare; k++)
			if (is_in(stay, box, i, k))
				able[n++] = k;
		stay->ables[i] = n;
	}
}

/* ---- the least seconds of one step of a box ---- */

/* The smallest able level that takes at most the seconds; -1: none does.
 * `next` becomes, if it was longer, the shortest of those levels before it. */
static int find_level(const struct share_stay *stay, unsigned step,
		      unsigned task, double seconds, double *next)
{
	const unsigned *able = stay->able + (size_t)task * stay->table->levels;

	for (unsigned k = 0; k < stay->ables[task]; k++) {
		double takes = seconds_of(stay, step, task, able[k]);

		if (takes <= seconds)
			return (int)able[k];
		*next = fmin(*next, takes);
	}
	return -1;
}

/* Whether the step can take so long: into stay->trial, and `takes`, what it
 * then really takes.  If not, `takes` is the next that could be possible. */
static bool can_take(struct share_stay *stay, unsigned step, double seconds,
		     double *takes)
{
	double next = INFINITY, slowest = 0;
	unsigned sum = 0;

	for (unsigned i = 0; i < stay->table->tasks; i++) {
		double shortest = INFINITY;
		int level = find_level(stay, step, i, seconds, &shortest);

		if (level < 0) {
			*takes = shortest;
			return false;
		}
		next = fmin(next, shortest);
		slowest = fmax(slowest,
			       seconds_of(stay, step, i, (unsigned)level));
		stay->trial[i] = (unsigned)level;
		sum += (unsigned)level;
	}
	*takes = sum <= stay->rules->increments ? slowest : next;
	return sum <= stay->rules->increments;
}

/* If the levels are better than the best ones. */
static bool take_levels(struct share_stay *stay, const unsigned *levels)
{
	double seconds =
		share_window_seconds(stay->table, stay->from, stay->to, levels);

	if (!(seconds < stay->seconds - CLOSE))
		return false;
	stay->seconds = seconds;
	memcpy(stay->best, levels, stay->table->tasks * sizeof(*levels));
	return true;
}

/* By bisection, at seconds that a task really takes.  True: better levels were
 * found. */
static bool raise_least(struct share_stay *stay, struct share_box *box,
			unsigned step)
{
	double low = box->least[step], high = INFINITY, takes, at = low;
	bool better = false;

	while (low < high) {
		if (can_take(stay, step, at, &takes)) {
			better |= take_levels(stay, stay->trial);
			high = takes;
		} else {
			low = fmax(low, takes);
		}
		at = high < INFINITY ? (low + high) / 2 : box->most[step];
		if (at >= high)
			at = low;
	}
	box->least[step] = fmax(box->least[step], high);
	return better;
}

/* ---- bounds ---- */

static double bound_of(const struct share_stay *stay, unsigned from,
		       unsigned to)
{
	return *share_stay_bound(stay, stay->from + from, stay->from + to);
}

/* ahead[s], behind[s]: bounds of the steps before s, and from s on. */
struct sums {
	double ahead[SHARE_STAY_MAX + 1], behind[SHARE_STAY_MAX + 1];
};

static void add_up(const struct share_stay *stay, const struct share_box *box,
		   struct sums *sums)
{
	unsigned n = stay->to - stay->from;
	double *ahead = sums->ahead, *behind = sums->behind;

	ahead[0] = behind[n] = 0;
	for (unsigned s = 1; s <= n; s++) {
		ahead[s] = ahead[s - 1] + box->least[s - 1];
		for (unsigned k = 0; k < s; k++)
			ahead[s] =
				fmax(ahead[s], ahead[k] + bound_of(stay, k, s));
	}
	for (unsigned s = n; s-- > 0;) {
		behind[s] = behind[s + 1] + box->least[s];
		for (unsigned k = s + 1; k <= n; k++)
			behind[s] = fmax(behind[s],
					 behind[k] + bound_of(stay, s, k));
	}
}

/* False: nothing in the box is better than the best levels. */
static bool bound_box(const struct share_stay *stay, struct share_box *box)
{
	unsigned n = stay->to - stay->from;
	struct sums sums;

	add_up(stay, box, &sums);
	box->bound = fmax(box->bound, sums.ahead[n]);
	if (box->bound > stay->seconds - CLOSE)
		return false;
	for (unsigned s = 0; s < n; s++)
		box->most[s] =
			fmin(box->most[s], stay->seconds - sums.ahead[s] -
						   sums.behind[s + 1]);
	return true;
}

/* Makes the box smaller; false: nothing in it is better. */
static bool shrink(struct share_stay *stay, struct share_box *box)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		double before = box->bound;
		bool better;

		if (!bound_box(stay, box) || !raise_needed(stay, box))
			return false;
		list_able(stay, box);
		better = take_levels(stay, needed_in(stay, box));
		for (unsigned s = 0; s < stay->to - stay->from; s++)
			better |= raise_least(stay, box, s);
		if (!better && round > 0 && box->bound <= before)
			break;
	}
	return bound_box(stay, box);
}

/* ---- branches ---- */

/* The step of which the least is known, and what it takes with the levels that
 * are needed. */
static unsigned widest_step(const struct share_stay *stay,
			    const struct share_box *box, double *seconds)
{
	double widest = -1;
	unsigned step = 0;

	for (unsigned s = 0; s < stay->to - stay->from; s++) {
		double takes = share_step_seconds(stay->table, stay->from + s,
						  needed_in(stay, box));

		if (takes - box->least[s] <= widest)
			continue;
		widest = takes - box->least[s];
		*seconds = takes;
		step = s;
	}
	return step;
}

/* The box becomes its longer half, and the next one its shorter half. */
static void halve(const struct share_stay *stay, struct share_box *box)
{
	double seconds = 0;
	unsigned step = widest_step(stay, box, &seconds);
	double middle = (box->least[step] + seconds) / 2;

	box[1] = *box;
	memcpy(needed_in(stay, box + 1), needed_in(stay, box),
	       stay->table->tasks * sizeof(*stay->needed));
	box[0].least[step] = middle;
	box[1].most[step] = middle;
}

static void begin(struct share_stay *stay, unsigned from, unsigned to,
		  double less)
{
	struct share_box *box = stay->boxes;

	stay->from = from;
	stay->to = to;
	stay->seconds = less;
	box->bound = *share_stay_bound(stay, from, to);
	memset(stay->needed, 0, stay->table->tasks * sizeof(*stay->needed));
	for (unsigned s = 0; s < to - from; s++) {
		box->least[s] = 0;
		box->most[s] = INFINITY;
	}
}

double share_stay_find(struct share_stay *stay, unsigned from, unsigned to,
		       double less)
{
	double bound = INFINITY; /* of boxes that were left as they were */
	unsigned waiting = 1;

	begin(stay, from, to, less);
	while (waiting > 0) {
		struct share_box *box = stay->boxes + waiting - 1;

		if (stay->boxes_left == 0) {
			bound = fmin(bound, box->bound);
			waiting--;
			continue;
		}
		stay->boxes_left--;
		if (!shrink(stay, box)) {
			waiting--;
		} else if (waiting < SHARE_STAY_DEPTH) {
			halve(stay, box);
			waiting++;
		} else {
			bound = fmin(bound, box->bound);
			waiting--;
		}
	}
	return fmin(bound, stay->seconds);
}
