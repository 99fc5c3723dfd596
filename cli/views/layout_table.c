/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/layout_table.h"

#include "base/text.h"
#include "json/json.h"

#include <math.h>

/* By how much, to be printed; NAN: there is nothing to hold it against. */
static double gain(double now, double before)
{
	return before > 0 ? 1 - now / before : NAN;
}

static const char *percents(double part, char *text, size_t n)
{
	if (isnan(part))
		snprintf(text, n, "-");
	else
		snprintf(text, n, "%.1f %%", 100 * part);
	return text;
}

static void text_head(FILE *to)
{
	fprintf(to, "%-8s %11s %10s %10s %11s %10s %10s\n", "POLICY",
		"MAKESPAN/s", "WAITS/s", "RUNS/s", "RESPONSES/s", "OVER none",
		"OVER cm");
}

static void text_row(FILE *to, const struct layout_row *row)
{
	const struct layout_totals *totals = &row->totals;
	char none[32], cm[32];

	fprintf(to, "%-8s %11.0f %10.0f %10.0f %11.0f %10s %10s\n", row->policy,
		totals->makespan, totals->wait, totals->run, totals->response,
		percents(gain(totals->response, row->none.response), none,
			 sizeof(none)),
		percents(gain(totals->response, row->cm.response), cm,
			 sizeof(cm)));
}

enum { GAINS = 4 };

static const char *const gain_names[GAINS] = {
	"over_none", "over_cm", "makespan_over_none", "makespan_over_cm"};

static void find_gains(const struct layout_row *row, double gains[GAINS])
{
	const struct layout_totals *totals = &row->totals;

	gains[0] = gain(totals->response, row->none.response);
	gains[1] = gain(totals->response, row->cm.response);
	gains[2] = gain(totals->makespan, row->none.makespan);
	gains[3] = gain(totals->makespan, row->cm.makespan);
}

static void csv_head(FILE *to)
{
	fputs("policy,makespan_s,wait_s,run_s,response_s", to);
	for (unsigned i = 0; i < GAINS; i++)
		fprintf(to, ",%s", gain_names[i]);
	fputc('\n', to);
}

static void csv_row(FILE *to, const struct layout_row *row)
{
	const struct layout_totals *totals = &row->totals;
	double gains[GAINS];

	fprintf(to, "%s,%.6f,%.6f,%.6f,%.6f", row->policy, totals->makespan,
		totals->wait, totals->run, totals->response);
	find_gains(row, gains);
	for (unsigned i = 0; i < GAINS; i++) {
		fputc(',', to);
		if (!isnan(gains[i]))
			fprintf(to, "%.6f", gains[i]);
	}
	fputc('\n', to);
}

/* Of each program the means of its jobs. */
static void add_programs(cJSON *object, const struct layout_row *row)
{
	const struct layout_workload *workload = row->workload;
	cJSON *programs = cJSON_AddObjectToObject(object, "programs");

	for (unsigned p = 0; p < row->pace->n; p++) {
		unsigned jobs = 0;
		double wait = 0, run = 0;
		cJSON *program;

		for (unsigned i = 0; i < workload->n; i++) {
			if (workload->jobs[i].program != p)
				continue;
			jobs++;
			wait += row->outcomes[i].start -
				workload->jobs[i].submit;
			run += row->outcomes[i].end - row->outcomes[i].start;
		}
		if (jobs == 0)
			continue;
		program = cJSON_AddObjectToObject(programs,
						  row->pace->programs[p].name);
		json_add_number(program, "jobs", jobs);
		json_add_number(program, "wait_s", wait / jobs);
		json_add_number(program, "run_s", run / jobs);
	}
}

static void json_row(FILE *to, const struct layout_row *row)
{
	const struct layout_totals *totals = &row->totals;
	cJSON *object = cJSON_CreateObject();
	double gains[GAINS];

	json_add_text(object, "policy", row->policy);
	json_add_number(object, "makespan_s", totals->makespan);
	json_add_number(object, "wait_s", totals->wait);
	json_add_number(object, "run_s", totals->run);
	json_add_number(object, "response_s", totals->response);
	find_gains(row, gains);
	for (unsigned i = 0; i < GAINS; i++)
		if (isnan(gains[i]))
			cJSON_AddNullToObject(object, gain_names[i]);
		else
			json_add_number(object, gain_names[i], gains[i]);
	add_programs(object, row);
	json_print(to, object);
}

const struct layout_table layout_table_text = {text_head, text_row};
const struct layout_table layout_table_csv = {csv_head, csv_row};
const struct layout_table layout_table_json = {NULL, json_row};

const char *layout_job_name(const struct layout_workload *workload,
			    const struct layout_pace *pace, unsigned job,
			    char *text, size_t n)
{
	const struct layout_job *of = &workload->jobs[job];

	snprintf(text, n, "%s-%u", pace->programs[of->program].name,
		 of->number);
	return text;
}

/* ---- where jobs are placed ---- */

enum { NAME = LAYOUT_NAME_MAX + 12 };

/* "; node 0: 4 + 0; node 2: 8 + 4" */
static void print_nodes(const struct layout_log *log, const unsigned *on)
{
	unsigned per_node = log->shape.sockets;

	for (unsigned node = 0; node < log->shape.nodes; node++) {
		const unsigned *at = on + (size_t)node * per_node;
		unsigned ranks = 0;

		for (unsigned i = 0; i < per_node; i++)
			ranks += at[i];
		if (ranks == 0)
			continue;
		fprintf(log->to, "; node %u: %u", node, at[0]);
		for (unsigned i = 1; i < per_node; i++)
			fprintf(log->to, " + %u", at[i]);
	}
	fputc('\n', log->to);
}

/* [[4,0],[0,0],[8,4]]: by node, of each socket. */
static void add_nodes(cJSON *object, const struct layout_log *log,
		      const unsigned *on)
{
	cJSON *nodes = cJSON_AddArrayToObject(object, "ranks");
	unsigned per_node = log->shape.sockets;

	for (unsigned node = 0; node < log->shape.nodes; node++) {
		cJSON *sockets = cJSON_CreateArray();

		for (unsigned i = 0; i < per_node; i++)
			cJSON_AddItemToArray(
				sockets,
				cJSON_CreateNumber(on[node * per_node + i]));
		cJSON_AddItemToArray(nodes, sockets);
	}
}

void layout_log_place(void *user, unsigned job, double start,
		      const struct layout_place *place)
{
	const struct layout_log *log = user;
	double submitted = log->workload->jobs[job].submit;
	char text[NAME];
	const char *name = layout_job_name(log->workload, log->pace, job, text,
					   sizeof(text));
	cJSON *object;

	if (!log->json) {
		fprintf(log->to, "%.0f s: %s, which waited %.0f s: %u worker%s",
			start, name, start - submitted, place->workers,
			text_plural(place->workers));
		print_nodes(log, place->on);
		return;
	}
	object = cJSON_CreateObject();
	json_add_text(object, "job", name);
	json_add_number(object, "start_s", start);
	json_add_number(object, "wait_s", start - submitted);
	json_add_number(object, "workers", place->workers);
	add_nodes(object, log, place->on);
	json_print(log->to, object);
}
