/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/replay.h"

#include "coordinator/journal/summary.h"

#include <stdio.h>
#include <string.h>

static void begin_job(struct journal_replay *replay,
		      const struct journal_entry *e)
{
	const struct job_patience patience = {
		.resume = e->begun.proves,
		.retries = e->begun.retries,
	};

	replay->any = true;
	replay->lives = 1;
	replay->wall = e->begun.wall;
	replay->initial = e->begun.initial;
	snprintf(replay->name, sizeof(replay->name), "%.63s", e->text);
	job_init(&replay->job, e->begun.initial, &patience,
		 e->begun.has_checkpoint, e->at);
	replay->job.starts = e->begun.starts;
	history_init(&replay->history, 0);
}

static bool step(struct journal_replay *replay, const struct journal_entry *e)
{
	const struct job_event event = {
		.type = e->event.type,
		.now = e->at,
		.epoch = e->event.epoch,
		.size = e->event.size,
		.leave = e->event.leave,
	};
	const struct job before = replay->job;

	if (!job_step(&replay->job, &event))
		return false;
	if (event.type == JOB_EV_SCALE)
		requests_add(&replay->requests, &replay->asked);
	replay->asked = (struct request){0};
	if (before.state != JOB_SAVING && replay->job.state == JOB_SAVING)
		replay->ordered_at = replay->history.step;
	if (event.type == JOB_EV_SAVED)
		replay->saved_after = replay->ordered_at;
	history_on_step(&replay->history, &before, &replay->job, &event,
			e->text);
	return true;
}

static void note_request(struct journal_replay *replay,
			 const struct journal_entry *e)
{
	replay->asked.from = e->request.from;
	replay->asked.to = e->request.to;
	snprintf(replay->asked.id, sizeof(replay->asked.id), "%.63s", e->text);
}

bool journal_replay_entry(void *user, const struct journal_entry *e)
{
	struct journal_replay *replay = user;

	if (replay->any != (e->kind != JOURNAL_BEGUN) || e->at < replay->last)
		return false;
	replay->last = e->at;
	switch (e->kind) {
	case JOURNAL_BEGUN:
		begin_job(replay, e);
		return true;
	case JOURNAL_LIFE:
		replay->lives++;
		replay->job.starts = e->life.starts;
		return true;
	case JOURNAL_EVENT:
		return step(replay, e);
	case JOURNAL_SEEN:
		history_on_progress(&replay->history, e->seen.step,
				    e->seen.total, e->seen.first, e->seen.when);
		return true;
	case JOURNAL_CHECKPOINT:
		history_on_checkpoint(&replay->history, e->checkpoint.step);
		return true;
	case JOURNAL_REPEATED:
		history_on_repeated(&replay->history, e->repeated.steps);
		return true;
	case JOURNAL_NOTICE:
		history_notice(&replay->history, e->notice.kind, e->text,
			       e->at);
		return true;
	case JOURNAL_BINDING: /* for people */
		return true;
	case JOURNAL_REQUEST:
		note_request(replay, e);
		return true;
	case JOURNAL_JOB:
	case JOURNAL_PROGRESS:
	case JOURNAL_TALLY:
	case JOURNAL_SPAN:
	case JOURNAL_RESCALE:
	case JOURNAL_RESULT:
	case JOURNAL_NOTICED:
	case JOURNAL_ANSWERED:
		return journal_summary_entry(replay, e);
	}
	return false;
}

msec_t journal_replay_began(const struct journal_replay *replay, msec_t wall,
			    msec_t now)
{
	msec_t age = wall - replay->wall;

	return now - (age > replay->last ? age : replay->last);
}
