/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/queue_json.h"

#include "json/json.h"

static cJSON *json_job(const Bellows__V1__QueueJob *job)
{
	cJSON *object = cJSON_CreateObject(), *after;

	json_add_number(object, "number", (double)job->number);
	json_add_text(object, "name", job->name);
	json_add_text(object, "user", job->user);
	json_add_number(object, "priority", job->priority);
	json_add_text(object, "state", listed_state_name(job->state));
	json_add_text(object, "reason", job->reason);
	json_add_number(object, "min", job->min);
	json_add_number(object, "max", job->max);
	json_add_nonzero(object, "want", job->want);
	json_add_number(object, "grant", job->grant);
	json_add_number(object, "ranks", job->size);
	json_add_known(object, "progress", job->progress);
	json_add_known(object, "steps_per_s", job->rate > 0 ? job->rate : -1);
	json_add_known(object, "eta_ms", (double)job->eta);
	json_add_nonzero(object, "eta_sd_ms", job->eta_sd);
	json_add_nonzero(object, "submitted_ms", job->submitted);
	json_add_nonzero(object, "started_ms", job->started);
	json_add_nonzero(object, "ended_ms", job->ended);
	if (listed_state_is_over(job->state))
		json_add_number(object, "exit_code", job->exit_code);
	else
		cJSON_AddNullToObject(object, "exit_code");
	after = cJSON_AddArrayToObject(object, "after");
	for (size_t i = 0; i < job->n_after; i++)
		cJSON_AddItemToArray(after,
				     cJSON_CreateNumber((double)job->after[i]));
	json_add_number(object, "rescales", job->rescales);
	json_add_number(object, "parks", job->parks);
	cJSON_AddBoolToObject(object, "held", job->held);
	json_add_text(object, "state_dir", job->state_dir);
	json_add_text(object, "output", job->output);
	return object;
}

static cJSON *json_span(const Bellows__V1__QueueSpan *span)
{
	cJSON *object = cJSON_CreateObject();

	json_add_number(object, "number", (double)span->number);
	json_add_nonzero(object, "from_ms", span->from);
	json_add_nonzero(object, "to_ms", span->to);
	json_add_number(object, "slots", span->slots);
	return object;
}

void queue_json_print(FILE *to, const Bellows__V1__Queue *queue,
		      const struct queue_table *table)
{
	cJSON *object = cJSON_CreateObject(), *list;

	json_add_number(object, "now_ms", (double)queue->now);
	json_add_nonzero(object, "since_ms", queue->since);
	json_add_text(object, "policy", queue->policy);
	json_add_text(object, "where", queue->where);
	json_add_number(object, "slots", queue->slots);
	json_add_number(object, "used", queue->used);
	json_add_text(object, "trouble", queue->trouble);
	list = cJSON_AddArrayToObject(object, "jobs");
	for (size_t i = 0; i < queue->n_jobs; i++)
		if (queue_table_shows(table, queue, queue->jobs[i]))
			cJSON_AddItemToArray(list, json_job(queue->jobs[i]));
	list = cJSON_AddArrayToObject(object, "spans");
	for (size_t i = 0; i < queue->n_spans; i++)
		cJSON_AddItemToArray(list, json_span(queue->spans[i]));
	json_print(to, object);
}

static cJSON *json_alternative(const Bellows__V1__Alternative *alternative)
{
	cJSON *object = cJSON_CreateObject();

	json_add_number(object, "ranks", alternative->size);
	json_add_known(object, "seconds", alternative->seconds);
	json_add_known(object, "sd", alternative->sd);
	cJSON_AddBoolToObject(object, "chosen", alternative->chosen);
	return object;
}

static cJSON *json_decision(const Bellows__V1__Decision *decision)
{
	cJSON *object = cJSON_CreateObject(), *list;

	json_add_number(object, "at_ms", (double)decision->at);
	json_add_text(object, "action", decision->kind);
	json_add_text(object, "policy", decision->policy);
	json_add_text(object, "reason", decision->rule);
	json_add_nonzero(object, "want", decision->want);
	json_add_number(object, "from", decision->from);
	json_add_number(object, "to", decision->to);
	json_add_number(object, "ranks", decision->size);
	json_add_number(object, "free", decision->free);
	json_add_number(object, "queued", decision->queued);
	json_add_number(object, "running", decision->running);
	json_add_text(object, "for", decision->other);
	json_add_known(object, "step_s",
		       decision->step > 0 ? decision->step : -1);
	json_add_number(object, "price_s", decision->price);
	json_add_known(object, "steps_left",
		       decision->left > 0 ? decision->left : -1);
	list = cJSON_AddArrayToObject(object, "alternatives");
	for (size_t i = 0; i < decision->n_alternatives; i++)
		cJSON_AddItemToArray(
			list, json_alternative(decision->alternatives[i]));
	return object;
}

void queue_json_explain(FILE *to, const Bellows__V1__ExplainReply *reply)
{
	cJSON *object = cJSON_CreateObject(), *list;

	if (reply->job)
		cJSON_AddItemToObject(object, "job", json_job(reply->job));
	list = cJSON_AddArrayToObject(object, "decisions");
	for (size_t i = 0; i < reply->n_decisions; i++)
		cJSON_AddItemToArray(list, json_decision(reply->decisions[i]));
	json_add_number(object, "forgotten", reply->forgotten);
	json_print(to, object);
}
