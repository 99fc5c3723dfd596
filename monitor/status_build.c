/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/status_build.h"

#include "base/list.h"
#include "client/job.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum told_phase {
	PHASE_ASKED = 1,
	PHASE_GROWING = 2,
	PHASE_SAVED = 4,
	PHASE_UP = 8,
	PHASE_ENDED = 16,
};

static const char checkpoint[] = "checkpoint";

/* ---- one after the other ---- */

struct sheet {
	struct status_event *out;
	size_t n;
	bool silent; /* it was told before */
};

__attribute__((format(printf, 5, 6))) static void
say(struct sheet *sheet, bool warning, const char *reason, const char *action,
    const char *format, ...)
{
	struct status_event *at;
	va_list arguments;

	if (sheet->silent)
		return;
	assert(sheet->n < STATUS_MAX);
	at = &sheet->out[sheet->n++];
	*at = (struct status_event){
		.warning = warning, .reason = reason, .action = action};
	va_start(arguments, format);
	vsnprintf(at->note, sizeof(at->note), format, arguments);
	va_end(arguments);
}

/* ---- a rescale ---- */

static bool is_ended(const Bellows__V1__Rescale *rescale)
{
	return *rescale->result != '\0';
}

/* A checkpoint that was due, at the size that the job has. */
static bool is_checkpoint(const Bellows__V1__Rescale *rescale)
{
	return rescale->due && rescale->from == rescale->to;
}

static double paused_seconds(const Bellows__V1__Rescale *rescale)
{
	msec_t length = pause_of(rescale).length;

	return length > 0 ? (double)length / 1000 : 0;
}

static unsigned phases_of(const Bellows__V1__Rescale *rescale)
{
	unsigned phases = PHASE_ASKED;

	if (!rescale->recovery && rescale->to > rescale->from)
		phases |= PHASE_GROWING;
	if (rescale->saved)
		phases |= PHASE_SAVED;
	/* one that was dropped is up again without having been down */
	if (rescale->up && rescale->stopped)
		phases |= PHASE_UP;
	if (is_ended(rescale))
		phases |= PHASE_ENDED;
	return phases;
}

static void say_asked(struct sheet *sheet, const Bellows__V1__Rescale *rescale)
{
	if (is_checkpoint(rescale))
		return;
	if (rescale->recovery)
		say(sheet, true, "Recovering", "Relaunch", "%u -> %u ranks: %s",
		    rescale->from, rescale->to, rescale->reason);
	else
		say(sheet, false, "ScaleRequested", "Scale",
		    "%u -> %u ranks: %s", rescale->from, rescale->to,
		    rescale->reason);
}

/* The coordinator's own sentence, if the job is still where it was said. */
static void say_saved(struct sheet *sheet, const Bellows__V1__Job *job,
		      const Bellows__V1__Rescale *rescale)
{
	double took = (double)(rescale->saved - rescale->ordered) / 1000;
	bool has_text =
		strncmp(job->reason, checkpoint, sizeof(checkpoint) - 1) == 0;

	say(sheet, false, "CheckpointWritten", "Save", "%s, written in %.3g s",
	    has_text ? job->reason : "checkpoint", took);
}

static void say_ended(struct sheet *sheet, const Bellows__V1__Rescale *rescale)
{
	if (is_checkpoint(rescale)) {
		if (!rescale_is_done(rescale))
			say(sheet, true, "CheckpointFailed", "Save", "%s",
			    rescale->result);
		return;
	}
	if (rescale->failed)
		say(sheet, true, "ScaleFailed", "Scale",
		    "%u -> %u ranks: %s; back on %u, paused %.3g s",
		    rescale->from, rescale->to, rescale->result, rescale->from,
		    paused_seconds(rescale));
	else if (!rescale_is_done(rescale) && !rescale->recovery)
		say(sheet, true, "ScaleDropped", "Scale", "%u -> %u ranks: %s",
		    rescale->from, rescale->to, rescale->result);
	else if (rescale_is_done(rescale) && !rescale->recovery)
		say(sheet, false, "Resized", "Scale",
		    "%u -> %u ranks, paused %.3g s", rescale->from, rescale->to,
		    paused_seconds(rescale));
	else if (rescale_is_done(rescale))
		say(sheet, false, "Recovered", "Relaunch",
		    "%u -> %u ranks, after %.3g s", rescale->from, rescale->to,
		    paused_seconds(rescale));
}

static void say_rescale(struct sheet *sheet, const Bellows__V1__Job *job,
			const Bellows__V1__Rescale *rescale, unsigned told)
{
	unsigned new = phases_of(rescale) & ~told;

	if (new &PHASE_ASKED)
		say_asked(sheet, rescale);
	if (new &PHASE_GROWING)
		say(sheet, false, "Growing", "Scale",
		    "executors for %u ranks are waited for, %u ranks compute "
		    "on",
		    rescale->to, rescale->from);
	if (new &PHASE_SAVED)
		say_saved(sheet, job, rescale);
	if (new &PHASE_UP)
		say(sheet, false, "Relaunched", "Relaunch",
		    "start %u: %u ranks run", rescale->epoch,
		    rescale->failed ? rescale->from : rescale->to);
	if (new &PHASE_ENDED)
		say_ended(sheet, rescale);
}

static unsigned told_of(const struct status_told *told, uint64_t asked)
{
	for (size_t i = 0; i < STATUS_RESCALES; i++)
		if (told->rescales[i].phases &&
		    told->rescales[i].asked == asked)
			return told->rescales[i].phases;
	return 0;
}

static void say_rescales(struct sheet *sheet, const struct status_told *told,
			 struct status_told *next, const Bellows__V1__Job *job)
{
	size_t n = job->n_history < STATUS_RESCALES ? job->n_history
						    : STATUS_RESCALES;

	memset(next->rescales, 0, sizeof(next->rescales));
	for (size_t i = n; i-- > 0;) {
		const Bellows__V1__Rescale *rescale =
			job->history[job->n_history - 1 - i];
		unsigned before = told_of(told, rescale->asked);

		say_rescale(sheet, job, rescale, before);
		next->rescales[i].asked = rescale->asked;
		next->rescales[i].phases = before | phases_of(rescale);
	}
}

/* ---- the job ---- */

#define KIND(name) BELLOWS__V1__NOTICE_KIND__NOTICE_##name

static const struct {
	Bellows__V1__NoticeKind kind;
	bool warning;
	const char *reason, *action;
} notices[] = {
	{KIND(DECLINED), true, "ScaleDeclined", "Scale"},
	{KIND(LOST), true, "WorkerLost", "Relaunch"},
	{KIND(DRAINING), false, "WorkerLeaving", "Relaunch"},
	{KIND(DISK), true, "DiskTrouble", "Save"},
	{KIND(DISK_WELL), false, "DiskWell", "Save"},
	{KIND(CHECKPOINT), true, "CheckpointUnusable", "Save"},
	{KIND(STALLED), true, "Stalled", "Run"},
	{KIND(STALL_OVER), false, "StallOver", "Run"},
	{KIND(UNMATCHED), true, "NoProgressSeen", "Run"},
};

static void say_notice(struct sheet *sheet, const Bellows__V1__Notice *notice)
{
	for (size_t i = 0; i < LENGTH(notices); i++)
		if (notices[i].kind == notice->kind)
			say(sheet, notices[i].warning, notices[i].reason,
			    notices[i].action, "%s", notice->text);
}

static void say_notices(struct sheet *sheet, struct status_told *next,
			const Bellows__V1__Job *job)
{
	size_t first = job->n_notices > 16 ? job->n_notices - 16 : 0;

	for (size_t i = first; i < job->n_notices; i++) {
		if (job->notices[i]->number <= next->notice)
			continue;
		next->notice = job->notices[i]->number;
		say_notice(sheet, job->notices[i]);
	}
}

/* Letter by letter, but for numbers: they change with each executor that comes,
 * and each Event is one more object that the cluster keeps. */
static bool is_same_trouble(const char *told, const char *now)
{
	static const char digits[] = "0123456789";

	for (;; told++, now++) {
		told += strspn(told, digits);
		now += strspn(now, digits);
		if (*told != *now || !*told)
			return *told == *now;
	}
}

static void say_trouble(struct sheet *sheet, struct status_told *next,
			const Bellows__V1__Job *job)
{
	char told[sizeof(next->trouble)];

	memcpy(told, next->trouble, sizeof(told));
	snprintf(next->trouble, sizeof(next->trouble), "%s", job->trouble);
	if (*job->trouble && !is_same_trouble(told, next->trouble))
		say(sheet, true, "ExecutorsMissing", "Scale", "%s",
		    job->trouble);
}

static void say_started(struct sheet *sheet, struct status_told *next,
			const Bellows__V1__Job *job)
{
	if (next->started || job->size == 0)
		return;
	next->started = true;
	say(sheet, false, "Started", "Start", "%u ranks run", job->size);
}

static void say_over(struct sheet *sheet, struct status_told *next,
		     const Bellows__V1__Job *job)
{
	double age = (double)job->age / 1000;

	if (next->over)
		return;
	sheet->silent = false;
	next->over = true;
	if (job->state == BELLOWS__V1__STATE__DONE)
		say(sheet, false, "Completed", "End", "after %.1f s: %s", age,
		    job->reason);
	else if (job->state == BELLOWS__V1__STATE__FAILED)
		say(sheet, true, "Failed", "End",
		    "after %.1f s, exit status %d: %s", age, job->exit_code,
		    job->reason);
	else if (job->state == BELLOWS__V1__STATE__CANCELLED)
		say(sheet, false, "Cancelled", "End", "after %.1f s: %s", age,
		    job->reason);
	else if (job->state == BELLOWS__V1__STATE__SUSPENDED)
		say(sheet, false, "Suspended", "End",
		    "after %.1f s, it goes on from its checkpoint when it is "
		    "started again: %s",
		    age, job->reason);
	else
		next->over = false;
}

size_t status_build_events(struct status_told *told,
			   const Bellows__V1__Job *job,
			   struct status_event out[STATUS_MAX])
{
	struct sheet sheet = {.out = out, .silent = !told->any};
	struct status_told next = *told;
	bool forgot = told->any && job->age < told->age;

	if (forgot)
		next = (struct status_told){0};
	if (forgot || (told->any && job->incarnation != told->incarnation))
		say(&sheet, true, "CoordinatorRestarted", "Start",
		    "the coordinator was started again");
	next.any = true;
	next.age = job->age;
	next.incarnation = job->incarnation;
	*told = next;
	say_started(&sheet, &next, job);
	say_notices(&sheet, &next, job);
	say_rescales(&sheet, told, &next, job);
	say_trouble(&sheet, &next, job);
	say_over(&sheet, &next, job);
	*told = next;
	return sheet.n;
}

/* ---- conditions ---- */

/* What a state is called, and whether the ranks compute in it. */
static const struct {
	const char *reason;
	bool computes;
} states[] = {
	[BELLOWS__V1__STATE__STATE_UNSPECIFIED] = {"Unknown", false},
	[BELLOWS__V1__STATE__WAITING] = {"Waiting", false},
	[BELLOWS__V1__STATE__STARTING] = {"Starting", false},
	[BELLOWS__V1__STATE__RUNNING] = {"Running", true},
	[BELLOWS__V1__STATE__GROWING] = {"Growing", true},
	[BELLOWS__V1__STATE__PREPARING] = {"Preparing", true},
	[BELLOWS__V1__STATE__SAVING] = {"Saving", true},
	[BELLOWS__V1__STATE__STOPPING] = {"Stopping", false},
	[BELLOWS__V1__STATE__DONE] = {"Completed", false},
	[BELLOWS__V1__STATE__FAILED] = {"Failed", false},
	[BELLOWS__V1__STATE__CANCELLED] = {"Cancelled", false},
	[BELLOWS__V1__STATE__SUSPENDED] = {"Suspended", false},
	[BELLOWS__V1__STATE__RESUMING] = {"Resuming", true},
};

static size_t state_of(const Bellows__V1__Job *job)
{
	size_t state = (size_t)job->state;

	return state < LENGTH(states) ? state : 0;
}

static void say_running(const Bellows__V1__Job *job, struct condition *out)
{
	*out = (struct condition){.type = "bellows.io/Running",
				  .holds = states[state_of(job)].computes,
				  .reason = states[state_of(job)].reason};
	if (out->holds)
		snprintf(out->message, sizeof(out->message), "%u ranks run",
			 job->size);
	else
		snprintf(out->message, sizeof(out->message), "%s", job->reason);
}

static void say_scaling(const Bellows__V1__Job *job,
			const Bellows__V1__Rescale *newest,
			struct condition *out)
{
	*out = (struct condition){.type = "bellows.io/Scaling",
				  .holds = newest && !is_ended(newest) &&
					   !is_checkpoint(newest),
				  .reason = "Steady"};
	if (!out->holds) {
		snprintf(out->message, sizeof(out->message),
			 "no change of the size is under way");
		return;
	}
	out->reason = states[state_of(job)].reason;
	snprintf(out->message, sizeof(out->message), "%u -> %u ranks: %s",
		 newest->from, newest->to, newest->reason);
}

static void say_resized(const Bellows__V1__Rescale *asked,
			struct condition *out)
{
	*out = (struct condition){.type = "bellows.io/Resized",
				  .reason = "NotAsked"};
	if (!asked) {
		snprintf(out->message, sizeof(out->message),
			 "no other size was asked for");
	} else if (!is_ended(asked)) {
		out->reason = "UnderWay";
		snprintf(out->message, sizeof(out->message), "%u -> %u ranks",
			 asked->from, asked->to);
	} else if (rescale_is_done(asked)) {
		out->holds = true;
		out->reason = "Done";
		snprintf(out->message, sizeof(out->message),
			 "%u -> %u ranks, paused %.3g s", asked->from,
			 asked->to, paused_seconds(asked));
	} else {
		out->reason = asked->failed ? "Failed" : "Dropped";
		snprintf(out->message, sizeof(out->message),
			 "%u -> %u ranks: %s", asked->from, asked->to,
			 asked->result);
	}
}

/* Since when it does is in the Event: the length changes with each look. */
static void say_stalled(const Bellows__V1__Job *job, struct condition *out)
{
	*out = (struct condition){.type = "bellows.io/Stalled",
				  .holds = *job->stall != '\0',
				  .reason = *job->stall ? "NoProgress"
							: "NotSeen"};
	snprintf(out->message, sizeof(out->message), "%s",
		 out->holds ? "the ranks make no progress"
			    : "no stall was seen");
}

void status_build_conditions(const Bellows__V1__Job *job,
			     struct condition out[STATUS_CONDITIONS])
{
	const Bellows__V1__Rescale *newest = NULL, *asked = NULL;

	if (job->n_history > 0)
		newest = job->history[job->n_history - 1];
	for (size_t i = job->n_history; i-- > 0 && !asked;)
		if (!job->history[i]->recovery &&
		    !is_checkpoint(job->history[i]))
			asked = job->history[i];
	say_running(job, &out[0]);
	say_scaling(job, newest, &out[1]);
	say_resized(asked, &out[2]);
	say_stalled(job, &out[3]);
}
