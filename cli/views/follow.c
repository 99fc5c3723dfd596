/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/follow.h"

#include <stdio.h>
#include <string.h>

/* How long the first step of new ranks is waited for. */
#define GRACE SECONDS(5)

/* A notice that is no older, in the first message, is news. */
enum { NEW = 5000 };

struct teller {
	struct follow *follow;
	const Bellows__V1__Job *job;
	event_f fn;
	void *user;
};

static void emit_event(const struct teller *teller, enum event_kind kind,
		       const Bellows__V1__Rescale *rescale)
{
	const struct event event = {
		.kind = kind,
		.job = teller->job,
		.rescale = rescale,
	};

	teller->fn(teller->user, &event);
}

static int tenth_of(const Bellows__V1__Job *job)
{
	return job->progress > 0 && job->progress <= 1
		       ? (int)(job->progress * 10 + 1e-9)
		       : 0;
}

static void skip_past_events(struct follow *follow, const Bellows__V1__Job *job)
{
	follow->begun = true;
	follow->state = BELLOWS__V1__STATE__STATE_UNSPECIFIED;
	follow->tenth = tenth_of(job);
	for (size_t i = 0; i < job->n_notices; i++)
		if (job->notices[i]->at + NEW < job->age)
			follow->notice = job->notices[i]->number;
	for (size_t i = 0; i < job->n_history; i++) {
		const Bellows__V1__Rescale *rescale = job->history[i];

		if (follow->has_since && rescale->asked > follow->since)
			break;
		if (rescale->result[0])
			follow->told = rescale->asked;
		if (rescale->saved)
			follow->told_saved = rescale->asked;
	}
}

static void tell_saved(const struct teller *teller)
{
	const Bellows__V1__Job *job = teller->job;

	for (size_t i = 0; i < job->n_history; i++) {
		const Bellows__V1__Rescale *rescale = job->history[i];

		if (!rescale->saved ||
		    rescale->asked <= teller->follow->told_saved)
			continue;
		teller->follow->told_saved = rescale->asked;
		emit_event(teller, EVENT_SAVED, rescale);
	}
}

static void tell_state(const struct teller *teller)
{
	struct follow *follow = teller->follow;
	const Bellows__V1__Job *job = teller->job;
	bool running = job->state == BELLOWS__V1__STATE__RUNNING;
	bool changed = job->state != follow->state ||
		       (running && job->size != follow->size) ||
		       (!running && job->target != follow->target);

	follow->state = job->state;
	follow->size = job->size;
	follow->target = job->target;
	if (changed)
		emit_event(teller, EVENT_STATE, NULL);
}

static bool is_settled(const Bellows__V1__Job *job,
		       const Bellows__V1__Rescale *rescale)
{
	bool newest = rescale == job->history[job->n_history - 1];

	if (!newest || state_is_over(job->state))
		return true;
	if (!rescale->result[0])
		return false;
	return !rescale_is_done(rescale) || rescale->stepped ||
	       job->age >= rescale->up + GRACE;
}

static void tell_rescales(const struct teller *teller)
{
	const Bellows__V1__Job *job = teller->job;

	for (size_t i = 0; i < job->n_history; i++) {
		const Bellows__V1__Rescale *rescale = job->history[i];

		if (rescale->asked <= teller->follow->told)
			continue;
		if (!is_settled(job, rescale))
			return;
		teller->follow->told = rescale->asked;
		/* to no ranks: the state tells how the job stopped */
		if (rescale->to > 0)
			emit_event(teller, EVENT_RESCALED, rescale);
	}
}

static void tell_progress(const struct teller *teller)
{
	int tenth = tenth_of(teller->job), before = teller->follow->tenth;

	teller->follow->tenth = tenth;
	if (tenth > before && !state_is_over(teller->job->state))
		emit_event(teller, EVENT_PROGRESS, NULL);
}

/* The same again, after a while without, is told again. */
static void tell_trouble(const struct teller *teller)
{
	struct follow *follow = teller->follow;
	const char *trouble = teller->job->trouble;

	if (strncmp(follow->trouble, trouble, sizeof(follow->trouble) - 1) == 0)
		return;
	snprintf(follow->trouble, sizeof(follow->trouble), "%s", trouble);
	if (*trouble)
		emit_event(teller, EVENT_TROUBLE, NULL);
}

/* The others are told otherwise. */
static bool is_told(const Bellows__V1__Notice *notice)
{
	return notice->kind == BELLOWS__V1__NOTICE_KIND__NOTICE_DISK ||
	       notice->kind == BELLOWS__V1__NOTICE_KIND__NOTICE_DISK_WELL ||
	       notice->kind == BELLOWS__V1__NOTICE_KIND__NOTICE_CHECKPOINT ||
	       notice->kind == BELLOWS__V1__NOTICE_KIND__NOTICE_STALLED ||
	       notice->kind == BELLOWS__V1__NOTICE_KIND__NOTICE_STALL_OVER ||
	       notice->kind == BELLOWS__V1__NOTICE_KIND__NOTICE_UNMATCHED ||
	       notice->kind == BELLOWS__V1__NOTICE_KIND__NOTICE_UNBOUND ||
	       notice->kind == BELLOWS__V1__NOTICE_KIND__NOTICE_MACHINE;
}

static void tell_notices(const struct teller *teller)
{
	struct follow *follow = teller->follow;

	for (size_t i = 0; i < teller->job->n_notices; i++) {
		const Bellows__V1__Notice *notice = teller->job->notices[i];
		const struct event event = {
			.kind = EVENT_NOTICE,
			.job = teller->job,
			.text = notice->text,
		};

		if (notice->number <= follow->notice)
			continue;
		follow->notice = notice->number;
		if (is_told(notice))
			teller->fn(teller->user, &event);
	}
}

void follow_step(struct follow *follow, const Bellows__V1__Job *job, event_f fn,
		 void *user)
{
	const struct teller teller = {follow, job, fn, user};

	if (!follow->begun)
		skip_past_events(follow, job);
	tell_saved(&teller);
	tell_state(&teller);
	tell_trouble(&teller);
	tell_notices(&teller);
	tell_rescales(&teller);
	tell_progress(&teller);
}
