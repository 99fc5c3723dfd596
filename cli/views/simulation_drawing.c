/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/simulation_drawing.h"

#include "base/array.h"
#include "cli/views/svg.h"
#include "cli/views/sweep_chart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int simulation_drawing_begin(struct simulation_drawing *drawing,
			     struct sim_spans **spans, struct error *err)
{
	struct gantt *gantt = &drawing->gantt;

	*spans = NULL;
	if (drawing->what)
		return 0;
	if (!gantt->runs)
		gantt->runs = calloc(drawing->n_policies, sizeof(*gantt->runs));
	if (!gantt->runs || sim_spans_init(&gantt->runs[gantt->n_runs].spans,
					   gantt->set->n) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	*spans = &gantt->runs[gantt->n_runs].spans;
	return 0;
}

static int add_row(struct simulation_drawing *drawing,
		   const struct simulation_row *row)
{
	int r = ARRAY_RESERVE(drawing->rows, drawing->n_rows, drawing->room);

	if (r == 0)
		drawing->rows[drawing->n_rows++] = *row;
	return r;
}

int simulation_drawing_end(struct simulation_drawing *drawing,
			   const struct simulation_row *row, struct error *err)
{
	struct gantt_run *run = drawing->gantt.runs;
	int r = 0;

	if (drawing->what) {
		r = add_row(drawing, row);
	} else {
		run += drawing->gantt.n_runs++;
		run->policy = row->policy;
		run->metrics = row->metrics;
		r = run->spans.lacks_memory ? -ENOMEM : 0;
	}
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

static void describe_sets(const struct gantt *gantt, char *text, size_t n)
{
	const struct workload *workload = gantt->workload;
	const struct workload_set *only =
		workload->n_sets == 1 ? workload->sets : gantt->set;
	size_t jobs = workload->sets[0].n;
	char number[24];

	if (only) {
		const char *name = simulation_set_name(workload, only, number,
						       sizeof(number));

		snprintf(text, n, "%zu jobs%s%s", only->n,
			 *name ? " of set " : "", name);
		return;
	}
	for (size_t i = 1; i < workload->n_sets; i++)
		if (workload->sets[i].n != jobs)
			jobs = 0;
	if (jobs)
		snprintf(text, n, "means of %zu sets of %zu jobs",
			 workload->n_sets, jobs);
	else
		snprintf(text, n, "means of %zu sets of jobs",
			 workload->n_sets);
}

static int draw_sweep(FILE *to, const void *user)
{
	const struct simulation_drawing *drawing = user;
	const struct gantt *gantt = &drawing->gantt;
	char sets[160], below[300], rest[64] = "";
	const struct sweep_chart chart = {
		.source = gantt->source,
		.below = below,
		.rows = drawing->rows,
		.n_policies = drawing->n_policies,
		.n_values = drawing->n_rows / drawing->n_policies,
	};

	if (strcmp(drawing->what, "gap") == 0)
		snprintf(rest, sizeof(rest), "; rescale gap T = %.10g s",
			 (double)gantt->rescale_gap / 1e6);
	else if (gantt->gap >= 0)
		snprintf(rest, sizeof(rest), "; a job every %.10g s",
			 (double)gantt->gap / 1e6);
	describe_sets(gantt, sets, sizeof(sets));
	snprintf(below, sizeof(below), "%s; %u slots%s", sets,
		 gantt->workload->slots, rest);
	sweep_chart_draw(to, &chart);
	return 0;
}

static int draw_gantt(FILE *to, const void *user)
{
	const struct simulation_drawing *drawing = user;

	return gantt_draw(to, &drawing->gantt);
}

int simulation_drawing_save(const struct simulation_drawing *drawing,
			    const char *path, struct error *err)
{
	return svg_save(path, drawing->what ? draw_sweep : draw_gantt, drawing,
			err);
}

void simulation_drawing_fini(struct simulation_drawing *drawing)
{
	for (size_t i = 0; drawing->gantt.runs && i < drawing->n_policies; i++)
		sim_spans_fini(&drawing->gantt.runs[i].spans);
	free(drawing->gantt.runs);
	free(drawing->rows);
}
