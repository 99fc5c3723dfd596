/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/print_json.h"

#include "json/json.h"

#include <stddef.h>
#include <string.h>

/* A number of an entry: bool, or 4 or 8 bytes. */
struct member {
	const char *key;
	size_t at, size;
	bool may_be_unknown; /* if it is 0 */
};

enum { MEMBERS_MAX = 24 };

#define MEMBER(key, member, may_be_unknown)                                    \
	{                                                                      \
		key, offsetof(struct journal_entry, member),                   \
			sizeof(((struct journal_entry *)NULL)->member),        \
			may_be_unknown                                         \
	}
#define N(key, member)     MEMBER(key, member, false)
#define MAYBE(key, member) MEMBER(key, member, true)

/* clang-format off */
static const struct {
	const char *word, *text; /* the entry's, and the key of its text */
	struct member members[MEMBERS_MAX]; /* to the first without a key */
} kinds[] = {
	[JOURNAL_BEGUN] = {"begun", "job", {
		N("version", begun.version), N("wall_ms", begun.wall),
		N("ranks", begun.initial), N("retries", begun.retries),
		N("has_checkpoint", begun.has_checkpoint),
		N("proves", begun.proves), N("starts", begun.starts)}},
	[JOURNAL_LIFE] = {"life", NULL, {
		N("wall_ms", life.wall), N("starts", life.starts)}},
	[JOURNAL_EVENT] = {"event", "text", {
		MAYBE("event_epoch", event.epoch),
		N("event_size", event.size),
		MAYBE("leave_ms", event.leave)}},
	[JOURNAL_SEEN] = {"seen", NULL, {
		N("step", seen.step), MAYBE("total", seen.total),
		N("seen_ms", seen.when), N("first", seen.first)}},
	[JOURNAL_CHECKPOINT] = {"checkpoint", NULL, {
		N("step", checkpoint.step)}},
	[JOURNAL_REPEATED] = {"repeated", NULL, {
		N("steps", repeated.steps)}},
	[JOURNAL_NOTICE] = {"notice", "text", {N("kind", notice.kind)}},
	[JOURNAL_BINDING] = {"binding", "processors", {
		N("epoch", binding.epoch)}},
	[JOURNAL_REQUEST] = {"request", "id", {
		N("from", request.from), N("to", request.to)}},
	[JOURNAL_JOB] = {"job", NULL, {
		N("want", job.want), N("ranks", job.size), N("begun", job.begun),
		N("target", job.target), N("proven", job.proven),
		N("resumed", job.resumed), N("stepped", job.stepped),
		N("worked", job.worked), N("starts", job.starts),
		N("epoch", job.epoch), N("next", job.next),
		N("retries_left", job.retries_left),
		N("has_checkpoint", job.has_checkpoint),
		N("failed", job.failed), N("failures", job.failures),
		N("instead", job.instead), N("drops", job.drops),
		MAYBE("again_ms", job.again), MAYBE("leave_ms", job.leave),
		MAYBE("deadline_ms", job.deadline),
		N("hands_over", job.hands_over)}},
	[JOURNAL_PROGRESS] = {"progress", NULL, {
		N("lives", progress.lives),
		N("rescales", progress.rescales_done),
		N("step", progress.step), MAYBE("total", progress.total),
		MAYBE("last_step_ms", progress.last_step),
		N("first_step", progress.first_step),
		MAYBE("first_step_ms", progress.first_step_at),
		N("ordered_at_step", progress.ordered_at),
		N("saved_after_step", progress.saved_after)}},
	[JOURNAL_TALLY] = {"tally", NULL, {
		N("grown", tally.grown), N("shrunk", tally.shrunk),
		N("recovered", tally.recovered),
		N("checkpoints", tally.checkpoints),
		N("dropped", tally.dropped),
		N("declined", tally.declined), N("lost", tally.lost),
		N("drained", tally.drained),
		N("executors_ms", tally.phases[PHASE_EXECUTORS]),
		N("prepare_ms", tally.phases[PHASE_PREPARE]),
		N("save_ms", tally.phases[PHASE_SAVE]),
		N("stop_ms", tally.phases[PHASE_STOP]),
		N("start_ms", tally.phases[PHASE_START]),
		N("first_step_ms", tally.phases[PHASE_STEP]),
		N("paused_ms", tally.paused),
		N("repeated_steps", tally.repeated)}},
	[JOURNAL_SPAN] = {"span", NULL, {
		N("from_ms", span.from), MAYBE("to_ms", span.to),
		N("ranks", span.ranks)}},
	[JOURNAL_RESCALE] = {"rescale", "reason", {
		N("epoch", rescale.epoch), N("from", rescale.from),
		N("to", rescale.to), MAYBE("asked_ms", rescale.asked),
		MAYBE("executors_ms", rescale.executors),
		MAYBE("prepared_ms", rescale.prepared),
		MAYBE("ordered_ms", rescale.ordered),
		MAYBE("saved_ms", rescale.saved),
		MAYBE("stopped_ms", rescale.stopped),
		MAYBE("up_ms", rescale.up), MAYBE("resumed_ms", rescale.resumed),
		MAYBE("stepped_ms", rescale.stepped),
		MAYBE("last_step_ms", rescale.last_step),
		N("repeated_steps", rescale.repeated),
		MAYBE("checkpoint_step", rescale.checkpoint),
		N("recovery", rescale.recovery), N("due", rescale.due),
		N("failed", rescale.failed),
		N("goes_back", rescale.goes_back)}},
	[JOURNAL_RESULT] = {"result", "result", {{NULL, 0, 0, false}}},
	[JOURNAL_NOTICED] = {"noticed", "text", {
		N("number", noticed.number), N("noticed_ms", noticed.at),
		N("kind", noticed.kind)}},
	[JOURNAL_ANSWERED] = {"answered", "id", {
		N("number", answered.number), N("from", answered.from),
		N("to", answered.to)}},
};
/* clang-format on */

static double number_of(const struct journal_entry *entry,
			const struct member *member)
{
	const char *at = (const char *)entry + member->at;
	uint32_t narrow;
	uint64_t wide;

	if (member->size == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return (double)wide;
}

static void add_member(cJSON *object, const struct journal_entry *entry,
		       const struct member *member)
{
	double value;

	if (member->size == sizeof(bool)) {
		cJSON_AddBoolToObject(object, member->key,
				      ((const char *)entry)[member->at]);
		return;
	}
	value = number_of(entry, member);
	json_add_known(object, member->key,
		       member->may_be_unknown && value == 0 ? -1 : value);
}

/* What the event made of the job. */
static void add_event(cJSON *object, const struct journal_told *told)
{
	const struct job *job = told->job;

	json_add_text(object, "event", job_event_name(told->entry->event.type));
	json_add_text(object, "before", job_state_name(told->before->state));
	json_add_text(object, "state", job_state_name(job->state));
	json_add_number(object, "ranks", job->size);
	json_add_number(object, "target", job->target);
	json_add_number(object, "epoch", job->epoch);
}

/* Of a summary. */
static void add_job(cJSON *object, const struct job *job)
{
	json_add_text(object, "state", job_state_name(job->state));
	json_add_number(object, "grant",
			job->grant == JOB_NO_GRANT ? 0 : (double)job->grant);
}

static void add_pause(cJSON *object, const struct pause *pause)
{
	json_add_known(object, "pause_ms", (double)pause->length);
	json_add_known(object, "computing_ms",
		       (double)pause->part[PART_COMPUTING]);
	json_add_known(object, "writing_ms", (double)pause->part[PART_WRITING]);
	json_add_known(object, "standing_ms",
		       (double)pause->part[PART_STANDING]);
}

void journal_print_json(FILE *to, const struct journal_told *told)
{
	const struct journal_entry *entry = told->entry;
	const struct member *member = kinds[entry->kind].members;
	cJSON *object = cJSON_CreateObject();

	json_add_number(object, "time_ms", (double)entry->at);
	json_add_text(object, "entry", kinds[entry->kind].word);
	if (entry->kind == JOURNAL_EVENT)
		add_event(object, told);
	if (entry->kind == JOURNAL_JOB)
		add_job(object, &entry->job);
	for (; member->key; member++)
		add_member(object, entry, member);
	if (kinds[entry->kind].text)
		json_add_text(object, kinds[entry->kind].text, entry->text);
	if (told->pause)
		add_pause(object, told->pause);
	json_print(to, object);
}

void journal_print_json_end(FILE *to, const struct journal_end *end)
{
	cJSON *object;

	if (!end->torn && !end->damaged)
		return;
	object = cJSON_CreateObject();
	json_add_text(object, "entry", end->torn ? "torn" : "damaged");
	json_add_number(object, "line", end->lines + 1);
	json_print(to, object);
}
