/* SPDX-License-Identifier: Apache-2.0 */

/*
 * bellows-supersteps: the tasks of an application, step by step
 *
 * Each step begins when all tasks of the one before have ended.  Before it rank
 * 0 plans the shares, and each rank gives them to the control groups of its
 * tasks; nothing is started anew for that.  After each step rank 0 saves.  A
 * step is begun again when the job is: what a task does in a step is to be the
 * same if it does it twice.
 */

#include "apps/supersteps/run/options.h"
#include "apps/supersteps/run/report.h"
#include "apps/supersteps/run/team.h"
#include "apps/supersteps/saved.h"
#include "supersteps/judge.h"
#include "supersteps/planning.h"

#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

static const char default_forecast[] = "autoregressive";

struct run {
	struct run_options options;
	struct loop *loop;
	bool told; /* to save and leave */
	struct supersteps *of;
	struct team team;
	/* Of rank 0. */
	struct neural_network *network; /* of the planner learned */
	struct supersteps_planning *planning;
	struct saved saved;
	struct report report;
};

static void on_save(void *user, int signo, pid_t sender)
{
	struct run *run = user;

	if (!run->told)
		puts("supersteps: to be left after this step");
	run->told = true;
}

/* The groups of the tasks go with them. */
static void on_end(void *user, int signo, pid_t sender)
{
	struct run *run = user;

	team_fini(&run->team);
	_exit(128 + signo);
}

/* Threads of MPI begin with these signals blocked, as this one is. */
static int catch_signals(struct run *run, struct error *err)
{
	int r = loop_create(&run->loop, err);

	if (r == 0)
		r = loop_signal_add(run->loop, SIGUSR1, on_save, run, err);
	if (r == 0)
		r = loop_signal_add(run->loop, SIGTERM, on_end, run, err);
	return r;
}

/* ---- begin ---- */

static int read_application(struct run *run, struct error *err)
{
	int r = supersteps_read(&run->of, run->options.file, err);

	for (unsigned i = 0; r == 0 && i < run->of->rules.tasks; i++)
		if (!run->of->tasks[i].command)
			return error_set(err, -EINVAL,
					 "%s: the task %s has no 'command'",
					 run->options.file,
					 run->of->tasks[i].name);
	return r;
}

/* Without the right to make groups there are others. */
static int advise(int r, struct error *err)
{
	struct error why = *err;

	if (r != -EACCES && r != -EPERM && r != -EROFS && r != -ENOENT)
		return r;
	return error_set(err, r,
			 "%.400s (--group names another group, --by nothing "
			 "does without)",
			 why.text);
}

static int begin_team(struct run *run, struct error *err)
{
	CLEANUP(free) struct cgroup_base *base = NULL;
	int r = 0;

	if (run->options.way != SHARE_BY_GROUPS)
		return team_init(&run->team, run->of, NULL, err);
	base = calloc(1, sizeof(*base));
	if (!base)
		return error_set(err, -ENOMEM, "out of memory");
	r = cgroup_base_find(base, run->options.group, "", err);
	if (r == 0)
		r = team_init(&run->team, run->of, base, err);
	return advise(r, err);
}

static int find_planner(struct run *run, struct supersteps_method *method,
			struct error *err)
{
	const char *planner = run->options.planner;
	const char *weights = run->options.weights;
	int r;

	if (!share_planner_find(&method->planner, planner) ||
	    method->planner.wants_best)
		return error_set(err, -EINVAL,
				 "there is no planner '%.40s' for a real run",
				 planner);
	if (method->planner.wants_judge != (weights != NULL))
		return error_set(
			err, -EINVAL,
			weights ? "--weights is for the planner learned"
				: "the planner learned needs --weights");
	if (!weights)
		return 0;
	r = network_read(&run->network, weights, err);
	return r < 0 ? r : supersteps_judge(&method->judge, run->network, err);
}

static int find_method(struct run *run, struct supersteps_method *method,
		       struct error *err)
{
	const char *forecast = run->options.forecast;

	*method = (struct supersteps_method){.best = NULL};
	if (!forecast)
		forecast = supersteps_without_forecast(run->of)
				   ? default_forecast
				   : "given";
	if (!supersteps_forecast_find(&method->forecast, forecast))
		return error_set(err, -EINVAL, "there is no forecast '%.40s'",
				 forecast);
	return find_planner(run, method, err);
}

/* What the planner saw in the steps that are over. */
static void replay(struct run *run)
{
	for (unsigned step = 0; step < run->saved.next; step++) {
		supersteps_plan(run->planning, step);
		supersteps_ended(run->planning, step);
	}
}

static int read_saved(struct run *run, struct error *err)
{
	int r = run->options.checkpoint
			? saved_read(&run->saved, run->options.checkpoint, err)
			: 1;

	if (r > 0)
		run->saved = (struct saved){.steps = run->of->steps};
	if (r == 0 && run->saved.steps != run->of->steps)
		return error_set(err, -EBADMSG,
				 "checkpoint %s/" SAVED_NAME
				 " is damaged: it is of %u steps, and %s has "
				 "%u",
				 run->options.checkpoint, run->saved.steps,
				 run->options.file, run->of->steps);
	if (r == 0)
		printf("supersteps: goes on from step %u of %u\n",
		       run->saved.next, run->saved.steps);
	return r < 0 ? r : 0;
}

static int begin_planning(struct run *run, struct error *err)
{
	struct supersteps_method method;
	int r = find_method(run, &method, err);

	if (r == 0)
		r = read_saved(run, err);
	if (r == 0)
		r = report_begin(&run->report, run->of, run->options.log, err);
	return r < 0 ? r
		     : supersteps_planning_create(&run->planning, run->of,
						  &method, err);
}

/* Rank 0 alone plans; all measure what a change takes, once for the job. */
static int begin_steps(struct run *run, struct error *err)
{
	double change = 0;
	int r = run->team.rank == 0 ? begin_planning(run, err) : 0;

	r = team_agree(&run->team, r);
	if (r < 0)
		return r;
	r = team_measure_change(&run->team, &change, err);
	if (r < 0 || run->team.rank > 0)
		return r;
	if (run->saved.change == 0)
		run->saved.change = change;
	run->of->rules.cost = run->saved.change;
	replay(run);
	return 0;
}

/* ---- steps ---- */

static int save(struct run *run, struct error *err)
{
	if (!run->options.checkpoint)
		return 0;
	return saved_write(&run->saved, run->options.checkpoint, err);
}

static struct order next_order(struct run *run, bool is_failed)
{
	struct order order = {ORDER_STEP, run->saved.next};

	if (is_failed)
		order.kind = ORDER_FAIL;
	else if (run->saved.next == run->of->steps || run->told)
		order.kind = ORDER_LEAVE;
	if (order.kind != ORDER_STEP)
		return order;
	run->report.is_changed = supersteps_plan(run->planning, order.step);
	for (unsigned i = 0; i < run->of->rules.tasks; i++) {
		run->team.levels[i] = run->planning->levels[i];
		run->team.skip[i] =
			saved_is_done(&run->saved, run->of->tasks[i].name);
	}
	return order;
}

/* Of a step in which a task failed, what the others did is kept. */
static void keep_done(struct run *run)
{
	for (unsigned i = 0; i < run->of->rules.tasks; i++)
		if (!run->team.skip[i] && run->team.results[i].status == 0)
			strcpy(run->saved.done[run->saved.n_done++],
			       run->of->tasks[i].name);
}

/* True: the job goes on. */
static bool conclude(struct run *run, unsigned step)
{
	struct error err;
	bool is_done = report_failures(&run->report, run->team.results, step);

	if (is_done) {
		supersteps_ended(run->planning, step);
		report_step(&run->report, run->planning, &run->team, step);
		run->saved.next = step + 1;
		run->saved.n_done = 0;
	} else {
		keep_done(run);
	}
	if (save(run, &err) < 0) {
		fprintf(stderr, "supersteps: %s\n", err.text);
		return false;
	}
	return is_done;
}

static int work(struct run *run, struct error *err)
{
	bool is_failed = false;
	int r = begin_steps(run, err);

	while (r == 0) {
		struct order order = {ORDER_LEAVE, 0};

		if (run->team.rank == 0)
			order = next_order(run, is_failed);
		team_tell(&run->team, &order);
		if (order.kind != ORDER_STEP) {
			r = order.kind == ORDER_FAIL ? -ECANCELED : 0;
			break;
		}
		r = team_step(&run->team, order.step, err);
		if (r == 0 && run->team.rank == 0)
			is_failed = !conclude(run, order.step);
	}
	if (r == 0 && run->team.rank == 0 && run->saved.next == run->of->steps)
		report_end(&run->report);
	return r;
}

/* ---- the whole ---- */

/* Without a sentence: another rank, or rank 0 before, has said why. */
static int status_of(int r, const struct error *err)
{
	if (r == 0)
		return EX_OK;
	if (*err->text)
		fprintf(stderr, "supersteps: %s\n", err->text);
	return r == -EINVAL || r == -EBADMSG ? EX_DATAERR : EX_SOFTWARE;
}

static int run_all(struct run *run)
{
	struct error err = {""};
	int r = read_application(run, &err);

	run->team.loop = run->loop;
	run->team.way = run->options.way;
	r = team_agree(&run->team, r);
	if (r == 0)
		r = team_agree(&run->team, begin_team(run, &err));
	if (r == 0)
		r = work(run, &err);
	team_fini(&run->team);
	return status_of(r, &err);
}

int main(int argc, char **argv)
{
	struct run *run = calloc(1, sizeof(*run));
	struct error err;
	int r;

	if (!run)
		return EX_OSERR;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	r = run_options_read(&run->options, argc, argv, &err);
	if (r < 0) {
		fprintf(stderr, "supersteps: %s\n", err.text);
		return EX_USAGE;
	}
	if (run->options.help || run->options.version) {
		if (run->options.help)
			run_options_help();
		else
			puts("bellows-supersteps " VERSION);
		return EX_OK;
	}
	r = catch_signals(run, &err);
	if (r < 0)
		return status_of(r, &err);
	MPI_Init(NULL, NULL);
	r = run_all(run);
	MPI_Finalize();
	report_fini(&run->report);
	supersteps_planning_destroy(run->planning);
	network_destroy(run->network);
	supersteps_destroy(run->of);
	loop_destroy(run->loop);
	free(run);
	return r;
}
