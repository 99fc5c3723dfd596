/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Two relaxations, and the larger one counts:
 *
 * - each job has the cluster to itself;
 * - a job may mix its sizes and pays for no rescale, so that all that is needed
 *   is slot-seconds.  For the total: those with which all can have ended before
 *   `best` are no more than there are until then.  For the completion: the
 *   slots do the work with the most weight for its slot-seconds first, and a
 *   job ends half its quickest run after the mean instant of its work.
 */

#include "tests/sim/optimum_bound.h"

#include <math.h>

static double seconds(usec_t at)
{
	return (double)at / 1e6;
}

/* ---- the problem ---- */

/* The lower hull of (0, 0) and of the slots over the rate of each size. */
static void init_lines(struct job_limits *job, unsigned extra)
{
	double rate = 0, slots = 0;
	unsigned from = job->min;

	job->n_lines = 0;
	while (from <= job->max) {
		double least = INFINITY;
		unsigned next = 0;

		for (unsigned size = from; size <= job->max; size++) {
			double faster = 1 / job->times[size].run - rate;
			double slope = (size + extra - slots) / faster;

			if (faster > 0 && slope <= least) {
				least = slope;
				next = size;
			}
		}
		if (next == 0)
			return;
		job->lines[job->n_lines].slope = least;
		job->lines[job->n_lines++].offset = slots - least * rate;
		rate = 1 / job->times[next].run;
		slots = next + extra;
		from = next + 1;
	}
}

static void init_job(struct job_limits *job, const struct workload *workload,
		     const struct workload_job *from)
{
	const struct workload_class *class = &workload->classes[from->class];
	double steps = from->steps > 0 ? from->steps : class->steps;
	unsigned extra = workload->launcher_slots;

	*job = (struct job_limits){
		.min = class->min,
		.max = class->max,
		.weight = from->priority,
		.submitted = from->submit,
		.quickest = INFINITY,
		.start = INFINITY,
		.pause = INFINITY,
		.from_start = INFINITY,
		.start_area = INFINITY,
		.pause_area = INFINITY,
	};
	for (unsigned size = job->min; size <= job->max; size++) {
		struct times *at = &job->times[size];

		at->run = curve_at(&class->step_time, size) * steps;
		at->start = curve_at(&class->start, size);
		at->pause = curve_at(&class->move, size) + at->start;
		job->quickest = fmin(job->quickest, at->run);
		job->start = fmin(job->start, at->start);
		job->pause = fmin(job->pause, at->pause);
		job->from_start = fmin(job->from_start, at->start + at->run);
		job->start_area =
			fmin(job->start_area, (size + extra) * at->start);
		job->pause_area =
			fmin(job->pause_area, (size + extra) * at->pause);
	}
	init_lines(job, extra);
}

void problem_init(struct problem *problem, const struct workload *workload,
		  const struct workload_set *set,
		  enum optimum_objective objective)
{
	*problem = (struct problem){
		.objective = objective,
		.slots = workload->slots,
		.extra = workload->launcher_slots,
		.gap = workload->rescale_gap,
		.n = (unsigned)set->n,
	};
	for (unsigned j = 0; j < problem->n; j++) {
		struct job_limits *job = &problem->jobs[j];

		init_job(job, workload, &set->jobs[j]);
		problem->weight += job->weight;
		problem->submitted += job->weight * seconds(job->submitted);
	}
	problem->submitted /= problem->weight;
}

bool state_is_in_gap(const struct problem *problem, const struct state *state,
		     unsigned j)
{
	return state->now - state->jobs[j].changed < problem->gap;
}

double state_rest_at(const struct problem *problem, const struct state *state,
		     unsigned j, usec_t at)
{
	const struct job_state *job = &state->jobs[j];
	double rest = 1 - job->done;

	if (at > job->computes)
		rest -= seconds(at - job->computes) /
			problem->jobs[j].times[job->size].run;
	return rest;
}

/* ---- each job alone ---- */

static double rescaled_end(const struct problem *problem,
			   const struct state *state, unsigned j)
{
	const struct job_limits *limits = &problem->jobs[j];
	usec_t opens = state->jobs[j].changed + problem->gap;
	usec_t at = opens > state->now ? opens : state->now;
	double rest = state_rest_at(problem, state, j, at), least = INFINITY;

	if (opens >= state->jobs[j].ends)
		return INFINITY;
	for (unsigned size = limits->min; size <= limits->max; size++)
		least = fmin(least, limits->times[size].pause +
					    rest * limits->times[size].run);
	return seconds(at) + least;
}

static double earliest_end(const struct problem *problem,
			   const struct state *state, unsigned j)
{
	const struct job_limits *limits = &problem->jobs[j];
	const struct job_state *job = &state->jobs[j];

	switch (job->phase) {
	case WAITING:
		return fmax(seconds(state->now), seconds(limits->submitted)) +
		       limits->from_start;
	case RUNNING:
		return fmin(seconds(job->ends),
			    rescaled_end(problem, state, j));
	case OVER:
		break;
	}
	return seconds(job->ends);
}

/* ---- slot-seconds ---- */

/* Of so much work in so many seconds, at least. */
static double area_of(const struct job_limits *limits, double rest, double span)
{
	double area = 0;

	for (unsigned i = 0; i < limits->n_lines; i++)
		area = fmax(area, limits->lines[i].slope * rest +
					  limits->lines[i].offset * span);
	return area;
}

/* The same with a rescale. */
static double rescaled_area(const struct job_limits *limits, double rest,
			    double span)
{
	return area_of(limits, rest, span - limits->pause) + limits->pause_area;
}

static double waiting_area(const struct problem *problem,
			   const struct job_limits *limits, double span)
{
	double area = limits->start_area +
		      rescaled_area(limits, 1, span - limits->start);

	for (unsigned size = limits->min; size <= limits->max; size++) {
		const struct times *at = &limits->times[size];
		double taken = at->start + at->run;

		if (taken <= span)
			area = fmin(area, taken * (size + problem->extra));
	}
	return area;
}

static double running_area(const struct problem *problem,
			   const struct state *state, unsigned j, double end)
{
	const struct job_state *job = &state->jobs[j];
	usec_t opens = job->changed + problem->gap;
	double slots = job->size + problem->extra, area = INFINITY;
	double now = seconds(state->now), ends = seconds(job->ends);

	if (ends <= end)
		area = slots * (ends - now);
	if (opens < state->now)
		opens = state->now;
	if (opens < job->ends)
		area = fmin(area,
			    slots * (seconds(opens) - now) +
				    rescaled_area(&problem->jobs[j],
						  state_rest_at(problem, state,
								j, opens),
						  end - seconds(opens)));
	return area;
}

/* The earliest instant at which a job may have slots; INFINITY: it is over. */
static double begins(const struct problem *problem, const struct state *state,
		     unsigned j)
{
	usec_t submitted = problem->jobs[j].submitted;

	if (state->jobs[j].phase == OVER)
		return INFINITY;
	return seconds(submitted > state->now ? submitted : state->now);
}

/* Whether the slots from an instant on are enough for the jobs that begin then
 * at the earliest. */
static bool is_enough(const struct problem *problem, const struct state *state,
		      double from, double end)
{
	double area = 0;

	for (unsigned j = 0; j < problem->n; j++) {
		double begin = begins(problem, state, j);

		if (begin == INFINITY || begin < from)
			continue;
		area += state->jobs[j].phase == RUNNING
				? running_area(problem, state, j, end)
				: waiting_area(problem, &problem->jobs[j],
					       end - begin);
	}
	return area <= problem->slots * (end - from) + 1e-6;
}

static bool can_end_by(const struct problem *problem, const struct state *state,
		       double end)
{
	for (unsigned j = 0; j < problem->n; j++) {
		double from = begins(problem, state, j);

		if (from < INFINITY && !is_enough(problem, state, from, end))
			return false;
	}
	return true;
}

/* ---- slot-seconds by their weight ---- */

/* What is left of a job, if it could be done at any speed. */
struct work {
	const struct job_limits *job;
	double since;      /* seconds, when it may be done, at the earliest */
	double area, left; /* slot-seconds of all of it, and of what is left */
};

static void init_work(const struct problem *problem, const struct state *state,
		      unsigned j, struct work *work)
{
	const struct job_limits *limits = &problem->jobs[j];
	const struct job_state *job = &state->jobs[j];
	double rest = 1;

	work->job = limits;
	work->since = begins(problem, state, j);
	if (job->phase == WAITING)
		work->since += limits->start;
	else
		rest = state_rest_at(problem, state, j, state->now);
	if (job->phase == RUNNING && job->computes > state->now)
		work->since = fmin(seconds(job->computes),
				   work->since + limits->pause);
	work->area = limits->lines[0].slope * rest;
	work->left = work->area;
}

/* The work to be done at an instant; *until: when that may change. */
static struct work *most_urgent(struct work *works, size_t n, double at,
				double *until)
{
	struct work *most = NULL;

	*until = INFINITY;
	for (size_t i = 0; i < n; i++) {
		struct work *work = &works[i];

		if (work->left <= 0)
			continue;
		if (work->since > at)
			*until = fmin(*until, work->since);
		else if (!most || work->job->weight * most->area >
					  most->job->weight * work->area)
			most = work;
	}
	return most;
}

/* The sum over all work of weight times mean instant. */
static double sum_of_means(const struct problem *problem, struct work *works,
			   size_t n, double at)
{
	double sum = 0, until;

	for (;;) {
		struct work *work = most_urgent(works, n, at, &until);
		double end, area;

		if (!work && until == INFINITY)
			return sum;
		if (work) {
			end = at + work->left / problem->slots;
			area = end <= until ? work->left
					    : problem->slots * (until - at);
			until = fmin(end, until);
			work->left -= area;
			sum += work->job->weight * area / work->area *
			       (at + until) / 2;
		}
		at = until;
	}
}

/* The sum over all jobs of weight times end. */
static double sum_of_ends(const struct problem *problem,
			  const struct state *state)
{
	struct work works[OPTIMUM_JOBS_MAX];
	double sum = 0;
	size_t n = 0;

	for (unsigned j = 0; j < problem->n; j++) {
		const struct job_limits *limits = &problem->jobs[j];
		struct work *work = &works[n];

		if (state->jobs[j].phase == OVER) {
			sum += limits->weight * seconds(state->jobs[j].ends);
			continue;
		}
		init_work(problem, state, j, work);
		sum += limits->weight * limits->quickest * work->area /
		       limits->lines[0].slope / 2;
		n++;
	}
	return sum + sum_of_means(problem, works, n, seconds(state->now));
}

/* ---- the whole ---- */

static double total_bound(const struct problem *problem,
			  const struct state *state, double best)
{
	double bound = 0;

	for (unsigned j = 0; j < problem->n; j++)
		bound = fmax(bound, earliest_end(problem, state, j));
	if (bound < best && best < INFINITY &&
	    !can_end_by(problem, state, best))
		return best;
	return bound;
}

static double completion_bound(const struct problem *problem,
			       const struct state *state)
{
	double alone = 0;

	for (unsigned j = 0; j < problem->n; j++)
		alone += problem->jobs[j].weight *
			 earliest_end(problem, state, j);
	return fmax(alone, sum_of_ends(problem, state)) / problem->weight;
}

double optimum_bound(const struct problem *problem, const struct state *state,
		     double best)
{
	return problem->objective == OPTIMUM_TOTAL
		       ? total_bound(problem, state, best)
		       : completion_bound(problem, state);
}
