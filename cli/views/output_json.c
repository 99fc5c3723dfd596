/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/output.h"
#include "cli/views/queue_json.h"
#include "cli/views/spec.h"
#include "json/json.h"

#include <string.h>

static void add_machine(cJSON *object, const Bellows__V1__MachineSummary *from)
{
	cJSON *machine = from ? cJSON_CreateObject() : cJSON_CreateNull();

	cJSON_AddItemToObject(object, "machine", machine);
	if (!from)
		return;
	json_add_number(machine, "sockets", from->sockets);
	json_add_number(machine, "numa_nodes", from->numa_nodes);
	json_add_number(machine, "cores", from->cores);
	json_add_text(machine, "processors", from->processors);
	json_add_nonzero(machine, "memory_bytes", from->memory);
	json_add_nonzero(machine, "l2_bytes", from->l2);
	json_add_nonzero(machine, "l3_bytes", from->l3);
}

static cJSON *json_member(const Bellows__V1__Member *member)
{
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "name", member->name);
	json_add_text(object, "address", member->address);
	json_add_number(object, "slots", member->slots);
	json_add_number(object, "ranks", member->ranks);
	json_add_text(object, "state", member->state);
	json_add_number(object, "heard_ms", member->heard);
	add_machine(object, member->machine);
	return object;
}

static cJSON *json_phases(const struct pause *pause)
{
	static const char *const keys[] = {
		[PAUSE_SAVE] = "save_ms",
		[PAUSE_STOP] = "stop_ms",
		[PAUSE_START] = "start_ms",
		[PAUSE_FIRST_STEP] = "first_step_ms",
	};
	static const char *const part_keys[] = {
		[PART_COMPUTING] = "computing_ms",
		[PART_WRITING] = "writing_ms",
		[PART_STANDING] = "standing_ms",
	};
	cJSON *object = cJSON_CreateObject();

	for (int i = 0; i < PAUSE_PHASES; i++)
		json_add_known(object, keys[i], (double)pause->phase[i]);
	for (int i = 0; i < PARTS; i++)
		json_add_known(object, part_keys[i], (double)pause->part[i]);
	return object;
}

static void add_rescale(cJSON *object, const Bellows__V1__Rescale *rescale)
{
	struct pause pause = pause_of(rescale);

	json_add_number(object, "epoch", rescale->epoch);
	json_add_number(object, "from", rescale->from);
	json_add_number(object, "to", rescale->to);
	json_add_text(object, "reason", rescale->reason);
	json_add_text(object, "result", rescale->result);
	json_add_nonzero(object, "asked_ms", rescale->asked);
	json_add_nonzero(object, "executors_ms", rescale->executors);
	json_add_nonzero(object, "prepared_ms", rescale->prepared);
	json_add_nonzero(object, "ordered_ms", rescale->ordered);
	json_add_nonzero(object, "saved_ms", rescale->saved);
	json_add_nonzero(object, "stopped_ms", rescale->stopped);
	json_add_nonzero(object, "up_ms", rescale->up);
	json_add_nonzero(object, "resumed_ms", rescale->resumed);
	json_add_nonzero(object, "stepped_ms", rescale->stepped);
	json_add_nonzero(object, "last_step_ms", rescale->last_step);
	json_add_nonzero(object, "checkpoint_step", rescale->checkpoint);
	json_add_number(object, "repeated_steps", (double)rescale->repeated);
	json_add_known(object, "pause_ms", (double)pause.length);
	cJSON_AddItemToObject(object, "phases", json_phases(&pause));
	cJSON_AddBoolToObject(object, "due", rescale->due);
	cJSON_AddBoolToObject(object, "failed", rescale->failed);
}

static void add_lists(cJSON *object, const Bellows__V1__Job *job)
{
	cJSON *members = cJSON_AddArrayToObject(object, "members");
	cJSON *history = cJSON_AddArrayToObject(object, "history");
	cJSON *spans = cJSON_AddArrayToObject(object, "spans");

	for (size_t i = 0; i < job->n_members; i++)
		cJSON_AddItemToArray(members, json_member(job->members[i]));
	for (size_t i = 0; i < job->n_history; i++) {
		cJSON *rescale = cJSON_CreateObject();

		add_rescale(rescale, job->history[i]);
		cJSON_AddItemToArray(history, rescale);
	}
	for (size_t i = 0; i < job->n_spans; i++) {
		cJSON *span = cJSON_CreateObject();

		json_add_number(span, "from_ms", (double)job->spans[i]->from);
		json_add_nonzero(span, "to_ms", job->spans[i]->to);
		json_add_number(span, "ranks", job->spans[i]->ranks);
		cJSON_AddItemToArray(spans, span);
	}
}

static void add_eta(cJSON *object, const Bellows__V1__Job *job)
{
	json_add_known(object, "steps_per_s", job->rate > 0 ? job->rate : -1);
	json_add_known(object, "eta_ms", (double)job->eta);
	json_add_nonzero(object, "eta_sd_ms", job->eta_sd);
}

static void add_job(cJSON *object, const Bellows__V1__Job *job)
{
	json_add_text(object, "name", job->name);
	json_add_text(object, "state", state_name(job->state));
	json_add_text(object, "reason", job->reason);
	json_add_number(object, "ranks", job->size);
	json_add_number(object, "target", job->target);
	json_add_number(object, "want", job->want);
	json_add_number(object, "grant", job->grant);
	json_add_number(object, "min", job->min);
	json_add_number(object, "max", job->max);
	json_add_number(object, "epoch", job->epoch);
	json_add_known(object, "progress", job->progress);
	json_add_number(object, "step", (double)job->step);
	json_add_nonzero(object, "total", job->total);
	json_add_text(object, "unit", job->unit);
	json_add_number(object, "age_ms", (double)job->age);
	add_eta(object, job);
	json_add_number(object, "executors_wanted", job->executors_wanted);
	json_add_number(object, "rescales", job->rescales);
	json_add_number(object, "paused_ms", (double)job_paused(job));
	if (state_is_over(job->state))
		json_add_number(object, "exit_code", job->exit_code);
	else
		cJSON_AddNullToObject(object, "exit_code");
	json_add_text(object, "network", job->network);
	json_add_text(object, "binding", job->binding);
	json_add_text(object, "trouble", job->trouble);
	json_add_text(object, "shortfall", job->shortfall);
	json_add_text(object, "disk", job->disk);
	json_add_text(object, "stall", job->stall);
	add_lists(object, job);
}

static void add_now(cJSON *object, const Bellows__V1__Job *job)
{
	json_add_text(object, "state", state_name(job->state));
	json_add_text(object, "reason", job->reason);
	json_add_number(object, "ranks", job->size);
	json_add_number(object, "target", job->target);
	json_add_known(object, "progress", job->progress);
	json_add_number(object, "step", (double)job->step);
	add_eta(object, job);
}

static const char *const event_names[] = {
	[EVENT_STATE] = "state",     [EVENT_PROGRESS] = "progress",
	[EVENT_SAVED] = "saved",     [EVENT_RESCALED] = "rescaled",
	[EVENT_TROUBLE] = "trouble", [EVENT_OVER] = "over",
	[EVENT_MESSAGE] = "message", [EVENT_OUTPUT] = "output",
	[EVENT_NOTICE] = "notice",
};

static void json_event(FILE *to, const struct event *event)
{
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "event", event_names[event->kind]);
	json_add_known(object, "time_ms",
		       event->job ? (double)event->job->age : -1);
	switch (event->kind) {
	case EVENT_STATE:
	case EVENT_PROGRESS:
		add_now(object, event->job);
		break;
	case EVENT_SAVED:
	case EVENT_RESCALED:
		add_rescale(object, event->rescale);
		break;
	case EVENT_TROUBLE:
		json_add_text(object, "text", event->job->trouble);
		break;
	case EVENT_OVER:
		add_job(object, event->job);
		break;
	case EVENT_NOTICE:
	case EVENT_MESSAGE:
		json_add_text(object, "text", event->text);
		break;
	case EVENT_OUTPUT:
		json_add_text(object, "stream",
			      event->error ? "stderr" : "stdout");
		json_add_bytes(object, "text", event->text, event->size);
		break;
	}
	json_print(to, object);
}

static void json_jobs(FILE *to, Bellows__V1__Job *const *jobs, size_t n,
		      bool list)
{
	cJSON *all = cJSON_CreateObject(), *array;

	if (!list) {
		add_job(all, jobs[0]);
		json_print(to, all);
		return;
	}
	array = cJSON_AddArrayToObject(all, "jobs");
	for (size_t i = 0; i < n; i++) {
		cJSON *job = cJSON_CreateObject();

		add_job(job, jobs[i]);
		cJSON_AddItemToArray(array, job);
	}
	json_print(to, all);
}

static void json_scaled(FILE *to, const char *job,
			const Bellows__V1__ScaleReply *reply)
{
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "job", job);
	cJSON_AddBoolToObject(object, "accepted", reply->accepted);
	json_add_text(object, "code", scale_code_name(reply->code));
	json_add_text(object, "reason", reply->reason);
	json_add_number(object, "from", reply->from);
	json_add_number(object, "to", reply->to);
	json_print(to, object);
}

static void json_queued(FILE *to, const struct queue_answer *queued)
{
	cJSON *object = cJSON_CreateObject();

	json_add_number(object, "number", (double)queued->number);
	json_add_text(object, "name", queued->name);
	if (queued->state)
		json_add_text(object, "state", queued->state);
	json_add_text(object, "note", queued->note);
	json_print(to, object);
}

const struct output output_json = {
	.name = "json",
	.event = json_event,
	.jobs = json_jobs,
	.scaled = json_scaled,
	.queue = queue_json_print,
	.queued = json_queued,
	.explained = queue_json_explain,
	.spec = spec_print_json,
	.failure = json_print_failure,
};
