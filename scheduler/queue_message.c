/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/queue_message.h"

#include "base/text.h"
#include "scheduler/clock.h"

#include <errno.h>
#include <stdlib.h>

/* What is made for one job: the message, its reason, its folder. */
struct shown {
	Bellows__V1__QueueJob job;
	char reason[RECORD_WHY_MAX];
	char output[PATH_MAX + 16];
};

static Bellows__V1__QueueState state_of(const struct queue_job *life)
{
	static const Bellows__V1__QueueState states[QUEUE_STATES] = {
		[QUEUE_WAITING] = BELLOWS__V1__QUEUE_STATE__QUEUE_WAITING,
		[QUEUE_HELD] = BELLOWS__V1__QUEUE_STATE__QUEUE_HELD,
		[QUEUE_STARTING] = BELLOWS__V1__QUEUE_STATE__QUEUE_STARTING,
		[QUEUE_RUNNING] = BELLOWS__V1__QUEUE_STATE__QUEUE_RUNNING,
		[QUEUE_STOPPING] = BELLOWS__V1__QUEUE_STATE__QUEUE_STOPPING,
		[QUEUE_PARKED] = BELLOWS__V1__QUEUE_STATE__QUEUE_PARKED,
		[QUEUE_DONE] = BELLOWS__V1__QUEUE_STATE__QUEUE_DONE,
		[QUEUE_FAILED] = BELLOWS__V1__QUEUE_STATE__QUEUE_FAILED,
		[QUEUE_CANCELLED] = BELLOWS__V1__QUEUE_STATE__QUEUE_CANCELLED,
	};

	return states[queue_job_state(life)];
}

static int free_slots(const struct scheduler *scheduler)
{
	int slots = (int)scheduler->config->slots;

	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);
		unsigned has = queued_slots(queued);
		unsigned grant = queued->record.life.grant;

		slots -= (int)(has > grant ? has : grant);
	}
	return slots;
}

static void tell_waiting(const struct queued *queued, int spare,
			 char text[RECORD_WHY_MAX])
{
	const struct scheduler *scheduler = queued->scheduler;
	const struct record *record = &queued->record;

	if (record->n_after > 0)
		snprintf(text, RECORD_WHY_MAX,
			 "it comes after %u job%s not over yet",
			 record->n_after,
			 record->n_after == 1 ? " that is" : "s that are");
	else if (!queued->written)
		snprintf(text, RECORD_WHY_MAX,
			 "it is not on the disk yet: %.280s",
			 scheduler->book.trouble.text);
	else if (record->min > scheduler->config->slots)
		snprintf(text, RECORD_WHY_MAX,
			 "it needs %u slots, and there are only %u",
			 record->min, scheduler->config->slots);
	else
		snprintf(text, RECORD_WHY_MAX,
			 "it needs at least %u slot%s; %d of %u are free",
			 record->min, text_plural(record->min),
			 spare > 0 ? spare : 0, scheduler->config->slots);
}

static void tell(const struct queued *queued, int spare,
		 char text[RECORD_WHY_MAX])
{
	const struct record *record = &queued->record;

	switch (queue_job_state(&record->life)) {
	case QUEUE_WAITING:
	case QUEUE_PARKED:
		tell_waiting(queued, spare, text);
		return;
	case QUEUE_STARTING:
		if (!record->life.runs) {
			snprintf(text, RECORD_WHY_MAX,
				 "other jobs still leave the slots that it "
				 "gets");
			return;
		}
		if (!queued->programs.alive && queued->scheduler->book.fails) {
			snprintf(text, RECORD_WHY_MAX,
				 "it starts once the disk has room: %.280s",
				 queued->scheduler->book.trouble.text);
			return;
		}
		/* fallthrough */
	case QUEUE_RUNNING:
		if (*queued->view.shortfall) {
			snprintf(text, RECORD_WHY_MAX, "%s",
				 queued->view.shortfall);
			return;
		}
		break;
	case QUEUE_HELD:
	case QUEUE_STOPPING:
	case QUEUE_DONE:
	case QUEUE_FAILED:
	case QUEUE_CANCELLED:
	case QUEUE_STATES:
		break;
	}
	snprintf(text, RECORD_WHY_MAX, "%s", record->why);
}

static void show(struct shown *out, const struct queued *queued, int spare)
{
	const struct record *record = &queued->record;
	const struct queued_view *view = &queued->view;
	Bellows__V1__QueueJob *job = &out->job;

	bellows__v1__queue_job__init(job);
	tell(queued, spare, out->reason);
	if (!queued->coordinator.reach)
		snprintf(out->output, sizeof(out->output), "%s/output",
			 queued->programs.dir);
	job->number = record->number;
	job->name = (char *)record->name;
	job->user = (char *)record->user;
	job->priority = record->priority;
	job->state = state_of(&record->life);
	job->reason = out->reason;
	job->min = record->min;
	job->max = record->max;
	job->want = record->want;
	job->grant = record->life.grant;
	job->size = view->size;
	job->progress = record->life.over && record->life.end == QUEUE_DONE
				? 1
				: view->progress;
	job->eta = view->eta;
	job->eta_sd = view->eta_sd;
	job->rate = view->rate;
	job->submitted = (uint64_t)record->submitted;
	job->started = (uint64_t)record->started;
	job->ended = (uint64_t)record->ended;
	job->exit_code = record->life.code;
	job->n_after = record->n_after;
	job->after = (uint64_t *)record->after;
	job->rescales = record->rescales;
	job->parks = record->parks;
	job->state_dir = (char *)queued->coordinator.dir.path;
	job->output = out->output;
	job->held = record->life.held;
}

int queue_message_fill(Bellows__V1__Queue *out,
		       const struct scheduler *scheduler,
		       const struct queued *one)
{
	size_t n = one ? 1 : scheduler->n, i = 0;
	int spare = free_slots(scheduler);
	struct shown *shown;

	bellows__v1__queue__init(out);
	out->jobs = calloc(n + 1, sizeof(*out->jobs));
	shown = calloc(n + 1, sizeof(*shown));
	if (!out->jobs || !shown) {
		free(shown);
		free(out->jobs);
		out->jobs = NULL;
		return -ENOMEM;
	}
	/* one block; queue_message_clear() frees it by its first job */
	out->jobs[0] = &shown[0].job;
	if (one)
		show(&shown[i++], one, spare);
	else
		list_for_each (at, &scheduler->jobs)
			show(&shown[i++], CONTAINER(at, struct queued, link),
			     spare);
	for (size_t k = 0; k < i; k++)
		out->jobs[k] = &shown[k].job;
	out->n_jobs = i;
	out->now = (uint64_t)clock_wall();
	out->policy = (char *)scheduler->policy->name;
	out->slots = scheduler->config->slots;
	out->used = (uint32_t)((int)out->slots - (spare > 0 ? spare : 0));
	out->trouble = (char *)scheduler->book.trouble.text;
	out->since = (uint64_t)scheduler->since;
	out->where = (char *)place_name(&scheduler->place);
	return 0;
}

static bool is_of(const struct queue_span *span, const struct queued *one)
{
	return !one || span->number == one->record.number;
}

int queue_message_add_spans(Bellows__V1__Queue *out,
			    const struct scheduler *scheduler,
			    const struct queued *one)
{
	const struct queue_span *at;
	Bellows__V1__QueueSpan *spans;
	size_t n = 0;

	spans = calloc(SPANS_OF_QUEUE_MAX, sizeof(*spans));
	out->spans = calloc(SPANS_OF_QUEUE_MAX, sizeof(*out->spans));
	if (!spans || !out->spans) {
		free(spans);
		free(out->spans);
		out->spans = NULL;
		return -ENOMEM;
	}
	/* one block, as of the jobs */
	out->spans[0] = spans;
	for (size_t i = 0; (at = spans_at(&scheduler->spans, i)); i++) {
		if (!is_of(at, one))
			continue;
		bellows__v1__queue_span__init(&spans[n]);
		spans[n].number = at->number;
		spans[n].from = (uint64_t)at->from;
		spans[n].to = (uint64_t)at->to;
		spans[n].slots = at->slots;
		out->spans[n] = &spans[n];
		n++;
	}
	out->n_spans = n;
	return 0;
}

void queue_message_clear(Bellows__V1__Queue *queue)
{
	if (queue->spans)
		free(queue->spans[0]);
	free(queue->spans);
	queue->spans = NULL;
	if (queue->jobs)
		free(CONTAINER(queue->jobs[0], struct shown, job));
	free(queue->jobs);
	queue->jobs = NULL;
}
