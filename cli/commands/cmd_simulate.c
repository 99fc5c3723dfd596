/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/commands/args.h"

#include "base/file.h"
#include "cli/commands/policies.h"
#include "cli/commands/simulate_layout.h"
#include "cli/commands/simulate_supersteps.h"
#include "cli/views/meter.h"
#include "cli/views/output.h"
#include "cli/views/simulation.h"
#include "cli/views/simulation_drawing.h"
#include "jobfile/exit.h"
#include "sim/swf_workload.h"

#include <errno.h>
#include <string.h>

enum { POLICIES_MAX = 64, VALUES_MAX = 10000 };

/* Seconds for which a rescale of a log's job stops it. */
#define MOVE 30.0

struct simulation {
	const struct sched_policy *policies[POLICIES_MAX];
	size_t n_policies;
	const char *what; /* that is varied; NULL: nothing */
	unsigned from, to, step;
	struct workload *workload;
	struct workload_set *only; /* NULL: all sets */
};

DEFINE_CLEANUP(struct workload, workload_destroy)

/* "a,b,c" */
static int read_policies(struct simulation *simulation, const char *names,
			 struct error *err)
{
	CLEANUP(free) char *copy = strdup(names);
	char *rest = copy, *name;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	while ((name = strsep(&rest, ","))) {
		const struct sched_policy *policy;

		if (policy_read(&policy, name, true, err) < 0)
			return -EINVAL;
		if (simulation->n_policies == POLICIES_MAX)
			return error_set(err, -EINVAL, "more than %d policies",
					 POLICIES_MAX);
		simulation->policies[simulation->n_policies++] = policy;
	}
	return 0;
}

/* "gap=0:360:30", or "T=180" */
static int read_sweep(struct simulation *simulation, const char *text,
		      struct error *err)
{
	CLEANUP(free) char *copy = strdup(text);
	char *rest = copy, *what = strsep(&rest, "=");
	char *from = strsep(&rest, ":"), *to = strsep(&rest, ":");
	bool is_range = to && rest;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	simulation->what = strcmp(what, "gap") == 0 ? "gap"
			   : strcmp(what, "T") == 0 ? "T"
						    : NULL;
	simulation->step = 1;
	if (!simulation->what || !from || (to && !rest) ||
	    number_read(&simulation->from, from) < 0 ||
	    number_read(&simulation->to, is_range ? to : from) < 0 ||
	    (is_range && number_read(&simulation->step, rest) < 0) ||
	    simulation->step == 0 || simulation->to < simulation->from ||
	    (simulation->to - simulation->from) / simulation->step >=
		    VALUES_MAX)
		return error_set(err, -EINVAL,
				 "--sweep: '%.80s' is not of the form "
				 "gap=0:360:30 or T=180, in seconds, of at "
				 "most %d values",
				 text, VALUES_MAX);
	return 0;
}

/* The options of a log. */
static int check_log_args(const struct args *args, struct error *err)
{
	const char *name = args->slots       ? "slots"
			   : args->malleable ? "malleable"
			   : args->grow      ? "grow"
			   : args->seed      ? "seed"
			   : args->move      ? "move"
					     : NULL;

	if (name && !swf_is_log(args->words.at[0]))
		return error_set(err, -EINVAL,
				 "--%s is for a log in Standard Workload "
				 "Format, and %s is none",
				 name, args->words.at[0]);
	if (!args->malleable && (args->grow || args->seed || args->move))
		return error_set(err, -EINVAL,
				 "--grow, --seed and --move need --malleable");
	return 0;
}

/* One that is for --supersteps alone; NULL: none is there. */
static const char *superstep_option(const struct args *args)
{
	return args->planner    ? "planner"
	       : args->forecast ? "forecast"
	       : args->train    ? "train"
	       : args->weights  ? "weights"
	       : args->episodes ? "episodes"
				: NULL;
}

/* One that is for --layout alone; NULL: none is there. */
static const char *layout_option(const struct args *args)
{
	return args->pace      ? "pace"
	       : args->nodes   ? "nodes"
	       : args->sockets ? "sockets"
	       : args->cores   ? "cores"
			       : NULL;
}

static int read_args(struct simulation *simulation, const struct args *args,
		     struct error *err)
{
	int r;

	if (superstep_option(args))
		return error_set(err, -EINVAL, "--%s needs --supersteps",
				 superstep_option(args));
	if (args->policy && args->compare)
		return error_set(err, -EINVAL,
				 "--policy and --compare do not go together");
	if (args->json && args->csv)
		return error_set(err, -EINVAL,
				 "--json and --csv do not go together");
	if (args->policy && strchr(args->policy, ','))
		return error_set(err, -EINVAL,
				 "--policy takes one policy; --compare takes "
				 "several");
	r = check_log_args(args, err);
	if (r < 0)
		return r;
	r = read_policies(simulation,
			  args->policy    ? args->policy
			  : args->compare ? args->compare
					  : "elastic",
			  err);
	if (r == 0 && args->sweep)
		r = read_sweep(simulation, args->sweep, err);
	return r;
}

static int read_log(struct workload **out, const struct args *args,
		    struct error *err)
{
	const struct swf_rule rule = {
		.malleable = args->malleable,
		.grow = args->grow ? args->grow : 1,
		.seed = args->seed ? args->seed : 1,
		.move = args->move ? (double)args->move / 1000 : MOVE,
	};
	const char *path = args->words.at[0];
	CLEANUP(swf_log_fini) struct swf_log log;
	char left_out[400];
	int r = swf_read(&log, path, args->slots, err);

	if (r < 0)
		return r;
	r = swf_workload(out, &log, &rule, err);
	if (r < 0)
		return error_wrap(err, r, "%s", path);
	swf_left_out_text(&log, left_out, sizeof(left_out));
	if (*left_out)
		fprintf(stderr, "bellows: %s: %s\n", text_safe(path).s,
			left_out);
	return 0;
}

/* Only the set of that name, or of that number if none has the name. */
static int choose_set(struct simulation *simulation, const char *name,
		      struct error *err)
{
	const struct workload *workload = simulation->workload;
	unsigned number;

	for (size_t i = 0; i < workload->n_sets; i++) {
		simulation->only = &workload->sets[i];
		if (strcmp(simulation->only->name, name) == 0)
			return 0;
	}
	if (number_read(&number, name) < 0 || number == 0 ||
	    number > workload->n_sets)
		return error_set(err, -EINVAL,
				 "the workload has no set '%.64s'; it has %zu",
				 name, workload->n_sets);
	simulation->only = &workload->sets[number - 1];
	return 0;
}

static bool has_job_by_gap(const struct workload *workload)
{
	for (size_t i = 0; i < workload->n_sets; i++)
		for (size_t k = 0; k < workload->sets[i].n; k++)
			if (workload->sets[i].jobs[k].submit < 0)
				return true;
	return false;
}

static int check_use(struct simulation *simulation, const struct args *args,
		     struct error *err)
{
	if (args->set && choose_set(simulation, args->set, err) < 0)
		return -EINVAL;
	if (simulation->what && strcmp(simulation->what, "gap") == 0 &&
	    !has_job_by_gap(simulation->workload))
		return error_set(err, -EINVAL,
				 "--sweep gap: every job has a 'submit' of "
				 "its own");
	if (args->explain &&
	    (simulation->n_policies > 1 || simulation->what || args->csv ||
	     (!simulation->only && simulation->workload->n_sets > 1)))
		return error_set(err, -EINVAL,
				 "--explain is for one policy and one set "
				 "(--set), without --sweep and --csv");
	if (args->svg && !simulation->what && !simulation->only &&
	    simulation->workload->n_sets > 1)
		return error_set(err, -EINVAL,
				 "--svg draws the jobs of one set (--set), or "
				 "a --sweep");
	return 0;
}

/* ---- what looks on ---- */

struct onlookers {
	struct simulation_log *log;         /* NULL: nothing is explained */
	struct simulation_drawing *drawing; /* NULL: nothing is drawn */
	struct sim_spans *spans;            /* of this run; or NULL */
	struct meter meter;
};

static void on_action(void *user, usec_t now, const struct sched_action *action)
{
	struct onlookers *onlookers = user;

	meter_hide(&onlookers->meter);
	simulation_log_action(onlookers->log, now, action);
}

static void on_slots(void *user, usec_t now, const struct sched_job *job,
		     unsigned from, unsigned to)
{
	struct onlookers *onlookers = user;

	if (onlookers->spans)
		sim_spans_on_slots(onlookers->spans, now, job, from, to);
	if (to == 0 && sim_has_ended(job))
		meter_add(&onlookers->meter);
}

/* Jobs of all simulations. */
static uint64_t count_jobs(const struct simulation *simulation)
{
	const struct workload *workload = simulation->workload;
	uint64_t jobs = 0, values = 1;

	for (size_t i = 0; i < workload->n_sets; i++)
		if (!simulation->only || simulation->only == &workload->sets[i])
			jobs += workload->sets[i].n;
	if (simulation->what)
		values +=
			(simulation->to - simulation->from) / simulation->step;
	return jobs * values * simulation->n_policies;
}

static struct simulation_drawing
begin_drawing(const struct simulation *simulation, const char *source)
{
	const struct workload *workload = simulation->workload;
	struct simulation_drawing drawing = {
		.source = source,
		.workload = workload,
		.set = simulation->only,
		.gap = has_job_by_gap(workload) ? workload->gap : -1,
		.what = simulation->what,
		.n_policies = simulation->n_policies,
	};

	if (!simulation->only && !simulation->what)
		drawing.set = workload->sets;
	return drawing;
}

/* ---- simulations ---- */

static int run_one(const struct simulation *simulation,
		   const struct sched_policy *policy, unsigned value,
		   struct onlookers *onlookers, struct sim_metrics *metrics,
		   struct error *err)
{
	struct simulation_log *log = onlookers->log;
	struct workload workload = *simulation->workload;
	bool gap = simulation->what && strcmp(simulation->what, "gap") == 0;
	usec_t time = (usec_t)value * 1000000;
	const struct sim_settings settings = {
		.policy = policy,
		.gap = gap ? time : -1,
		.rescale_gap = simulation->what && !gap ? time : -1,
		.observer = {onlookers, log ? on_action : NULL, on_slots},
	};

	if (simulation->only) {
		workload.sets = simulation->only;
		workload.n_sets = 1;
	}
	if (log) {
		log->workload = simulation->workload;
		log->set = workload.sets;
	}
	return sim_run_all(metrics, &workload, &settings, err);
}

static int run_row(const struct simulation *simulation,
		   const struct sched_policy *policy,
		   struct onlookers *onlookers, struct simulation_row *row,
		   struct error *err)
{
	struct simulation_drawing *drawing = onlookers->drawing;
	int r = drawing ? simulation_drawing_begin(drawing, &onlookers->spans,
						   err)
			: 0;

	if (r == 0)
		r = run_one(simulation, policy, row->value, onlookers,
			    &row->metrics, err);
	return r == 0 && drawing ? simulation_drawing_end(drawing, row, err)
				 : r;
}

static int run_all(const struct simulation *simulation,
		   const struct simulation_view *view,
		   struct onlookers *onlookers, struct error *err)
{
	unsigned value = simulation->from;

	if (view->head && !onlookers->log)
		view->head(stdout, simulation->what);
	do {
		for (size_t i = 0; i < simulation->n_policies; i++) {
			struct simulation_row row = {
				.policy = simulation->policies[i]->name,
				.what = simulation->what,
				.value = value,
			};
			int r = run_row(simulation, simulation->policies[i],
					onlookers, &row, err);

			meter_hide(&onlookers->meter);
			if (r < 0)
				return r;
			if (!onlookers->log)
				view->row(stdout, &row);
		}
		value += simulation->step;
	} while (simulation->what && value <= simulation->to);
	return 0;
}

static int exit_code(int r)
{
	return r == -ENOMEM ? EXIT_INTERNAL : EXIT_JOBFILE;
}

/* Runs and draws; returns the exit status. */
static int simulate(const struct simulation *simulation,
		    const struct args *args, const struct output *output)
{
	const struct simulation_view *view = args->json  ? &simulation_json
					     : args->csv ? &simulation_csv
							 : &simulation_table;
	const char *source = args->words.at[0];
	CLEANUP(simulation_drawing_fini)
	struct simulation_drawing drawing = begin_drawing(simulation, source);
	struct simulation_log log = {.to = stdout, .json = args->json};
	struct onlookers onlookers = {
		.log = args->explain ? &log : NULL,
		.drawing = args->svg ? &drawing : NULL,
	};
	struct error err;
	int r;

	meter_begin(&onlookers.meter, "simulating", count_jobs(simulation),
		    !args->no_progress && !args->json, args->term);
	r = run_all(simulation, view, &onlookers, &err);
	if (r < 0)
		return output_fail(output, exit_code(r), "%s: %s", source,
				   err.text);
	if (args->svg && simulation_drawing_save(&drawing, args->svg, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	return EXIT_DONE;
}

int cmd_simulate(const struct args *args, const struct output *output)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	struct simulation simulation = {.n_policies = 0};
	struct error err;
	int r;

	if (args->layout)
		return simulate_layout(args, output);
	if (layout_option(args))
		return output_fail(output, EXIT_USAGE, "--%s needs --layout",
				   layout_option(args));
	if (args->supersteps)
		return simulate_supersteps(args, output);
	if (read_args(&simulation, args, &err) < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	r = swf_is_log(args->words.at[0])
		    ? read_log(&workload, args, &err)
		    : workload_read(&workload, args->words.at[0], &err);
	if (r < 0)
		return output_fail(output, exit_code(r), "%s", err.text);
	simulation.workload = workload;
	if (check_use(&simulation, args, &err) < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	if (args->svg && file_check(args->svg, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	return simulate(&simulation, args, output);
}
