/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/simulate_supersteps.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/list.h"
#include "base/text.h"
#include "cli/commands/simulate_train.h"
#include "cli/views/meter.h"
#include "cli/views/superstep_chart.h"
#include "cli/views/superstep_table.h"
#include "jobfile/exit.h"
#include "sim/supersteps_run.h"
#include "supersteps/judge.h"

#include <errno.h>
#include <string.h>

enum { PLANNERS_MAX = 32 };

static const char default_planners[] = "static,mpc,scenario";
static const char default_forecast[] = "autoregressive";

struct simulation {
	const struct supersteps *supersteps;
	struct share_planner planners[PLANNERS_MAX];
	unsigned n;
	struct supersteps_forecast forecast;
	struct share_judge judge;     /* of the planner `learned` */
	bool wants_best, wants_judge; /* a planner does */
	double unchanged; /* seconds in total, if the shares never change */
	struct share_optimum optimum; /* if a planner wants it; else zero */
	unsigned *best;               /* its levels */
};

/* ---- the command line ---- */

static int refuse_planner(const char *name, struct error *err)
{
	char known[200] = "";

	for (size_t i = 0; share_planner_names[i]; i++)
		text_list_add(known, sizeof(known), share_planner_names[i]);
	return error_set(err, -EINVAL,
			 "there is no planner '%.40s'; there are %s, and "
			 "windows of up to %d steps",
			 name, known, SHARE_LOOK_MAX);
}

/* "a,b,c" */
static int read_planners(struct simulation *simulation, const char *names,
			 struct error *err)
{
	CLEANUP(free) char *copy = strdup(names);
	char *rest = copy, *name;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	while ((name = strsep(&rest, ","))) {
		struct share_planner *planner =
			&simulation->planners[simulation->n];

		if (simulation->n == PLANNERS_MAX)
			return error_set(err, -EINVAL, "more than %d planners",
					 PLANNERS_MAX);
		if (!share_planner_find(planner, name))
			return refuse_planner(name, err);
		simulation->wants_best |= planner->wants_best;
		simulation->wants_judge |= planner->wants_judge;
		simulation->n++;
	}
	return 0;
}

/* NULL: that of the files, if each task has one there. */
static int read_forecast(struct simulation *simulation, const char *name,
			 struct error *err)
{
	char known[200] = "known, given";

	if (!name)
		name = supersteps_without_forecast(simulation->supersteps)
			       ? default_forecast
			       : "given";
	if (supersteps_forecast_find(&simulation->forecast, name))
		return 0;
	for (size_t i = 0; share_forecaster_names[i]; i++)
		text_list_add(known, sizeof(known), share_forecaster_names[i]);
	return error_set(err, -EINVAL,
			 "there is no forecast '%.40s'; there are %s", name,
			 known);
}

/* The options of learning. */
static int check_learning(const struct args *args,
			  const struct simulation *simulation,
			  struct error *err)
{
	const char *name = args->planner   ? "planner"
			   : args->weights ? "weights"
			   : args->svg     ? "svg"
			   : args->explain ? "explain"
			   : args->csv     ? "csv"
			   : args->json    ? "json"
					   : NULL;

	if (args->train && name)
		return error_set(err, -EINVAL,
				 "--train and --%s do not go together", name);
	if (!args->train && (args->seed || args->episodes))
		return error_set(err, -EINVAL, "--%s needs --train",
				 args->seed ? "seed" : "episodes");
	if (simulation->wants_judge && !args->weights)
		return error_set(err, -EINVAL,
				 "the planner learned needs --weights, a file "
				 "that --train has made");
	if (args->weights && !simulation->wants_judge)
		return error_set(err, -EINVAL,
				 "--weights is for the planner learned");
	return 0;
}

static int check_args(const struct args *args,
		      const struct simulation *simulation, struct error *err)
{
	const char *name = args->policy      ? "policy"
			   : args->compare   ? "compare"
			   : args->sweep     ? "sweep"
			   : args->set       ? "set"
			   : args->slots     ? "slots"
			   : args->malleable ? "malleable"
					     : NULL;

	if (name)
		return error_set(err, -EINVAL,
				 "--%s does not go together with --supersteps",
				 name);
	if (args->json && args->csv)
		return error_set(err, -EINVAL,
				 "--json and --csv do not go together");
	if (args->explain && !args->train && (simulation->n > 1 || args->csv))
		return error_set(err, -EINVAL,
				 "--explain is for one planner, without --csv");
	return check_learning(args, simulation, err);
}

/* ---- simulations ---- */

struct onlookers {
	struct superstep_log *log;     /* NULL: nothing is explained */
	struct superstep_chart *chart; /* NULL: nothing is drawn */
	struct meter meter;
};

static void on_step(void *user, const struct supersteps_step *step)
{
	struct onlookers *onlookers = user;

	if (onlookers->log) {
		meter_hide(&onlookers->meter);
		superstep_log_step(onlookers->log, step);
	}
	if (onlookers->chart)
		superstep_chart_add(onlookers->chart, step);
	meter_add(&onlookers->meter);
}

/* What the planner sees of the steps to come. */
static const char *forecast_of(const struct simulation *simulation,
			       const struct share_planner *planner)
{
	if (planner->wants_best)
		return "known";
	return planner->look > 0
		       ? supersteps_forecast_name(&simulation->forecast)
		       : "none";
}

static int run_one(const struct simulation *simulation, unsigned planner,
		   struct onlookers *onlookers, struct superstep_row *row,
		   struct error *err)
{
	const struct supersteps_settings settings = {
		.method = {.planner = simulation->planners[planner],
			   .judge = simulation->judge,
			   .forecast = simulation->forecast,
			   .best = simulation->best},
		.on_step = on_step,
		.user = onlookers,
	};
	int r = onlookers->chart ? superstep_chart_begin(onlookers->chart, err)
				 : 0;

	*row = (struct superstep_row){
		.planner = simulation->planners[planner].name,
		.forecast =
			forecast_of(simulation, &simulation->planners[planner]),
		.unchanged = simulation->unchanged,
		.bound = simulation->optimum.bound,
	};
	if (r == 0)
		r = supersteps_run(simulation->supersteps, &settings,
				   &row->result, err);
	meter_hide(&onlookers->meter);
	if (r == 0 && onlookers->chart)
		superstep_chart_end(onlookers->chart, row);
	return r;
}

static void tell_short(const struct simulation *simulation,
		       const struct superstep_row *row)
{
	if (row->result.short_steps > 0)
		fprintf(stderr,
			"bellows: %s: before %u of %u steps a history was too "
			"short for a forecast of all that %s looks ahead, and "
			"its last workload stood for what was not known\n",
			row->planner, row->result.short_steps,
			simulation->supersteps->steps, row->planner);
}

static int run_all(const struct simulation *simulation,
		   const struct superstep_table *table,
		   struct onlookers *onlookers, struct error *err)
{
	if (table->head && !onlookers->log)
		table->head(stdout);
	for (unsigned i = 0; i < simulation->n; i++) {
		struct superstep_row row;
		int r = run_one(simulation, i, onlookers, &row, err);

		if (r < 0)
			return r;
		if (!onlookers->log)
			table->row(stdout, &row);
		tell_short(simulation, &row);
	}
	return 0;
}

static void on_left(void *user, unsigned steps_left)
{
	struct onlookers *onlookers = user;

	meter_add(&onlookers->meter);
}

/* What all planners are compared with: the shares are never changed, and, if a
 * planner wants it, they are the best ones. */
static int measure_bounds(struct simulation *simulation,
			  struct onlookers *onlookers, struct error *err)
{
	const struct share_progress progress = {on_left, onlookers};
	struct supersteps_settings settings = {.method.forecast.source =
						       SUPERSTEPS_KNOWN};
	struct supersteps_result result;
	int r;

	share_planner_find(&settings.method.planner, "static");
	r = supersteps_run(simulation->supersteps, &settings, &result, err);
	simulation->unchanged = result.total;
	if (r == 0 && simulation->wants_best)
		r = supersteps_optimum(simulation->supersteps, &progress,
				       &simulation->optimum, &simulation->best,
				       err);
	meter_hide(&onlookers->meter);
	return r;
}

static void begin_meter(const struct simulation *simulation,
			struct onlookers *onlookers, const struct args *args)
{
	unsigned runs = simulation->n + simulation->wants_best;

	meter_begin(&onlookers->meter, "simulating",
		    (uint64_t)simulation->supersteps->steps * runs,
		    !args->no_progress && !args->json, args->term);
}

static int simulate(struct simulation *simulation, const struct args *args,
		    struct error *err)
{
	const struct superstep_table *table = args->json ? &superstep_table_json
					      : args->csv
						      ? &superstep_table_csv
						      : &superstep_table_text;
	CLEANUP(superstep_chart_fini)
	struct superstep_chart chart = {
		.source = args->words.at[0],
		.supersteps = simulation->supersteps,
	};
	struct superstep_log log = {.to = stdout,
				    .json = args->json,
				    .supersteps = simulation->supersteps};
	struct onlookers onlookers = {
		.log = args->explain ? &log : NULL,
		.chart = args->svg ? &chart : NULL,
	};
	int r;

	begin_meter(simulation, &onlookers, args);
	r = measure_bounds(simulation, &onlookers, err);
	if (r == 0)
		r = run_all(simulation, table, &onlookers, err);
	return r == 0 && args->svg
		       ? superstep_chart_save(&chart, args->svg, err)
		       : r;
}

/* What the planner `learned` has learned, if it is one of them. */
static int read_weights(struct simulation *simulation, const char *path,
			struct neural_network **network, struct error *err)
{
	int r = path ? network_read(network, path, err) : 0;

	if (r < 0 || !path)
		return r;
	r = supersteps_judge(&simulation->judge, *network, err);
	return r < 0 ? error_wrap(err, r, "%s", path) : 0;
}

static int exit_code(int r)
{
	return r == -ENOMEM   ? EXIT_INTERNAL
	       : r == -EINVAL ? EXIT_JOBFILE
			      : EXIT_SYSTEM;
}

/* Returns the exit status. */
static int read_and_simulate(struct simulation *simulation,
			     const struct args *args,
			     const struct output *output)
{
	CLEANUP(supersteps_destroy) struct supersteps *supersteps = NULL;
	CLEANUP(network_destroy) struct neural_network *network = NULL;
	struct error err;
	int r = supersteps_read(&supersteps, args->words.at[0], &err);

	if (r < 0)
		return output_fail(output,
				   r == -ENOMEM ? EXIT_INTERNAL : EXIT_JOBFILE,
				   "%s", err.text);
	simulation->supersteps = supersteps;
	if (read_forecast(simulation, args->forecast, &err) < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	if (args->train)
		return simulate_train(supersteps, &simulation->forecast, args,
				      output);
	r = read_weights(simulation, args->weights, &network, &err);
	if (r < 0)
		return output_fail(output, exit_code(r), "%s", err.text);
	if (args->svg && file_check(args->svg, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	r = simulate(simulation, args, &err);
	if (r < 0)
		return output_fail(output, exit_code(r), "%s", err.text);
	return EXIT_DONE;
}

int simulate_supersteps(const struct args *args, const struct output *output)
{
	struct simulation simulation = {.n = 0};
	struct error err;
	int r = read_planners(&simulation,
			      args->planner ? args->planner : default_planners,
			      &err);

	if (r == 0)
		r = check_args(args, &simulation, &err);
	if (r < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	r = read_and_simulate(&simulation, args, output);
	free(simulation.best);
	return r;
}
