/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/past.h"

#include <stdio.h>
#include <string.h>

static void begin(struct past *past, const struct journal_entry *e)
{
	const struct job_patience patience = {
		.resume = e->begun.proves,
		.retries = e->begun.retries,
	};

	past->any = true;
	past->lives = 1;
	past->wall = e->begun.wall;
	past->initial = e->begun.initial;
	snprintf(past->name, sizeof(past->name), "%.63s", e->text);
	job_init(&past->job, e->begun.initial, &patience,
		 e->begun.has_checkpoint, e->at);
	past->job.starts = e->begun.starts;
	history_init(&past->history, 0);
}

static bool step(struct past *past, const struct journal_entry *e)
{
	const struct job_event event = {
		.type = e->event.type,
		.now = e->at,
		.epoch = e->event.epoch,
		.size = e->event.size,
		.leave = e->event.leave,
	};
	const struct job before = past->job;

	if (!job_step(&past->job, &event))
		return false;
	if (event.type == JOB_EV_SCALE)
		requests_add(&past->requests, &past->asked);
	past->asked = (struct request){0};
	if (before.state != JOB_SAVING && past->job.state == JOB_SAVING)
		past->ordered_at = past->history.step;
	if (event.type == JOB_EV_SAVED)
		past->saved_after = past->ordered_at;
	history_on_step(&past->history, &before, &past->job, event.type,
			e->text, e->at);
	return true;
}

static void ask(struct past *past, const struct journal_entry *e)
{
	past->asked.from = e->request.from;
	past->asked.to = e->request.to;
	snprintf(past->asked.id, sizeof(past->asked.id), "%.63s", e->text);
}

bool past_take(void *user, const struct journal_entry *e)
{
	struct past *past = user;

	if (past->any != (e->kind != JOURNAL_BEGUN) || e->at < past->last)
		return false;
	past->last = e->at;
	switch (e->kind) {
	case JOURNAL_BEGUN:
		begin(past, e);
		return true;
	case JOURNAL_LIFE:
		past->lives++;
		past->job.starts = e->life.starts;
		return true;
	case JOURNAL_EVENT:
		return step(past, e);
	case JOURNAL_SEEN:
		history_on_progress(&past->history, e->seen.step, e->seen.total,
				    e->seen.first, e->seen.when);
		return true;
	case JOURNAL_REPEATED:
		history_on_repeated(&past->history, e->repeated.steps);
		return true;
	case JOURNAL_NOTICE:
		history_notice(&past->history, e->notice.kind, e->text, e->at);
		return true;
	case JOURNAL_REQUEST:
		ask(past, e);
		return true;
	}
	return false;
}

msec_t past_began(const struct past *past, msec_t wall, msec_t now)
{
	msec_t age = wall - past->wall;

	return now - (age > past->last ? age : past->last);
}
