/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/simulation.h"

#include "json/json.h"

const char *simulation_job_name(const struct workload *workload,
				const struct workload_set *set, unsigned job,
				char *text, size_t n)
{
	const struct workload_job *at = &set->jobs[job];

	if (*at->name)
		return at->name;
	snprintf(text, n, "%s-%u", workload->classes[at->class].name, job + 1);
	return text;
}

const char *simulation_set_name(const struct workload *workload,
				const struct workload_set *set, char *text,
				size_t n)
{
	if (*set->name || workload->n_sets == 1)
		return set->name;
	snprintf(text, n, "%td", set - workload->sets + 1);
	return text;
}

/* ---- metrics ---- */

static void table_head(FILE *to, const char *what)
{
	if (what)
		fprintf(to, "%7s  ", what);
	fprintf(to, "%-25s %9s %7s %10s %12s %8s %5s %12s %8s %5s\n", "POLICY",
		"TOTAL/s", "USED", "RESPONSE/s", "COMPLETION/s", "SLOWDOWN",
		"FAIR", "SLOT-SECONDS", "RESCALES", "PARKS");
}

static void table_row(FILE *to, const struct simulation_row *row)
{
	const struct sim_metrics *m = &row->metrics;

	if (row->what)
		fprintf(to, "%7u  ", row->value);
	fprintf(to,
		"%-25s %9.0f %6.2f%% %10.2f %12.2f %8.2f %5.3f %12.0f %8.1f "
		"%5.1f\n",
		row->policy, m->total, 100 * m->utilisation, m->response,
		m->completion, m->slowdown, m->fairness, m->slot_seconds,
		m->rescales, m->parks);
}

static void csv_head(FILE *to, const char *what)
{
	if (what)
		fprintf(to, "%s_s,", what);
	fputs("policy,total_s,utilisation,response_s,completion_s,"
	      "bounded_slowdown,slot_seconds,rescales,fairness,efficiency,"
	      "parks,failures,repeated_s,repeated_steps\n",
	      to);
}

static void csv_row(FILE *to, const struct simulation_row *row)
{
	const struct sim_metrics *m = &row->metrics;

	if (row->what)
		fprintf(to, "%u,", row->value);
	fprintf(to,
		"%s,%.4f,%.6f,%.4f,%.4f,%.4f,%.2f,%.2f,%.6f,%.6f,%.2f,%.2f,"
		"%.4f,%.2f\n",
		row->policy, m->total, m->utilisation, m->response,
		m->completion, m->slowdown, m->slot_seconds, m->rescales,
		m->fairness, m->efficiency, m->parks, m->failures, m->repeated,
		m->repeated_steps);
}

static void json_row(FILE *to, const struct simulation_row *row)
{
	const struct sim_metrics *m = &row->metrics;
	cJSON *object = cJSON_CreateObject();
	char key[16];

	json_add_text(object, "policy", row->policy);
	if (row->what) {
		snprintf(key, sizeof(key), "%s_s", row->what);
		json_add_number(object, key, row->value);
	}
	json_add_number(object, "total_s", m->total);
	json_add_number(object, "utilisation", m->utilisation);
	json_add_number(object, "response_s", m->response);
	json_add_number(object, "completion_s", m->completion);
	json_add_number(object, "bounded_slowdown", m->slowdown);
	json_add_number(object, "slot_seconds", m->slot_seconds);
	json_add_number(object, "rescales", m->rescales);
	json_add_number(object, "fairness", m->fairness);
	json_add_number(object, "efficiency", m->efficiency);
	json_add_number(object, "parks", m->parks);
	json_add_number(object, "failures", m->failures);
	json_add_number(object, "repeated_s", m->repeated);
	json_add_number(object, "repeated_steps", m->repeated_steps);
	json_print(to, object);
}

const struct simulation_view simulation_table = {table_head, table_row};
const struct simulation_view simulation_csv = {csv_head, csv_row};
const struct simulation_view simulation_json = {NULL, json_row};

/* ---- decisions ---- */

static const char *const kinds[] = {
	[SCHED_START] = "start",   [SCHED_RESIZE] = "resize",
	[SCHED_PARK] = "park",     [SCHED_WAIT] = "wait",
	[SCHED_ASK] = "ask again",
};

static double seconds(usec_t time)
{
	return (double)time / 1e6;
}

static const char *name_of(const struct simulation_log *log,
			   const struct sched_job *job, char *text, size_t n)
{
	return simulation_job_name(log->workload, log->set, job->number, text,
				   n);
}

static void print_action(const struct simulation_log *log, usec_t now,
			 const struct sched_action *action)
{
	char name[96], other[96];

	fprintf(log->to, "[%10.1f s] %s", seconds(now), kinds[action->kind]);
	if (action->job)
		fprintf(log->to, " %s",
			name_of(log, action->job, name, sizeof(name)));
	if (action->kind == SCHED_START)
		fprintf(log->to, " on %u", action->size);
	if (action->kind == SCHED_RESIZE)
		fprintf(log->to, " %u -> %u", action->job->size, action->size);
	if (action->kind == SCHED_ASK)
		fprintf(log->to, " at %.1f s", seconds(action->at));
	fprintf(log->to, ": %s (%d free", sched_rule_text(action->reason.rule),
		action->reason.free);
	if (action->reason.other)
		fprintf(log->to, ", for %s",
			name_of(log, action->reason.other, other,
				sizeof(other)));
	fputs(")\n", log->to);
}

static void print_action_json(const struct simulation_log *log, usec_t now,
			      const struct sched_action *action)
{
	const struct sched_job *other = action->reason.other;
	cJSON *object = cJSON_CreateObject();
	char name[96];

	json_add_number(object, "time_s", seconds(now));
	json_add_text(object, "action", kinds[action->kind]);
	if (action->job)
		json_add_text(object, "job",
			      name_of(log, action->job, name, sizeof(name)));
	if (action->kind == SCHED_RESIZE)
		json_add_number(object, "from", action->job->size);
	if (action->size)
		json_add_number(object, "ranks", action->size);
	if (action->kind == SCHED_ASK)
		json_add_number(object, "at_s", seconds(action->at));
	json_add_text(object, "reason", sched_rule_text(action->reason.rule));
	json_add_number(object, "free", action->reason.free);
	if (other)
		json_add_text(object, "for",
			      name_of(log, other, name, sizeof(name)));
	json_print(log->to, object);
}

void simulation_log_action(void *user, usec_t now,
			   const struct sched_action *action)
{
	const struct simulation_log *log = user;

	if (log->json)
		print_action_json(log, now, action);
	else
		print_action(log, now, action);
}
