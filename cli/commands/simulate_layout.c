/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/simulate_layout.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/list.h"
#include "base/text.h"
#include "cli/views/layout_chart.h"
#include "cli/views/layout_table.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <string.h>

enum { POLICIES_MAX = 32 };

struct simulation {
	const struct layout_policy *policies[POLICIES_MAX];
	unsigned n;
	struct layout_shape shape;
	const struct layout_pace *pace;
	const struct layout_workload *workload;
	struct layout_outcome *outcomes; /* of the policy that runs */
	struct layout_totals none, cm;   /* what the others are held against */
	struct layout_log *log;          /* NULL: nothing is explained */
	struct layout_chart *chart;      /* NULL: nothing is drawn */
};

/* ---- the command line ---- */

static int add_policy(struct simulation *simulation, const char *name,
		      struct error *err)
{
	const struct layout_policy *policy = layout_policy_find(name);
	char known[200] = "";

	if (simulation->n == POLICIES_MAX)
		return error_set(err, -EINVAL, "more than %d policies",
				 POLICIES_MAX);
	if (policy) {
		simulation->policies[simulation->n++] = policy;
		return 0;
	}
	for (const struct layout_policy *at = layout_policies; at->name; at++)
		text_list_add(known, sizeof(known), at->name);
	return error_set(err, -EINVAL,
			 "there is no policy of layout '%.40s'; there are %s",
			 name, known);
}

/* "a,b,c"; NULL: all. */
static int read_policies(struct simulation *simulation, const char *names,
			 struct error *err)
{
	CLEANUP(free) char *copy = names ? strdup(names) : NULL;
	char *rest = copy, *name;
	int r = 0;

	if (names && !copy)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; !names && layout_policies[i].name; i++)
		simulation->policies[simulation->n++] = &layout_policies[i];
	while (r == 0 && (name = strsep(&rest, ",")))
		r = add_policy(simulation, name, err);
	return r;
}

static void set_shape(struct simulation *simulation, const struct args *args)
{
	struct layout_shape *shape = &simulation->shape;

	*shape = layout_shape_published;
	if (args->nodes)
		shape->nodes = args->nodes;
	if (args->sockets)
		shape->sockets = args->sockets;
	if (args->cores)
		shape->cores = args->cores;
}

static int check_args(const struct args *args,
		      const struct simulation *simulation, struct error *err)
{
	const char *name = args->supersteps  ? "supersteps"
			   : args->compare   ? "compare"
			   : args->sweep     ? "sweep"
			   : args->set       ? "set"
			   : args->slots     ? "slots"
			   : args->malleable ? "malleable"
			   : args->grow      ? "grow"
			   : args->seed      ? "seed"
			   : args->move      ? "move"
			   : args->planner   ? "planner"
			   : args->forecast  ? "forecast"
			   : args->train     ? "train"
			   : args->weights   ? "weights"
			   : args->episodes  ? "episodes"
					     : NULL;

	if (name)
		return error_set(err, -EINVAL,
				 "--%s does not go together with --layout",
				 name);
	if (args->json && args->csv)
		return error_set(err, -EINVAL,
				 "--json and --csv do not go together");
	if (args->explain && (simulation->n > 1 || args->csv))
		return error_set(
			err, -EINVAL,
			"--explain is for one --policy, without --csv");
	return 0;
}

/* ---- simulations ---- */

static int run_one(const struct simulation *simulation,
		   const struct layout_policy *policy, struct layout_log *log,
		   struct layout_totals *totals, struct error *err)
{
	const struct layout_settings settings = {
		.shape = simulation->shape,
		.pace = simulation->pace,
		.policy = policy,
		.on_place = log ? layout_log_place : NULL,
		.user = log,
	};
	int r = layout_run(simulation->workload, &settings,
			   simulation->outcomes, err);

	if (r == 0)
		*totals = layout_total(simulation->workload,
				       simulation->outcomes);
	return r;
}

static int run_row(const struct simulation *simulation, unsigned i,
		   const struct layout_table *table, struct error *err)
{
	struct layout_row row = {
		.policy = simulation->policies[i]->name,
		.workload = simulation->workload,
		.pace = simulation->pace,
		.outcomes = simulation->outcomes,
		.none = simulation->none,
		.cm = simulation->cm,
	};
	int r = run_one(simulation, simulation->policies[i], simulation->log,
			&row.totals, err);

	if (r < 0)
		return r;
	if (!simulation->log)
		table->row(stdout, &row);
	return simulation->chart
		       ? layout_chart_add(simulation->chart, &row, err)
		       : 0;
}

/* They stay 0 where a job has no room under these policies. */
static int measure_references(struct simulation *simulation, struct error *err)
{
	int r = run_one(simulation, layout_policy_find("none"), NULL,
			&simulation->none, err);

	if (r == 0 || r == -EINVAL)
		r = run_one(simulation, layout_policy_find("cm"), NULL,
			    &simulation->cm, err);
	return r == -EINVAL ? 0 : r;
}

static int run_all(struct simulation *simulation,
		   const struct layout_table *table, struct error *err)
{
	int r = 0;

	if (!simulation->log)
		r = measure_references(simulation, err);
	if (r == 0 && table->head && !simulation->log)
		table->head(stdout);
	for (unsigned i = 0; r == 0 && i < simulation->n; i++)
		r = run_row(simulation, i, table, err);
	return r;
}

static int exit_code(int r)
{
	return r == -ENOMEM ? EXIT_INTERNAL : EXIT_JOBFILE;
}

/* Returns the exit status. */
static int simulate(struct simulation *simulation, const struct args *args,
		    const struct output *output)
{
	const struct layout_table *table = args->json  ? &layout_table_json
					   : args->csv ? &layout_table_csv
						       : &layout_table_text;
	CLEANUP(free)
	void *outcomes =
		calloc(simulation->workload->n, sizeof(*simulation->outcomes));
	CLEANUP(layout_chart_fini)
	struct layout_chart chart = {.workload = simulation->workload,
				     .pace = simulation->pace,
				     .shape = simulation->shape};
	struct layout_log log = {.to = stdout,
				 .json = args->json,
				 .workload = simulation->workload,
				 .pace = simulation->pace,
				 .shape = simulation->shape};
	struct error err;
	int r;

	if (!outcomes)
		return output_fail(output, EXIT_INTERNAL, "out of memory");
	simulation->outcomes = outcomes;
	simulation->log = args->explain ? &log : NULL;
	simulation->chart = args->svg ? &chart : NULL;
	r = run_all(simulation, table, &err);
	if (r < 0)
		return output_fail(output, exit_code(r), "%s", err.text);
	if (args->svg && layout_chart_save(&chart, args->svg, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	return EXIT_DONE;
}

/* Returns the exit status. */
static int read_and_simulate(struct simulation *simulation,
			     const struct args *args,
			     const struct output *output)
{
	CLEANUP(layout_pace_fini)
	struct layout_pace pace = layout_pace_published;
	CLEANUP(layout_workload_fini) struct layout_workload workload = {0};
	struct error err;
	int r = args->pace ? layout_pace_read(&pace, args->pace, &err) : 0;

	if (r == 0)
		r = layout_workload_read(&workload, args->words.at[0], &pace,
					 &err);
	if (r < 0)
		return output_fail(output, exit_code(r), "%s", err.text);
	if (args->svg && file_check(args->svg, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	simulation->pace = &pace;
	simulation->workload = &workload;
	return simulate(simulation, args, output);
}

int simulate_layout(const struct args *args, const struct output *output)
{
	struct simulation simulation = {.n = 0};
	struct error err;
	int r = read_policies(&simulation, args->policy, &err);

	if (r == 0)
		r = check_args(args, &simulation, &err);
	if (r < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	set_shape(&simulation, args);
	return read_and_simulate(&simulation, args, output);
}
