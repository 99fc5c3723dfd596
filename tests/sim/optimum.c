/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/optimum.h"

#include "tests/sim/optimum_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A schedule that is better by less than this is no better one. */
#define SLACK 2e-6

/* Sizes of five jobs whose sum is at most eight. */
enum { CHILDREN_MAX = 1287 };

struct child {
	double bound;
	unsigned char sizes[OPTIMUM_JOBS_MAX];
};

struct children {
	struct child at[CHILDREN_MAX];
	size_t n;
};

struct search {
	const struct problem *problem;
	bool bounded;
	struct optimum *best;
	struct optimum_step path[OPTIMUM_STEPS_MAX];
	size_t n;
};

static usec_t after(usec_t at, double seconds)
{
	return at + (usec_t)llround(seconds * 1e6);
}

/* ---- the time of a schedule ---- */

static void set_size(const struct problem *problem, struct state *state,
		     unsigned j, unsigned size)
{
	const struct times *times = &problem->jobs[j].times[size];
	struct job_state *job = &state->jobs[j];

	if (job->phase == WAITING) {
		job->computes = after(state->now, times->start);
		job->ends = after(state->now, times->run + times->start);
	} else {
		job->done = 1 - state_rest_at(problem, state, j, state->now);
		job->computes = after(state->now, times->pause);
		job->ends = after(job->computes, times->run * (1 - job->done));
	}
	job->phase = RUNNING;
	job->size = size;
	job->changed = state->now;
}

/* The next instant at which sizes may change; INT64_MAX: there is none. */
static usec_t next_instant(const struct problem *problem,
			   const struct state *state)
{
	usec_t next = INT64_MAX;

	for (unsigned j = 0; j < problem->n; j++) {
		const struct job_state *job = &state->jobs[j];
		usec_t opens = job->changed + problem->gap;

		if (job->phase == WAITING &&
		    problem->jobs[j].submitted > state->now &&
		    problem->jobs[j].submitted < next)
			next = problem->jobs[j].submitted;
		if (job->phase == RUNNING && job->ends < next)
			next = job->ends;
		if (job->phase == RUNNING && opens > state->now && opens < next)
			next = opens;
	}
	return next;
}

/* False: jobs wait, and nothing will happen any more. */
static bool advance(const struct problem *problem, struct state *state)
{
	usec_t next = next_instant(problem, state);

	if (next == INT64_MAX)
		return false;
	state->now = next;
	for (unsigned j = 0; j < problem->n; j++)
		if (state->jobs[j].phase == RUNNING &&
		    state->jobs[j].ends <= next)
			state->jobs[j] = (struct job_state){
				.phase = OVER, .ends = state->jobs[j].ends};
	return true;
}

static bool is_over(const struct problem *problem, const struct state *state)
{
	for (unsigned j = 0; j < problem->n; j++)
		if (state->jobs[j].phase != OVER)
			return false;
	return true;
}

/* ---- the decisions at an instant ---- */

static bool apply(const struct problem *problem, struct state *state,
		  const struct child *child)
{
	for (unsigned j = 0; j < problem->n; j++)
		if (child->sizes[j] != state->jobs[j].size)
			set_size(problem, state, j, child->sizes[j]);
	return advance(problem, state);
}

static void add_child(struct search *search, const struct state *state,
		      const struct child *child, struct children *children)
{
	const struct problem *problem = search->problem;
	struct state then = *state;
	struct child *added = &children->at[children->n];

	if (!apply(problem, &then, child))
		return;
	search->best->states++;
	*added = *child;
	if (search->bounded)
		added->bound =
			optimum_bound(problem, &then, search->best->value);
	if (added->bound < search->best->value - SLACK)
		children->n++;
}

/* The least slots that the running jobs from j on can have. */
static unsigned least_slots(const struct problem *problem,
			    const struct state *state, unsigned j)
{
	unsigned least = 0;

	for (; j < problem->n; j++)
		if (state->jobs[j].phase == RUNNING)
			least += problem->extra +
				 (state_is_in_gap(problem, state, j)
					  ? state->jobs[j].size
					  : problem->jobs[j].min);
	return least;
}

static void choose(struct search *search, const struct state *state, unsigned j,
		   unsigned free, struct child *child,
		   struct children *children);

static void choose_next(struct search *search, const struct state *state,
			unsigned j, unsigned free, struct child *child,
			struct children *children)
{
	if (j + 1 < search->problem->n)
		choose(search, state, j + 1, free, child, children);
	else
		add_child(search, state, child, children);
}

/* Adds a child for each choice of sizes for the jobs from j on. */
static void choose(struct search *search, const struct state *state, unsigned j,
		   unsigned free, struct child *child,
		   struct children *children)
{
	const struct problem *problem = search->problem;
	const struct job_limits *limits = &problem->jobs[j];
	const struct job_state *job = &state->jobs[j];
	unsigned least = limits->min, most = limits->max;
	unsigned room = free - least_slots(problem, state, j + 1);

	if (job->phase != RUNNING) {
		child->sizes[j] = 0;
		choose_next(search, state, j, free, child, children);
		if (job->phase == OVER || limits->submitted > state->now)
			return;
	} else if (state_is_in_gap(problem, state, j)) {
		least = most = job->size;
	}
	for (unsigned size = most; size >= least; size--) {
		if (size + problem->extra > room)
			continue;
		child->sizes[j] = (unsigned char)size;
		choose_next(search, state, j, free - size - problem->extra,
			    child, children);
	}
}

/* ---- the search ---- */

static void note_steps(struct search *search, const struct state *state,
		       const struct child *child)
{
	for (unsigned j = 0; j < search->problem->n; j++)
		if (child->sizes[j] != state->jobs[j].size)
			search->path[search->n++] = (struct optimum_step){
				state->now, j, child->sizes[j]};
}

static void note_best(struct search *search, double value)
{
	if (value >= search->best->value)
		return;
	search->best->value = value;
	search->best->n = search->n;
	memcpy(search->best->steps, search->path, sizeof(search->path));
}

static int by_bound(const void *a, const void *b)
{
	const struct child *first = a, *second = b;

	return (first->bound > second->bound) - (first->bound < second->bound);
}

static void look(struct search *search, const struct state *state)
{
	size_t n = search->n;
	struct children children;
	struct child child = {.bound = 0};

	if (search->n + search->problem->n > OPTIMUM_STEPS_MAX)
		return;
	if (is_over(search->problem, state)) {
		note_best(search,
			  optimum_bound(search->problem, state, INFINITY));
		return;
	}
	children.n = 0;
	choose(search, state, 0, search->problem->slots, &child, &children);
	qsort(children.at, children.n, sizeof(child), by_bound);
	for (size_t i = 0; i < children.n; i++) {
		struct state then = *state;

		if (children.at[i].bound >= search->best->value - SLACK)
			break;
		note_steps(search, state, &children.at[i]);
		apply(search->problem, &then, &children.at[i]);
		look(search, &then);
		search->n = n;
	}
}

void optimum_find(struct optimum *out, const struct workload *workload,
		  const struct workload_set *set,
		  enum optimum_objective objective, bool bounded)
{
	struct problem problem;
	struct search search = {
		.problem = &problem, .bounded = bounded, .best = out};
	struct state begin = {.now = INT64_MAX};

	problem_init(&problem, workload, set, objective);
	for (unsigned j = 0; j < problem.n; j++)
		if (problem.jobs[j].submitted < begin.now)
			begin.now = problem.jobs[j].submitted;
	out->value = INFINITY;
	out->n = 0;
	out->states = 0;
	look(&search, &begin);
	if (objective == OPTIMUM_COMPLETION)
		out->value -= problem.submitted;
}
