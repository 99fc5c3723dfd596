/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/simulation_drawing.h"

#include "base/array.h"
#include "base/text.h"
#include "cli/views/svg.h"
#include "cli/views/sweep_chart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int simulation_drawing_begin(struct simulation_drawing *drawing,
			     struct sim_spans **spans, struct error *err)
{
	*spans = NULL;
	if (drawing->what)
		return 0;
	if (!drawing->runs)
		drawing->runs =
			calloc(drawing->n_policies, sizeof(*drawing->runs));
	if (!drawing->runs ||
	    sim_spans_init(&drawing->runs[drawing->n_runs].spans,
			   drawing->set->n) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	*spans = &drawing->runs[drawing->n_runs].spans;
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

static int add_run(struct simulation_drawing *drawing,
		   const struct simulation_row *row)
{
	struct gantt_run *run = &drawing->runs[drawing->n_runs++];
	const struct sim_metrics *m = &row->metrics;

	run->policy = row->policy;
	run->total = m->total;
	run->utilisation = m->utilisation;
	snprintf(run->figures, sizeof(run->figures),
		 "total %.0f s, utilisation %.1f %%, response %.0f s, "
		 "completion %.0f s, %.0f rescales",
		 m->total, 100 * m->utilisation, m->response, m->completion,
		 m->rescales);
	return run->spans.lacks_memory ? -ENOMEM : 0;
}

int simulation_drawing_end(struct simulation_drawing *drawing,
			   const struct simulation_row *row, struct error *err)
{
	int r = drawing->what ? add_row(drawing, row) : add_run(drawing, row);

	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

/* ---- a sweep ---- */

static double seconds(usec_t time)
{
	return (double)time / 1e6;
}

static void describe_sets(const struct simulation_drawing *drawing, char *text,
			  size_t n)
{
	const struct workload *workload = drawing->workload;
	const struct workload_set *only =
		workload->n_sets == 1 ? workload->sets : drawing->set;
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

static int draw_sweep(FILE *to, const struct simulation_drawing *drawing)
{
	char sets[160], below[300], rest[64] = "";
	const struct sweep_chart chart = {
		.source = drawing->source,
		.below = below,
		.rows = drawing->rows,
		.n_policies = drawing->n_policies,
		.n_values = drawing->n_rows / drawing->n_policies,
	};

	if (strcmp(drawing->what, "gap") == 0)
		snprintf(rest, sizeof(rest), "; rescale gap T = %.10g s",
			 seconds(drawing->workload->rescale_gap));
	else if (drawing->gap >= 0)
		snprintf(rest, sizeof(rest), "; a job every %.10g s",
			 seconds(drawing->gap));
	describe_sets(drawing, sets, sizeof(sets));
	snprintf(below, sizeof(below), "%s; %u slots%s", sets,
		 drawing->workload->slots, rest);
	sweep_chart_draw(to, &chart);
	return 0;
}

/* ---- a set of jobs ---- */

static const char *name_of(const void *user, unsigned job, char *text, size_t n)
{
	const struct simulation_drawing *drawing = user;

	return simulation_job_name(drawing->workload, drawing->set, job, text,
				   n);
}

static unsigned max_of(const void *user, unsigned job)
{
	const struct simulation_drawing *drawing = user;

	return drawing->workload->classes[drawing->set->jobs[job].class].max;
}

static int draw_set(FILE *to, const struct simulation_drawing *drawing)
{
	const struct workload *workload = drawing->workload;
	const struct workload_set *set = drawing->set;
	const char *slash = strrchr(drawing->source, '/');
	char title[700], below[300], gap[64] = "", number[24];
	const char *name =
		simulation_set_name(workload, set, number, sizeof(number));
	const struct gantt gantt = {
		.title = title,
		.below = below,
		.name = name_of,
		.max = max_of,
		.user = drawing,
		.slots = workload->slots,
		.launcher_slots = workload->launcher_slots,
		.runs = drawing->runs,
		.n_runs = drawing->n_runs,
	};

	snprintf(title, sizeof(title), "%s%s%s",
		 svg_cut(slash ? slash + 1 : drawing->source, 60).s,
		 *name ? ": set " : "", name);
	if (drawing->gap == 0)
		snprintf(gap, sizeof(gap), " at once");
	else if (drawing->gap > 0)
		snprintf(gap, sizeof(gap), ", one every %.10g s",
			 seconds(drawing->gap));
	snprintf(below, sizeof(below),
		 "%zu job%s%s; %u slots; rescale gap T = %.10g s", set->n,
		 text_plural(set->n), gap, workload->slots,
		 seconds(workload->rescale_gap));
	return gantt_draw(to, &gantt);
}

int simulation_drawing_draw(FILE *to, const void *user)
{
	const struct simulation_drawing *drawing = user;

	return drawing->what ? draw_sweep(to, drawing) : draw_set(to, drawing);
}

int simulation_drawing_save(const struct simulation_drawing *drawing,
			    const char *path, struct error *err)
{
	return svg_save(path, simulation_drawing_draw, drawing, err);
}

void simulation_drawing_fini(struct simulation_drawing *drawing)
{
	for (size_t i = 0; drawing->runs && i < drawing->n_policies; i++)
		sim_spans_fini(&drawing->runs[i].spans);
	free(drawing->runs);
	free(drawing->rows);
}
