/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* ---- making one ---- */

static void put(FILE *to, struct journal_entry *entry, const char *text)
{
	char line[JOURNAL_LINE_MAX];

	snprintf(entry->text, sizeof(entry->text), "%s", text);
	fwrite(line, 1, journal_format(entry, line), to);
}

static void put_beginning(FILE *to, const struct journal_replay *replay)
{
	struct journal_entry begun = {
		.kind = JOURNAL_BEGUN,
		.begun = {.version = JOURNAL_VERSION,
			  .wall = replay->wall,
			  .initial = replay->initial,
			  .retries = replay->job.patience.retries,
			  .starts = replay->job.starts,
			  .has_checkpoint = replay->job.has_checkpoint,
			  .proves = replay->job.patience.resume != 0},
	};
	struct journal_entry job = {
		.kind = JOURNAL_JOB,
		.at = replay->last,
		.job = replay->job,
	};

	put(to, &begun, replay->name);
	put(to, &job, "");
}

static void put_counts(FILE *to, const struct journal_replay *replay)
{
	const struct history *history = &replay->history;
	struct journal_entry progress = {
		.kind = JOURNAL_PROGRESS,
		.at = replay->last,
		.progress = {.lives = replay->lives,
			     .rescales_done = history->rescales_done,
			     .step = history->step,
			     .total = history->total,
			     .last_step = history->last_step,
			     .first_step = history->first_step,
			     .first_step_at = history->first_step_at,
			     .ordered_at = replay->ordered_at,
			     .saved_after = replay->saved_after},
	};
	struct journal_entry tally = {
		.kind = JOURNAL_TALLY,
		.at = replay->last,
		.tally = history->tally,
	};

	put(to, &progress, "");
	put(to, &tally, "");
}

static void put_rescale(FILE *to, const struct rescale *rescale, msec_t at)
{
	struct journal_entry entry = {
		.kind = JOURNAL_RESCALE,
		.at = at,
		.rescale = *rescale,
	};
	struct journal_entry result = {.kind = JOURNAL_RESULT, .at = at};

	put(to, &entry, rescale->reason);
	if (*rescale->result)
		put(to, &result, rescale->result);
}

static void put_history(FILE *to, const struct history *history, msec_t at)
{
	for (size_t i = 0; i < history->n_spans; i++) {
		struct journal_entry span = {
			.kind = JOURNAL_SPAN,
			.at = at,
			.span = history->spans[i],
		};

		put(to, &span, "");
	}
	for (size_t i = 0; i < history->n_rescales; i++)
		put_rescale(to, &history->rescales[i], at);
	for (size_t i = 0; i < history->n_notices; i++) {
		const struct notice *notice = &history->notices[i];
		struct journal_entry noticed = {
			.kind = JOURNAL_NOTICED,
			.at = at,
			.noticed = {notice->number, notice->at, notice->kind},
		};

		put(to, &noticed, notice->text);
	}
}

static void put_requests(FILE *to, const struct journal_replay *replay)
{
	const struct requests *requests = &replay->requests;
	struct journal_entry asked = {
		.kind = JOURNAL_REQUEST,
		.at = replay->last,
		.request = {replay->asked.from, replay->asked.to},
	};

	for (size_t i = requests->n - MIN(requests->n, REQUESTS_MAX);
	     i < requests->n; i++) {
		const struct request *request =
			&requests->entries[i % REQUESTS_MAX];
		struct journal_entry answered = {
			.kind = JOURNAL_ANSWERED,
			.at = replay->last,
			.answered = {i, request->from, request->to},
		};

		put(to, &answered, request->id);
	}
	if (*replay->asked.id)
		put(to, &asked, replay->asked.id);
}

int journal_summary_make(const struct journal_replay *replay, char **lines,
			 size_t *size, struct error *err)
{
	FILE *to = open_memstream(lines, size);
	bool failed;

	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	put_beginning(to, replay);
	put_counts(to, replay);
	put_history(to, &replay->history, replay->last);
	put_requests(to, replay);
	failed = ferror(to);
	failed |= fclose(to) != 0;
	if (!failed)
		return 0;
	free(*lines);
	*lines = NULL;
	return error_set(err, -ENOMEM, "out of memory");
}

/* ---- reading one ---- */

/* What JOURNAL_BEGUN has made gives way to what follows. */
static bool take_job(struct journal_replay *replay,
		     const struct journal_entry *e)
{
	const struct job_patience patience = replay->job.patience;

	replay->job = e->job;
	replay->job.patience = patience;
	memset(&replay->history, 0, sizeof(replay->history));
	memset(&replay->requests, 0, sizeof(replay->requests));
	return true;
}

static bool take_progress(struct journal_replay *replay,
			  const struct journal_entry *e)
{
	struct history *history = &replay->history;

	replay->lives = e->progress.lives;
	replay->ordered_at = e->progress.ordered_at;
	replay->saved_after = e->progress.saved_after;
	history->rescales_done = e->progress.rescales_done;
	history->step = e->progress.step;
	history->total = e->progress.total;
	history->last_step = e->progress.last_step;
	history->first_step = e->progress.first_step;
	history->first_step_at = e->progress.first_step_at;
	return true;
}

static bool take_tally(struct journal_replay *replay,
		       const struct journal_entry *e)
{
	replay->history.tally = e->tally;
	return true;
}

static bool take_span(struct journal_replay *replay,
		      const struct journal_entry *e)
{
	struct history *history = &replay->history;

	if (history->n_spans == SPANS_MAX)
		return false;
	history->spans[history->n_spans++] = e->span;
	return true;
}

static bool take_rescale(struct journal_replay *replay,
			 const struct journal_entry *e)
{
	struct history *history = &replay->history;
	struct rescale *rescale = &history->rescales[history->n_rescales];

	if (history->n_rescales == RESCALES_MAX)
		return false;
	history->n_rescales++;
	*rescale = e->rescale;
	memcpy(rescale->reason, e->text, sizeof(rescale->reason));
	return true;
}

static bool take_result(struct journal_replay *replay,
			const struct journal_entry *e)
{
	struct history *history = &replay->history;

	if (history->n_rescales == 0)
		return false;
	memcpy(history->rescales[history->n_rescales - 1].result, e->text,
	       sizeof(e->text));
	return true;
}

static bool take_notice(struct journal_replay *replay,
			const struct journal_entry *e)
{
	struct history *history = &replay->history;
	struct notice *notice = &history->notices[history->n_notices];

	if (history->n_notices == NOTICES_MAX)
		return false;
	history->n_notices++;
	notice->number = e->noticed.number;
	notice->at = e->noticed.at;
	notice->kind = e->noticed.kind;
	memcpy(notice->text, e->text, sizeof(notice->text));
	return true;
}

static bool take_request(struct journal_replay *replay,
			 const struct journal_entry *e)
{
	struct request request = {.from = e->answered.from,
				  .to = e->answered.to};

	if (!*e->text || e->answered.number < replay->requests.n)
		return false;
	snprintf(request.id, sizeof(request.id), "%.63s", e->text);
	replay->requests.n = e->answered.number;
	requests_add(&replay->requests, &request);
	return true;
}

bool journal_summary_entry(struct journal_replay *replay,
			   const struct journal_entry *entry)
{
	static bool (*const take[])(struct journal_replay *,
				    const struct journal_entry *) = {
		[JOURNAL_JOB] = take_job,
		[JOURNAL_PROGRESS] = take_progress,
		[JOURNAL_TALLY] = take_tally,
		[JOURNAL_SPAN] = take_span,
		[JOURNAL_RESCALE] = take_rescale,
		[JOURNAL_RESULT] = take_result,
		[JOURNAL_NOTICED] = take_notice,
		[JOURNAL_ANSWERED] = take_request,
	};

	return take[entry->kind](replay, entry);
}
