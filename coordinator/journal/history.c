/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/history.h"

#include "base/list.h"

#include <stdio.h>
#include <string.h>

void history_init(struct history *history, msec_t now)
{
	memset(history, 0, sizeof(*history));
	history->began = now;
	history->spans[0] = (struct span){0};
	history->n_spans = 1;
}

void history_shift(struct history *history, msec_t began)
{
	history->began += began;
	history->first_step_at += began;
}

/* ---- spans ---- */

static void add_span(struct history *history, unsigned ranks, msec_t at)
{
	struct span *last = &history->spans[history->n_spans - 1];

	if (last->ranks == ranks)
		return;
	last->to = at;
	if (history->n_spans == SPANS_MAX) {
		memmove(history->spans, history->spans + 1,
			sizeof(history->spans) - sizeof(history->spans[0]));
		history->n_spans--;
	}
	history->spans[history->n_spans++] =
		(struct span){.from = at, .ranks = ranks};
}

/* ---- rescales ---- */

static bool is_open(const struct rescale *rescale)
{
	return !*rescale->result || rescale->goes_back;
}

static struct rescale *current(struct history *history)
{
	struct rescale *last;

	if (history->n_rescales == 0)
		return NULL;
	last = &history->rescales[history->n_rescales - 1];
	return is_open(last) ? last : NULL;
}

static struct rescale *add_rescale(struct history *history,
				   const struct job *job, const char *reason,
				   bool recovery, msec_t at)
{
	struct rescale *new;

	if (history->n_rescales == RESCALES_MAX) {
		memmove(history->rescales, history->rescales + 1,
			sizeof(history->rescales) -
				sizeof(history->rescales[0]));
		history->n_rescales--;
	}
	new = &history->rescales[history->n_rescales++];
	*new = (struct rescale){.from = job->size,
				.asked = at,
				.last_step = history->last_step,
				.recovery = recovery};
	snprintf(new->reason, sizeof(new->reason), "%s", reason);
	return new;
}

static void end(struct rescale *rescale, const char *result)
{
	snprintf(rescale->result, sizeof(rescale->result), "%s",
		 *result ? result : "dropped");
}

/* The instant at which a rescale reached the state that the job entered.  What
 * the ranks of a failed one did belongs to its start. */
static void mark(struct rescale *rescale, const struct job *job,
		 enum job_event_type event, msec_t at)
{
	switch (job->state) {
	case JOB_PREPARING:
		rescale->executors = at;
		return;
	case JOB_SAVING:
		rescale->prepared = rescale->ordered = at;
		return;
	case JOB_STOPPING: /* or after a loss */
		if (event == JOB_EV_SAVED)
			rescale->saved = at;
		return;
	case JOB_STARTING:
	case JOB_WAITING:
	case JOB_REPLACING:
		if (!rescale->failed || rescale->stopped == 0)
			rescale->stopped = at;
		return;
	case JOB_RESUMING:
		rescale->up = at;
		return;
	case JOB_RUNNING:
		if (rescale->stopped == 0)
			return;
		rescale->resumed = at;
		if (rescale->up == 0)
			rescale->up = at;
		return;
	case JOB_GROWING:
	case JOB_DONE:
	case JOB_FAILED:
	case JOB_CANCELLED:
	case JOB_SUSPENDED:
		return;
	}
}

/* Whose ranks came, and were not seen to make a step: the newest, or the one
 * before if another was asked for at once. */
static struct rescale *unproven(struct history *history)
{
	for (size_t i = 1; i <= 2 && i <= history->n_rescales; i++) {
		struct rescale *at =
			&history->rescales[history->n_rescales - i];

		if (is_open(at) && at->stopped != 0)
			return at;
	}
	return NULL;
}

/* One that was due, at the size that the job has. */
static bool is_checkpoint(const struct rescale *rescale)
{
	return rescale->due && rescale->from == rescale->to;
}

/* Instants that it did not reach are 0. */
static void count(struct tally *tally, const struct rescale *r)
{
	const msec_t reached[PHASES + 1] = {
		[PHASE_EXECUTORS] = r->asked, [PHASE_PREPARE] = r->executors,
		[PHASE_SAVE] = r->ordered,    [PHASE_STOP] = r->saved,
		[PHASE_START] = r->stopped,   [PHASE_STEP] = r->up,
		[PHASES] = r->stepped,
	};
	msec_t last = r->asked;

	if (r->failed)
		tally->dropped++;
	else if (r->recovery)
		tally->recovered++;
	else if (is_checkpoint(r))
		tally->checkpoints++;
	else if (r->to > r->from)
		tally->grown++;
	else
		tally->shrunk++;
	/* time in a phase that was left out belongs to the one it ended with */
	for (int i = 0; i < PHASES; i++)
		if (reached[i + 1] > last) {
			tally->phases[i] += reached[i + 1] - last;
			last = reached[i + 1];
		}
	tally->paused += last - (r->ordered ? r->ordered : r->asked);
	tally->repeated += r->repeated;
}

static void prove(struct history *history, msec_t at)
{
	struct rescale *rescale = unproven(history);

	if (!rescale)
		return;
	rescale->stepped = at;
	rescale->goes_back = false;
	if (!rescale->failed)
		end(rescale, "done");
	count(&history->tally, rescale);
	history->rescales_done += !rescale->failed && !is_checkpoint(rescale);
}

static void drop(struct history *history, struct rescale *rescale,
		 const struct job *before, const char *reason)
{
	rescale->goes_back = false;
	if (!rescale->failed) {
		rescale->to = before->target;
		end(rescale, reason);
	}
	history->tally.dropped++;
}

/* The size that the rescale leads to now; one that leads back to where it began
 * has failed, once its ranks were stopped. */
static void aim(struct rescale *rescale, const struct job *before,
		const struct job *job, const char *reason)
{
	bool was_stopped = rescale->stopped != 0 || !job_computes(before);

	rescale->epoch = job->next ? job->next : job->epoch;
	if (rescale->failed)
		return;
	if (was_stopped && !rescale->recovery && !rescale->due &&
	    rescale->to != rescale->from && job->target == rescale->from) {
		rescale->failed = rescale->goes_back = true;
		end(rescale, reason);
		return;
	}
	rescale->to = job->target;
}

/* Ranks that computed were lost before they had saved for a rescale. */
static bool is_loss(const struct job *before, const struct job *job,
		    enum job_event_type event)
{
	if (!job_computes(before) || job_computes(job))
		return false;
	return event == JOB_EV_RESTARTED ||
	       (job->state == JOB_STOPPING && event != JOB_EV_SAVED &&
		before->leave == 0);
}

static bool is_stated(enum job_event_type event)
{
	return event == JOB_EV_SCALE || event == JOB_EV_GRANT;
}

/* The job begins to move by its own rules: to its goal, or for a checkpoint. */
static bool is_planned(const struct job *before, const struct job *job,
		       enum job_event_type event)
{
	bool moves =
		job->state != before->state || job->target != before->target;

	if (!moves ||
	    (job->state != JOB_GROWING && job->state != JOB_PREPARING))
		return false;
	return is_stated(event) || event == JOB_EV_DUE ||
	       (event == JOB_EV_EXECUTORS && before->state == JOB_RUNNING);
}

/* The rescale that the job is at after the event; NULL: none.  before, job: on
 * both sides of it. */
static struct rescale *follow(struct history *history, const struct job *before,
			      const struct job *job, enum job_event_type event,
			      const char *reason, msec_t at)
{
	struct rescale *rescale = current(history);
	bool planned = is_planned(before, job, event);
	bool computed = job_computes(before);

	if ((planned || is_loss(before, job, event)) && rescale &&
	    rescale->stopped == 0) {
		drop(history, rescale, before,
		     is_stated(event) ? "another size was stated" : reason);
		rescale = NULL;
	}
	if (planned ||
	    (!rescale && computed &&
	     (event == JOB_EV_LEAVE || event == JOB_EV_RESTARTED ||
	      event == JOB_EV_HAND_OVER || job->state == JOB_STOPPING)))
		rescale = add_rescale(history, before, reason, !planned, at);
	if (event == JOB_EV_DUE)
		rescale->due = true;
	return rescale;
}

void history_on_step(struct history *history, const struct job *before,
		     const struct job *job, const struct job_event *event,
		     const char *reason)
{
	msec_t at = event->now - history->began;
	bool computed = job_computes(before), computes = job_computes(job);
	struct rescale *rescale;

	if (computed != computes)
		add_span(history, computes ? job->size : 0, at);
	if (event->type == JOB_EV_STEP)
		prove(history, event->size == 0 ? at : 0);
	if (before->state == job->state &&
	    !is_planned(before, job, event->type))
		return;
	if (event->type == JOB_EV_FINISHED && computed)
		prove(history, 0); /* its steps are not seen, but it worked */
	rescale = follow(history, before, job, event->type, reason, at);
	if (computed && !computes && rescale != unproven(history))
		prove(history, 0); /* its steps will not be seen any more */
	if (!rescale)
		return;
	aim(rescale, before, job, reason);
	mark(rescale, job, event->type, at);
	if (job_is_over(job) || (job->state == JOB_RUNNING && computed))
		drop(history, rescale, before,
		     is_stated(event->type) ? "another size was stated"
					    : reason);
}

const char *history_dropped(const struct history *history)
{
	const struct rescale *last;

	if (history->n_rescales == 0)
		return "";
	last = &history->rescales[history->n_rescales - 1];
	return strcmp(last->result, "done") == 0 ? "" : last->result;
}

/* Where no step was seen, ranks that are up have to do. */
static msec_t end_of_pause(const struct rescale *rescale)
{
	return rescale->stepped || !*rescale->result ? rescale->stepped
						     : rescale->up;
}

/* A start or two have failed between. */
static bool went_back(const struct rescale *rescale)
{
	return rescale->failed ||
	       (rescale->from == rescale->to && !rescale->due);
}

msec_t history_checkpoint_cost(const struct history *history)
{
	for (size_t i = history->n_rescales; i-- > 0;) {
		const struct rescale *at = &history->rescales[i];
		msec_t end = end_of_pause(at);

		if (at->saved != 0 && end > at->ordered && !went_back(at))
			return end - at->ordered;
	}
	return 0;
}

/* ---- notices ---- */

static void count_notice(struct tally *tally, Bellows__V1__NoticeKind kind)
{
	tally->declined += kind == BELLOWS__V1__NOTICE_KIND__NOTICE_DECLINED;
	tally->lost += kind == BELLOWS__V1__NOTICE_KIND__NOTICE_LOST;
	tally->drained += kind == BELLOWS__V1__NOTICE_KIND__NOTICE_DRAINING;
}

static bool is_like(const struct notice *last, Bellows__V1__NoticeKind kind,
		    const char *text, msec_t at)
{
	return last->kind == kind && at - last->at < NOTICE_AGAIN &&
	       strncmp(last->text, text, sizeof(last->text) - 1) == 0;
}

bool history_notice(struct history *history, Bellows__V1__NoticeKind kind,
		    const char *text, msec_t now)
{
	struct notice *all = history->notices, *new;
	msec_t at = now - history->began;
	size_t n = history->n_notices;
	uint64_t number = n > 0 ? all[n - 1].number + 1 : 1;

	if (n > 0 && is_like(&all[n - 1], kind, text, at))
		return false;
	count_notice(&history->tally, kind);
	if (n == NOTICES_MAX)
		memmove(all, all + 1, sizeof(*all) * --history->n_notices);
	new = &all[history->n_notices++];
	*new = (struct notice){.number = number, .at = at, .kind = kind};
	snprintf(new->text, sizeof(new->text), "%s", text);
	return true;
}

/* ---- progress ---- */

void history_on_total(struct history *history, uint64_t total)
{
	history->total = total;
}

void history_on_progress(struct history *history, uint64_t step, uint64_t total,
			 bool first, msec_t now)
{
	history->step = step;
	if (total != 0)
		history->total = total;
	history->last_step = now - history->began;
	if (first) {
		history->first_step = step;
		history->first_step_at = now;
	} else if (current(history) && current(history)->stopped == 0) {
		current(history)->last_step = history->last_step;
	}
}

double history_progress(const struct history *history)
{
	if (history->total == 0)
		return -1;
	if (history->step > history->total)
		return 1;
	return (double)history->step / (double)history->total;
}

static bool change(uint64_t *number, uint64_t to)
{
	bool changes = number && *number != to;

	if (changes)
		*number = to;
	return changes;
}

bool history_on_checkpoint(struct history *history, uint64_t step)
{
	struct rescale *rescale = current(history);

	return change(rescale ? &rescale->checkpoint : NULL, step);
}

bool history_on_repeated(struct history *history, uint64_t steps)
{
	struct rescale *rescale = current(history);

	return change(rescale ? &rescale->repeated : NULL, steps);
}

double history_step_time(const struct history *history)
{
	msec_t spent =
		history->began + history->last_step - history->first_step_at;

	if (history->step <= history->first_step || spent <= 0)
		return 0;
	return (double)spent / (double)(history->step - history->first_step);
}
