/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share.h"

#include <math.h>
#include <string.h>

/* Of the paper's section IV-C. */
#define DISCOUNT 0.95

double share_step_seconds(const struct share_table *table, unsigned step,
			  const unsigned *levels)
{
	double slowest = share_seconds(table, step, 0, levels[0]);

	for (unsigned i = 1; i < table->tasks; i++) {
		double seconds = share_seconds(table, step, i, levels[i]);

		if (seconds > slowest)
			slowest = seconds;
	}
	return slowest;
}

double share_window_seconds(const struct share_table *table, unsigned from,
			    unsigned to, const unsigned *levels)
{
	double sum = 0;

	for (unsigned s = from; s < to; s++)
		sum += share_step_seconds(table, s, levels);
	return sum;
}

/* ---- Algorithm 1 ---- */

/* One of the steps. */
struct slowest {
	unsigned task;  /* the slowest one */
	double weight;  /* of the step */
	double seconds; /* that one increment more spares it, weighted */
};

struct configuring {
	const struct share_table *table;
	unsigned from, steps;
	struct share_work *work;
	unsigned *levels;
	struct slowest slowest[SHARE_LOOK_MAX];
};

/* The slower one of the two below the node; the first of two alike. */
static unsigned slower_below(const struct configuring *at, unsigned step,
			     unsigned node)
{
	const unsigned short *tree = at->work->slowest[step];
	const double *seconds = at->work->seconds[step];
	unsigned a = tree[2 * node], b = tree[2 * node + 1];
	double first = seconds[a], other = seconds[b];

	return other > first || (other == first && b < a) ? b : a;
}

/* Takes the slowest task from the root of the step's tree. */
static void look_at(struct configuring *at, unsigned step)
{
	struct slowest *slowest = &at->slowest[step];
	unsigned task = at->work->slowest[step][at->table->tasks > 1];

	slowest->task = task;
	slowest->seconds =
		slowest->weight * (at->work->seconds[step][task] -
				   share_seconds(at->table, at->from + step,
						 task, at->levels[task] + 1));
}

static void build_tree(struct configuring *at, unsigned step)
{
	unsigned short *tree = at->work->slowest[step];
	unsigned tasks = at->table->tasks;

	for (unsigned i = 0; i < tasks; i++) {
		tree[tasks + i] = (unsigned short)i;
		at->work->seconds[step][i] =
			share_seconds(at->table, at->from + step, i, 0);
	}
	for (unsigned node = tasks - 1; node >= 1; node--)
		tree[node] = (unsigned short)slower_below(at, step, node);
	look_at(at, step);
}

/* The task's level has changed.  Where another task was the slower one and
 * still is, nothing changes farther up. */
static void update_tree(struct configuring *at, unsigned step, unsigned task)
{
	unsigned short *tree = at->work->slowest[step];

	at->work->seconds[step][task] = share_seconds(
		at->table, at->from + step, task, at->levels[task]);
	for (unsigned node = (at->table->tasks + task) / 2; node >= 1;
	     node /= 2) {
		unsigned before = tree[node];

		tree[node] = (unsigned short)slower_below(at, step, node);
		if (before != task && tree[node] == before)
			return;
	}
	look_at(at, step);
}

/* What one increment more spares the task, in all steps in which it is the
 * slowest. */
struct gain {
	unsigned task;
	double seconds;
};

static unsigned sum_up(const struct configuring *at, struct gain *gains)
{
	unsigned n = 0;

	for (unsigned s = 0; s < at->steps; s++) {
		const struct slowest *slowest = &at->slowest[s];
		unsigned i = 0;

		while (i < n && gains[i].task != slowest->task)
			i++;
		if (i == n)
			gains[n++] = (struct gain){slowest->task, 0};
		gains[i].seconds += slowest->seconds;
	}
	return n;
}

/* The task that gets the next increment; -1: none may. */
static int choose(const struct configuring *at, unsigned level_max)
{
	struct gain gains[SHARE_LOOK_MAX];
	const struct gain *best = NULL;
	unsigned n = sum_up(at, gains);

	for (unsigned i = 0; i < n; i++)
		if (at->levels[gains[i].task] < level_max &&
		    (!best || gains[i].seconds > best->seconds))
			best = &gains[i];
	return best ? (int)best->task : -1;
}

void share_configure(const struct share_rules *rules,
		     const struct share_table *table, unsigned from,
		     unsigned to, struct share_work *work, unsigned *levels)
{
	struct configuring at = {
		.table = table,
		.from = from,
		.steps = to - from,
		.work = work,
		.levels = levels,
	};

	memset(levels, 0, rules->tasks * sizeof(*levels));
	for (unsigned s = 0; s < at.steps; s++) {
		at.slowest[s].weight = pow(DISCOUNT, s);
		build_tree(&at, s);
	}
	for (unsigned i = 0; i < rules->increments; i++) {
		int task = choose(&at, rules->level_max);

		if (task < 0)
			return;
		levels[task]++;
		for (unsigned s = 0; s < at.steps; s++)
			update_tree(&at, s, (unsigned)task);
	}
}
