/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/layout_run.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What comes next of a job that has its cores: it computes, it has ended, its
 * cores are free. */
enum phase { LAUNCHING, COMPUTING, LEAVING };

struct running {
	unsigned job;
	enum phase phase;
	double due;      /* when the phase ends */
	double left;     /* seconds to compute if memory does not slow it */
	double slowdown; /* factor, now */
	struct layout_place place;
};

struct run {
	const struct layout_workload *workload;
	const struct layout_settings *settings;
	struct layout_outcome *outcomes;
	struct error *err;
	struct layout_cluster cluster;
	double now;
	unsigned next; /* job to be submitted */
	unsigned *waiting, n_waiting;
	struct running *running;
	unsigned n_running;
	double *loads;   /* of each socket */
	unsigned *spare; /* `on` of the next place */
};

static void run_fini_at(struct run *run)
{
	layout_cluster_fini(&run->cluster);
	for (unsigned i = 0; i < run->n_running; i++)
		free(run->running[i].place.on);
	free(run->running);
	free(run->waiting);
	free(run->loads);
	free(run->spare);
}

static const struct layout_program *program_of(const struct run *run,
					       unsigned job)
{
	return &run->settings->pace->programs[run->workload->jobs[job].program];
}

/* ---- pace ---- */

static void find_loads(struct run *run)
{
	double bandwidth = run->settings->pace->bandwidth;

	for (unsigned s = 0; s < run->cluster.n_sockets; s++)
		run->loads[s] = 0;
	for (unsigned i = 0; i < run->n_running; i++) {
		const struct running *at = &run->running[i];
		double share = program_of(run, at->job)->bandwidth / bandwidth;

		if (at->phase != COMPUTING || share == 0)
			continue;
		for (unsigned s = 0; s < run->cluster.n_sockets; s++)
			run->loads[s] +=
				share * layout_cluster_ranks(&run->cluster,
							     &at->place, s);
	}
}

/* Of the sockets that it is on. */
static double fullest(const struct run *run, const struct layout_place *place)
{
	double most = 0;

	for (unsigned s = 0; s < run->cluster.n_sockets; s++)
		if (layout_cluster_ranks(&run->cluster, place, s) > 0)
			most = fmax(most, run->loads[s]);
	return most;
}

static void set_paces(struct run *run)
{
	find_loads(run);
	for (unsigned i = 0; i < run->n_running; i++) {
		struct running *at = &run->running[i];
		const struct layout_program *program = program_of(run, at->job);

		if (at->phase != COMPUTING)
			continue;
		at->slowdown = 1;
		if (program->slowing > 0)
			at->slowdown = layout_pace_slowdown(
				program, fullest(run, &at->place));
		at->due = run->now + at->left * at->slowdown;
	}
}

/* ---- beginning ---- */

/* 1: it is placed; 0: it cannot be now; -ENOMEM. */
static int begin(struct run *run, unsigned job)
{
	const struct layout_settings *settings = run->settings;
	const struct layout_job *of = &run->workload->jobs[job];
	struct running *at = &run->running[run->n_running];
	struct layout_place place = {.profile = of->profile, .on = run->spare};

	if (!run->spare)
		return -ENOMEM;
	if (!layout_cluster_place(&run->cluster, of->ranks, &place))
		return 0;
	*at = (struct running){
		.job = job,
		.phase = LAUNCHING,
		.due = run->now + settings->pace->launch,
		.left = layout_pace_seconds(program_of(run, job),
					    &place.containers),
		.slowdown = 1,
		.place = place,
	};
	run->n_running++;
	run->spare = calloc(run->cluster.n_sockets, sizeof(*run->spare));
	if (settings->on_place)
		settings->on_place(settings->user, job, at->due, &at->place);
	return 1;
}

/* The same profile and size has failed already, and cores only get fewer. */
static bool is_hopeless(const struct layout_job *job, unsigned *failed)
{
	return failed[job->profile] == job->ranks;
}

static int begin_waiting(struct run *run)
{
	unsigned failed[] = {
		[PLACE_NETWORK] = 0, [PLACE_CPU] = 0, [PLACE_MEMORY] = 0};
	unsigned left = 0;

	for (unsigned i = 0; i < run->n_waiting; i++) {
		unsigned number = run->waiting[i];
		const struct layout_job *job = &run->workload->jobs[number];
		int r = is_hopeless(job, failed) ? 0 : begin(run, number);

		if (r < 0)
			return error_set(run->err, r, "out of memory");
		if (r > 0)
			continue;
		failed[job->profile] = job->ranks;
		run->waiting[left++] = number;
	}
	run->n_waiting = left;
	return 0;
}

/* ---- events ---- */

static double next_event(const struct run *run)
{
	double at = run->next < run->workload->n
			    ? run->workload->jobs[run->next].submit
			    : INFINITY;

	for (unsigned i = 0; i < run->n_running; i++)
		at = fmin(at, run->running[i].due);
	return at;
}

static void advance(struct run *run, double to)
{
	for (unsigned i = 0; i < run->n_running; i++) {
		struct running *at = &run->running[i];

		if (at->phase == COMPUTING)
			at->left = fmax(0, at->left - (to - run->now) /
							      at->slowdown);
	}
	run->now = to;
}

/* Whether its cores are free. */
static bool end_phase(struct run *run, struct running *at)
{
	struct layout_outcome *outcome = &run->outcomes[at->job];

	switch (at->phase) {
	case LAUNCHING:
		outcome->start = run->now;
		at->phase = COMPUTING;
		at->due = INFINITY; /* until its pace is set */
		return false;
	case COMPUTING:
		outcome->end = run->now;
		at->phase = LEAVING;
		at->due = run->now + run->settings->pace->release;
		return false;
	case LEAVING:
		break;
	}
	layout_cluster_release(&run->cluster, &at->place);
	free(at->place.on);
	return true;
}

/* Whether a job may begin that could not before. */
static bool end_phases(struct run *run)
{
	unsigned left = 0, n = run->n_running;

	for (unsigned i = 0; i < n; i++) {
		struct running at = run->running[i];

		if (at.due > run->now || !end_phase(run, &at))
			run->running[left++] = at;
	}
	run->n_running = left;
	return left < n;
}

static bool submit(struct run *run)
{
	const struct layout_workload *workload = run->workload;
	unsigned before = run->n_waiting;

	while (run->next < workload->n &&
	       workload->jobs[run->next].submit <= run->now)
		run->waiting[run->n_waiting++] = run->next++;
	return run->n_waiting > before;
}

static int run_on(struct run *run)
{
	double at;

	while (isfinite(at = next_event(run))) {
		bool may_begin;
		int r = 0;

		advance(run, at);
		may_begin = end_phases(run);
		may_begin |= submit(run);
		if (may_begin)
			r = begin_waiting(run);
		if (r < 0)
			return r;
		set_paces(run);
	}
	return 0;
}

/* ---- the whole ---- */

/* Each job has to fit on an empty cluster. */
static int check_jobs(struct run *run)
{
	const struct layout_settings *settings = run->settings;
	const struct layout_shape *shape = &settings->shape;

	for (unsigned i = 0; i < run->workload->n; i++) {
		const struct layout_job *job = &run->workload->jobs[i];
		struct layout_place place = {.profile = job->profile,
					     .on = run->spare};

		if (!layout_cluster_place(&run->cluster, job->ranks, &place))
			return error_set(run->err, -EINVAL,
					 "%s:%u: under the policy %s %u ranks "
					 "of %s have no room on %u nodes of %u "
					 "cores",
					 run->workload->path, job->line,
					 settings->policy->name, job->ranks,
					 program_of(run, i)->name, shape->nodes,
					 shape->sockets * shape->cores);
		layout_cluster_release(&run->cluster, &place);
	}
	return 0;
}

static unsigned most_ranks(const struct layout_workload *workload)
{
	unsigned most = 1;

	for (unsigned i = 0; i < workload->n; i++)
		if (workload->jobs[i].ranks > most)
			most = workload->jobs[i].ranks;
	return most;
}

int layout_run(const struct layout_workload *workload,
	       const struct layout_settings *settings,
	       struct layout_outcome *outcomes, struct error *err)
{
	CLEANUP(run_fini)
	struct run run = {
		.workload = workload,
		.settings = settings,
		.outcomes = outcomes,
		.err = err,
		.waiting = calloc(workload->n, sizeof(*run.waiting)),
		.running = calloc(workload->n, sizeof(*run.running)),
	};
	int r = layout_cluster_init(&run.cluster, &settings->shape,
				    settings->policy, most_ranks(workload));

	run.loads = calloc(run.cluster.n_sockets, sizeof(*run.loads));
	run.spare = calloc(run.cluster.n_sockets, sizeof(*run.spare));
	if (r < 0 || !run.waiting || !run.running || !run.loads || !run.spare)
		return error_set(err, -ENOMEM, "out of memory");
	r = check_jobs(&run);
	return r == 0 ? run_on(&run) : r;
}

struct layout_totals layout_total(const struct layout_workload *workload,
				  const struct layout_outcome *outcomes)
{
	struct layout_totals totals = {0};

	for (unsigned i = 0; i < workload->n; i++) {
		totals.wait += outcomes[i].start - workload->jobs[i].submit;
		totals.run += outcomes[i].end - outcomes[i].start;
		totals.makespan =
			fmax(totals.makespan,
			     outcomes[i].end - workload->jobs[0].submit);
	}
	totals.response = totals.wait + totals.run;
	return totals;
}
