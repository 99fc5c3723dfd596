/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/spec.h"

#include "base/text.h"
#include "json/json.h"

static const char *const policy_names[] = {
	[SCALE_MANUAL] = "manual",
	[SCALE_SCHEDULE] = "schedule",
	[SCALE_BENEFIT] = "benefit",
	[SCALE_THRESHOLD] = "threshold",
};

static const char *const goal_names[] = {
	[SCALE_SOONEST] = "soonest",
	[SCALE_CHEAPEST] = "cheapest",
	[SCALE_FINISH_BY] = "deadline",
	[SCALE_EFFICIENCY] = "efficiency",
};

static const char *const profile_names[] = {
	[PROFILE_NETWORK] = "network",
	[PROFILE_CPU] = "cpu",
	[PROFILE_MEMORY] = "memory",
};

static const char *const network_names[] = {
	[NETWORK_AUTO] = "auto",
	[NETWORK_TCP] = "tcp",
	[NETWORK_ANY] = "any",
};

static const char *const bind_names[] = {
	[BIND_NONE] = "none",
	[BIND_CORE] = "core",
	[BIND_SOCKET] = "socket",
	[BIND_NUMA] = "numa",
};

static void print_words(FILE *to, const char *key, const char *const *words)
{
	if (!words || !*words)
		return;
	fprintf(to, "%-20s", key);
	for (; *words; words++)
		fprintf(to, " %s", text_safe(*words).s);
	fputc('\n', to);
}

static void print_text(FILE *to, const char *key, const char *text)
{
	fprintf(to, "%-20s %s\n", key, text);
}

static void print_schedule(FILE *to, const struct jobfile *job)
{
	for (size_t i = 0; i < job->n_schedule; i++) {
		const struct schedule_step *at = &job->schedule[i];

		if (at->progress >= 0)
			fprintf(to, "%-20s at %g %%: %u ranks\n", "",
				at->progress * 100, at->ranks);
		else
			fprintf(to, "%-20s after %s: %u ranks\n", "",
				text_duration(at->after).s, at->ranks);
	}
}

static void print_goal(FILE *to, const struct jobfile *job)
{
	if (job->policy != SCALE_BENEFIT)
		return;
	print_text(to, "goal", goal_names[job->goal]);
	if (job->goal == SCALE_FINISH_BY)
		print_text(to, "finish by", text_duration(job->finish_by).s);
	if (job->goal == SCALE_EFFICIENCY)
		fprintf(to, "%-20s %g %%\n", "efficiency",
			job->efficiency * 100);
	print_text(to, "probe", job->probes ? "true" : "false");
}

static void print_threshold(FILE *to, const struct jobfile *job)
{
	const struct scale_threshold *threshold = &job->threshold;

	if (job->policy != SCALE_THRESHOLD)
		return;
	print_text(to, "query", text_safe(threshold->query).s);
	fprintf(to, "%-20s %s, every %s\n", "prometheus",
		text_safe(threshold->server).s,
		text_duration(threshold->every).s);
	fprintf(to, "%-20s above %g for %s: %u more\n", "", threshold->above,
		text_duration(threshold->lasts).s, threshold->step);
	fprintf(to, "%-20s below %g for %s: %u fewer\n", "", threshold->below,
		text_duration(threshold->lasts).s, threshold->step);
	if (threshold->ca_file)
		print_text(to, "ca file", text_safe(threshold->ca_file).s);
	if (threshold->token_file)
		print_text(to, "token file",
			   text_safe(threshold->token_file).s);
}

static const char *interval_word(const struct jobfile *job)
{
	return job->checkpoint_interval == CHECKPOINT_AUTO ? "auto" : "none";
}

static void print_interval(FILE *to, const struct jobfile *job)
{
	if (job->checkpoint_interval < 0)
		print_text(to, "checkpoint interval", interval_word(job));
	else
		print_text(to, "checkpoint interval",
			   text_duration(job->checkpoint_interval).s);
}

static const char *stall_word(const struct jobfile *job)
{
	return job->restarts_stalled ? "restart" : "tell";
}

static void print_stall(FILE *to, const struct jobfile *job)
{
	if (job->stall_after > 0)
		fprintf(to, "%-20s %s: %s\n", "stall after",
			text_duration(job->stall_after).s, stall_word(job));
}

void spec_print(FILE *to, const struct jobfile *job)
{
	print_text(to, "name", job->name);
	print_text(to, "app", job->adapter->name);
	print_words(to, "command", job->app.command);
	print_text(to, "directory", text_safe(job->app.dir).s);
	fprintf(to, "%-20s %u at first, %u to %u\n", "ranks",
		job->ranks.initial, job->ranks.min, job->ranks.max);
	fprintf(to, "%-20s %u\n", "ranks per executor",
		job->ranks_per_executor);
	fprintf(to, "%-20s %s, complete within %s\n", "checkpoint",
		text_safe(job->app.checkpoint_dir).s,
		text_duration(job->checkpoint_deadline).s);
	print_interval(to, job);
	print_text(to, "scaling", policy_names[job->policy]);
	print_goal(to, job);
	print_threshold(to, job);
	print_schedule(to, job);
	print_text(to, "scale deadline", text_duration(job->scale_deadline).s);
	print_text(to, "wait deadline", text_duration(job->wait_deadline).s);
	print_text(to, "start deadline", text_duration(job->start_deadline).s);
	print_stall(to, job);
	fprintf(to, "%-20s %u\n", "restarts", job->restarts);
	if (job->profile != PROFILE_UNKNOWN)
		print_text(to, "profile", profile_names[job->profile]);
	if (job->exclusive)
		print_text(to, "exclusive", "true");
	print_text(to, "network", network_names[job->network]);
	if (job->bind != BIND_NONE)
		fprintf(to, "%-20s to %s%s\n", "bound", bind_names[job->bind],
			job->bind_strict ? ", or not started" : "");
	print_words(to, "environment", job->environment);
	print_words(to, "mpiexec arguments", job->mpi_arguments);
}

static cJSON *json_words(const char *const *words)
{
	cJSON *array = cJSON_CreateArray();

	for (; words && *words; words++)
		cJSON_AddItemToArray(array, cJSON_CreateString(*words));
	return array;
}

static cJSON *json_schedule(const struct jobfile *job)
{
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; i < job->n_schedule; i++) {
		const struct schedule_step *at = &job->schedule[i];
		cJSON *step = cJSON_CreateObject();

		if (at->progress >= 0)
			json_add_number(step, "progress", at->progress);
		else
			json_add_number(step, "after_ms", (double)at->after);
		json_add_number(step, "ranks", at->ranks);
		cJSON_AddItemToArray(array, step);
	}
	return array;
}

static void json_goal(cJSON *all, const struct jobfile *job)
{
	if (job->policy != SCALE_BENEFIT)
		return;
	json_add_text(all, "goal", goal_names[job->goal]);
	if (job->goal == SCALE_FINISH_BY)
		json_add_number(all, "finish_by_ms", (double)job->finish_by);
	if (job->goal == SCALE_EFFICIENCY)
		json_add_number(all, "efficiency", job->efficiency);
	cJSON_AddBoolToObject(all, "probe", job->probes);
}

static void json_threshold(cJSON *all, const struct jobfile *job)
{
	const struct scale_threshold *threshold = &job->threshold;

	if (job->policy != SCALE_THRESHOLD)
		return;
	json_add_text(all, "prometheus", threshold->server);
	json_add_text(all, "query", threshold->query);
	json_add_number(all, "above", threshold->above);
	json_add_number(all, "below", threshold->below);
	json_add_number(all, "for_ms", (double)threshold->lasts);
	json_add_number(all, "every_ms", (double)threshold->every);
	json_add_number(all, "step", threshold->step);
	if (threshold->ca_file)
		json_add_text(all, "ca_file", threshold->ca_file);
	if (threshold->token_file)
		json_add_text(all, "token_file", threshold->token_file);
}

void spec_print_json(FILE *to, const struct jobfile *job)
{
	cJSON *all = cJSON_CreateObject();
	cJSON *ranks = cJSON_CreateObject();

	cJSON_AddBoolToObject(all, "valid", true);
	json_add_text(all, "name", job->name);
	json_add_text(all, "app", job->adapter->name);
	cJSON_AddItemToObject(all, "command", json_words(job->app.command));
	json_add_text(all, "directory", job->app.dir);
	json_add_number(ranks, "initial", job->ranks.initial);
	json_add_number(ranks, "min", job->ranks.min);
	json_add_number(ranks, "max", job->ranks.max);
	json_add_number(ranks, "per_executor", job->ranks_per_executor);
	cJSON_AddItemToObject(all, "ranks", ranks);
	json_add_text(all, "checkpoint_dir", job->app.checkpoint_dir);
	json_add_number(all, "checkpoint_deadline_ms",
			(double)job->checkpoint_deadline);
	if (job->checkpoint_interval < 0)
		json_add_text(all, "checkpoint_interval", interval_word(job));
	else
		json_add_number(all, "checkpoint_interval_ms",
				(double)job->checkpoint_interval);
	json_add_number(all, "checkpoint_mtbf_ms",
			(double)job->checkpoint_mtbf);
	json_add_text(all, "policy", policy_names[job->policy]);
	json_goal(all, job);
	json_threshold(all, job);
	cJSON_AddItemToObject(all, "schedule", json_schedule(job));
	json_add_number(all, "scale_deadline_ms", (double)job->scale_deadline);
	json_add_number(all, "wait_deadline_ms", (double)job->wait_deadline);
	json_add_number(all, "start_deadline_ms", (double)job->start_deadline);
	json_add_known(all, "stall_after_ms",
		       job->stall_after > 0 ? (double)job->stall_after : -1);
	json_add_text(all, "on_stall", stall_word(job));
	json_add_number(all, "restarts", job->restarts);
	if (job->profile != PROFILE_UNKNOWN)
		json_add_text(all, "profile", profile_names[job->profile]);
	json_add_number(all, "move_price", job->move_price);
	cJSON_AddBoolToObject(all, "exclusive", job->exclusive);
	json_add_text(all, "network", network_names[job->network]);
	json_add_text(all, "bind", bind_names[job->bind]);
	cJSON_AddBoolToObject(all, "bind_strict", job->bind_strict);
	cJSON_AddItemToObject(all, "environment", json_words(job->environment));
	cJSON_AddItemToObject(all, "mpi_arguments",
			      json_words(job->mpi_arguments));
	json_print(to, all);
}
