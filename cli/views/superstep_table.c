/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/superstep_table.h"

#include "json/json.h"

#include <string.h>

static void text_head(FILE *to)
{
	fprintf(to, "%-9s %-14s %12s %8s %12s %8s %11s\n", "PLANNER",
		"FORECAST", "STEPS/s", "CHANGES", "TOTAL/s", "GAIN",
		"ABOVE BOUND");
}

static void text_row(FILE *to, const struct superstep_row *row)
{
	char above[32] = "-";

	if (superstep_above(row) >= 0)
		snprintf(above, sizeof(above), "%.2f %%",
			 100 * superstep_above(row));
	fprintf(to, "%-9s %-14s %12.2f %8u %12.2f %6.2f %% %11s\n",
		row->planner, row->forecast, row->result.seconds,
		row->result.changes, row->result.total,
		100 * superstep_gain(row), above);
}

static void csv_head(FILE *to)
{
	fputs("planner,forecast,steps_s,changes,total_s,gain,above_bound\n",
	      to);
}

static void csv_row(FILE *to, const struct superstep_row *row)
{
	fprintf(to, "%s,%s,%.6f,%u,%.6f,%.6f,", row->planner, row->forecast,
		row->result.seconds, row->result.changes, row->result.total,
		superstep_gain(row));
	if (superstep_above(row) >= 0)
		fprintf(to, "%.6f", superstep_above(row));
	fputc('\n', to);
}

static void json_row(FILE *to, const struct superstep_row *row)
{
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "planner", row->planner);
	json_add_text(object, "forecast", row->forecast);
	json_add_number(object, "steps_s", row->result.seconds);
	json_add_number(object, "changes", row->result.changes);
	json_add_number(object, "total_s", row->result.total);
	json_add_number(object, "gain", superstep_gain(row));
	json_add_known(object, "above_bound", superstep_above(row));
	json_print(to, object);
}

const struct superstep_table superstep_table_text = {text_head, text_row};
const struct superstep_table superstep_table_csv = {csv_head, csv_row};
const struct superstep_table superstep_table_json = {NULL, json_row};

/* ---- steps ---- */

static unsigned slowest_of(const struct supersteps_step *step)
{
	unsigned task = 0;

	while (step->seconds[task] < step->slowest)
		task++;
	return task;
}

static void print_change(const struct superstep_log *log,
			 const struct supersteps_step *step)
{
	const struct share_rules *rules = &log->supersteps->rules;
	const struct supersteps_task *tasks = log->supersteps->tasks;
	const char *comma = "";

	fputs(step->step > 0 ? "; the shares change:" : "; shares:", log->to);
	for (unsigned i = 0; i < rules->tasks; i++) {
		unsigned before = share_at(rules, log->before[i]);
		unsigned now = share_at(rules, step->levels[i]);

		if (step->step > 0 && now == before)
			continue;
		fprintf(log->to, "%s %s ", comma, tasks[i].name);
		if (step->step > 0)
			fprintf(log->to, "%u -> ", before);
		fprintf(log->to, "%u", now);
		comma = ",";
	}
}

static void print_step(const struct superstep_log *log,
		       const struct supersteps_step *step)
{
	const struct supersteps_task *tasks = log->supersteps->tasks;

	fprintf(log->to, "step %u: %.2f s, %s", step->step + 1, step->slowest,
		tasks[slowest_of(step)].name);
	if (step->is_changed)
		print_change(log, step);
	fputc('\n', log->to);
}

/* What was expected of each task in this step and in those to come. */
static void add_expected(cJSON *object, const struct superstep_log *log,
			 const struct supersteps_outlook *outlook)
{
	unsigned tasks = log->supersteps->rules.tasks;
	cJSON *expected = cJSON_AddObjectToObject(object, "expected");

	for (unsigned i = 0; i < tasks; i++) {
		cJSON *ahead = cJSON_AddArrayToObject(
			expected, log->supersteps->tasks[i].name);

		for (unsigned s = 0; s < outlook->steps; s++)
			cJSON_AddItemToArray(
				ahead, cJSON_CreateNumber(
					       outlook->ahead[s * tasks + i]));
	}
}

static void print_step_json(const struct superstep_log *log,
			    const struct supersteps_step *step)
{
	const struct share_rules *rules = &log->supersteps->rules;
	const struct supersteps_task *tasks = log->supersteps->tasks;
	cJSON *object = cJSON_CreateObject(), *shares, *seconds, *workloads;

	json_add_number(object, "step", step->step + 1);
	json_add_number(object, "step_s", step->slowest);
	json_add_text(object, "slowest", tasks[slowest_of(step)].name);
	cJSON_AddBoolToObject(object, "changed",
			      step->is_changed && step->step > 0);
	shares = cJSON_AddObjectToObject(object, "shares");
	seconds = cJSON_AddObjectToObject(object, "tasks_s");
	workloads = cJSON_AddObjectToObject(object, "workloads");
	for (unsigned i = 0; i < rules->tasks; i++) {
		json_add_number(shares, tasks[i].name,
				share_at(rules, step->levels[i]));
		json_add_number(seconds, tasks[i].name, step->seconds[i]);
		json_add_number(workloads, tasks[i].name, step->workloads[i]);
	}
	add_expected(object, log, step->outlook);
	json_print(log->to, object);
}

void superstep_log_step(void *user, const struct supersteps_step *step)
{
	struct superstep_log *log = user;

	if (log->json)
		print_step_json(log, step);
	else
		print_step(log, step);
	memcpy(log->before, step->levels,
	       log->supersteps->rules.tasks * sizeof(*log->before));
}
