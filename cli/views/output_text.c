/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/views/explain.h"
#include "cli/views/output.h"
#include "cli/views/spec.h"
#include "cli/views/timeline.h"

#include <inttypes.h>
#include <string.h>

static void print_growing(FILE *to, const Bellows__V1__Job *job)
{
	unsigned ready = job_ready(job), wanted = job->executors_wanted;
	unsigned missing = wanted > ready ? wanted - ready : 0;

	fprintf(to, "growing %u -> %u: computing on while ", job->size,
		job->target);
	if (missing)
		fprintf(to, "%u executor%s come%s", missing,
			text_plural(missing), missing == 1 ? "s" : "");
	else
		fputs("executors come", to);
}

static void print_preparing(FILE *to, const Bellows__V1__Job *job)
{
	if (job->size != job->target)
		fprintf(to, "preparing %u -> %u", job->size, job->target);
	else
		fputs("preparing a checkpoint", to);
	fputs(": computing on while the next start is wired up", to);
}

/* Ranks were lost, or did not work at a new size. */
static bool has_lost(const Bellows__V1__Job *job)
{
	const Bellows__V1__Rescale *last;

	if (job->n_history == 0)
		return false;
	last = job->history[job->n_history - 1];
	return last->failed || (last->recovery && last->saved == 0);
}

static void print_state(FILE *to, const Bellows__V1__Job *job)
{
	struct text reason = text_safe(job->reason);
	bool moves = job->size != job->target && job->size != 0;

	switch (job->state) {
	case BELLOWS__V1__STATE__WAITING:
		fprintf(to, "waiting for executors: %u of %u are here",
			job_ready(job), job->executors_wanted);
		if (reason.s[0])
			fprintf(to, "; %s", reason.s);
		break;
	case BELLOWS__V1__STATE__STARTING:
		fprintf(to, "starting on %u rank%s", job->target,
			text_plural(job->target));
		break;
	case BELLOWS__V1__STATE__RESUMING:
		fprintf(to, "resuming on %u rank%s from the checkpoint",
			job->size, text_plural(job->size));
		break;
	case BELLOWS__V1__STATE__RUNNING:
		fprintf(to, "running on %u rank%s", job->size,
			text_plural(job->size));
		break;
	case BELLOWS__V1__STATE__GROWING:
		print_growing(to, job);
		break;
	case BELLOWS__V1__STATE__PREPARING:
		print_preparing(to, job);
		break;
	case BELLOWS__V1__STATE__SAVING:
		fputs("saving a checkpoint", to);
		if (moves && job->target > 0)
			fprintf(to, " for %u -> %u", job->size, job->target);
		break;
	case BELLOWS__V1__STATE__STOPPING:
		fputs("stopping the ranks", to);
		if (has_lost(job) && reason.s[0])
			fprintf(to, ": %s", reason.s);
		break;
	case BELLOWS__V1__STATE__DONE:
		fputs("done", to);
		break;
	case BELLOWS__V1__STATE__FAILED:
	case BELLOWS__V1__STATE__CANCELLED:
		fprintf(to, "%s%s%s", state_name(job->state),
			reason.s[0] ? ": " : "", reason.s);
		break;
	case BELLOWS__V1__STATE__SUSPENDED:
		fputs("saved and stopped; the same command goes on from there",
		      to);
		break;
	case BELLOWS__V1__STATE__STATE_UNSPECIFIED:
	case _BELLOWS__V1__STATE_IS_INT_SIZE:
		fputs("state unknown", to);
		break;
	}
}

static const char *unit_of(const Bellows__V1__Job *job)
{
	return job->unit[0] ? job->unit : "steps";
}

static void print_amount(FILE *to, const Bellows__V1__Job *job, uint64_t n)
{
	fputs(text_safe(text_amount(n, unit_of(job)).s).s, to);
}

static void print_step(FILE *to, const Bellows__V1__Job *job, uint64_t step)
{
	fputs(text_safe(text_step(step, unit_of(job)).s).s, to);
}

/* One that was due, at the size that the job has. */
static bool is_checkpoint(const Bellows__V1__Rescale *rescale)
{
	return rescale->due && rescale->from == rescale->to;
}

static void print_rescale(FILE *to, const Bellows__V1__Job *job,
			  const Bellows__V1__Rescale *rescale)
{
	struct pause pause = pause_of(rescale);

	if (rescale->failed) {
		fprintf(to, "%u -> %u failed: %s", rescale->from, rescale->to,
			text_safe(rescale->result).s);
		if (pause.length < 0)
			return;
		fprintf(to, "; back on %u rank%s, paused ", rescale->from,
			text_plural(rescale->from));
	} else if (!rescale_is_done(rescale)) {
		fprintf(to, "stays on %u rank%s: %s", job->size,
			text_plural(job->size),
			rescale->result[0] ? text_safe(rescale->result).s
					   : "the change was not finished");
		return;
	} else if (is_checkpoint(rescale)) {
		fputs("a checkpoint cost a pause of ", to);
	} else if (rescale->recovery) {
		fprintf(to, "%s: %u -> %u, paused ",
			text_safe(rescale->reason).s, rescale->from,
			rescale->to);
	} else {
		fprintf(to, "%u -> %u cost a pause of ", rescale->from,
			rescale->to);
	}
	pause_print(to, &pause);
	if (rescale->repeated == 0)
		return;
	fputs("; ", to);
	print_amount(to, job, rescale->repeated);
	fputs(" computed again", to);
}

static void print_progress(FILE *to, const Bellows__V1__Job *job)
{
	fprintf(to, "%d %% done", (int)(job->progress * 100 + 1e-9));
	if (job->step) {
		fputs(", ", to);
		print_step(to, job, job->step);
	}
	if (job->eta >= 0)
		fprintf(to, ", %s left",
			text_estimate(job->eta, (msec_t)job->eta_sd).s);
}

static void print_saved(FILE *to, const Bellows__V1__Job *job,
			const Bellows__V1__Rescale *rescale)
{
	if (rescale->repeated > 0) {
		fputs("going back by ", to);
		print_amount(to, job, rescale->repeated);
	} else if (rescale->checkpoint > 0) {
		fputs("saved at ", to);
		print_step(to, job, rescale->checkpoint);
	} else {
		fputs("saved", to);
	}
	if (rescale->to > 0 && !is_checkpoint(rescale))
		fprintf(to, " for %u -> %u", rescale->from, rescale->to);
}

static void text_event(FILE *to, const struct event *event)
{
	const Bellows__V1__Job *job = event->job;

	if (event->kind == EVENT_OVER) {
		timeline_print(to, job);
		return;
	}
	if (event->kind == EVENT_OUTPUT) {
		fwrite(event->text, 1, event->size, to);
		return;
	}
	if (job)
		fprintf(to, "[%5.1f s] ", (double)job->age / 1e3);
	else
		fputs("[  0.0 s] ", to);

	switch (event->kind) {
	case EVENT_STATE:
		print_state(to, job);
		break;
	case EVENT_PROGRESS:
		print_progress(to, job);
		break;
	case EVENT_SAVED:
		print_saved(to, job, event->rescale);
		break;
	case EVENT_RESCALED:
		print_rescale(to, job, event->rescale);
		break;
	case EVENT_TROUBLE:
		fprintf(to, "executors do not come: %s",
			text_safe(job->trouble).s);
		break;
	case EVENT_NOTICE:
	case EVENT_MESSAGE:
		fputs(text_safe(event->text).s, to);
		break;
	case EVENT_OVER:
	case EVENT_OUTPUT:
		break;
	}
	fputc('\n', to);
}

/* What a table shows of a job. */
static void print_row(FILE *to, const Bellows__V1__Job *job, int width)
{
	char progress[16] = "-";

	if (job->progress >= 0)
		snprintf(progress, sizeof(progress), "%.1f %%",
			 job->progress * 100);
	fprintf(to, "%-*s  %5u  %6u  %-9s  %8s  %11s  %8u\n", width,
		text_safe(job->name).s, job->size, job->target,
		state_name(job->state), progress, text_duration(job->eta).s,
		job->rescales);
}

static void print_members(FILE *to, const Bellows__V1__Job *job)
{
	int name = 8, address = 7;

	for (size_t i = 0; i < job->n_members; i++) {
		int a = (int)text_columns(text_safe(job->members[i]->name).s);
		int b = (int)text_columns(
			text_safe(job->members[i]->address).s);

		name = a > name ? a : name;
		address = b > address ? b : address;
	}
	fprintf(to, "\n%-*s  %-*s  %5s  %5s  %5s  %-8s  %s\n", name, "EXECUTOR",
		address, "ADDRESS", "CORES", "SLOTS", "RANKS", "STATE",
		"HEARD");
	for (size_t i = 0; i < job->n_members; i++) {
		const Bellows__V1__Member *at = job->members[i];
		char cores[16] = "-";

		if (at->machine)
			snprintf(cores, sizeof(cores), "%u",
				 at->machine->cores);
		fprintf(to, "%-*s  %-*s  %5s  %5u  %5u  %-8s  %s ago\n", name,
			text_safe(at->name).s, address,
			at->address[0] ? text_safe(at->address).s : "local",
			cores, at->slots, at->ranks, text_safe(at->state).s,
			text_duration(at->heard).s);
	}
}

/* Why there is nothing to be said of a job but its name. */
static void print_unreached(FILE *to, Bellows__V1__Job *const *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (jobs[i]->state == BELLOWS__V1__STATE__STATE_UNSPECIFIED &&
		    jobs[i]->reason[0])
			fprintf(to, "\n%s: %s\n", text_safe(jobs[i]->name).s,
				text_safe(jobs[i]->reason).s);
}

/* The newest change of size, or checkpoint, that was carried out. */
static void print_last_rescale(FILE *to, const Bellows__V1__Job *job)
{
	for (size_t i = job->n_history; i-- > 0;) {
		if (!rescale_is_done(job->history[i]) ||
		    job->history[i]->to == 0)
			continue;
		fputc('\n', to);
		print_rescale(to, job, job->history[i]);
		fputc('\n', to);
		return;
	}
}

/* "step 1728 of 4000, 28 steps/s, 1 min 20 s +- 2.4 s left" */
static void print_pace(FILE *to, const Bellows__V1__Job *job)
{
	struct text step = text_step(job->step, unit_of(job));

	if (!(job->rate > 0) && job->eta < 0)
		return;
	fprintf(to, "\n%s", text_safe(step.s).s);
	/* a time with its unit twice would not fit a line */
	if (job->total > 0 && strncmp(step.s, "step ", 5) == 0)
		fprintf(to, " of %" PRIu64, job->total);
	if (job->rate > 0)
		fprintf(to, ", %s",
			text_safe(text_rate(job->rate, unit_of(job)).s).s);
	if (job->eta >= 0)
		fprintf(to, ", %s left",
			text_estimate(job->eta, (msec_t)job->eta_sd).s);
	fputc('\n', to);
}

static void text_jobs(FILE *to, Bellows__V1__Job *const *jobs, size_t n,
		      bool list)
{
	int width = 4;

	if (list && n == 0) {
		fputs("no job runs\n", to);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int columns = (int)text_columns(text_safe(jobs[i]->name).s);

		width = columns > width ? columns : width;
	}
	fprintf(to, "%-*s  %5s  %6s  %-9s  %8s  %11s  %8s\n", width, "JOB",
		"RANKS", "TARGET", "STATE", "PROGRESS", "ETA", "RESCALES");
	for (size_t i = 0; i < n; i++)
		print_row(to, jobs[i], width);
	if (list) {
		print_unreached(to, jobs, n);
		return;
	}
	print_pace(to, jobs[0]);
	if (jobs[0]->reason[0])
		fprintf(to, "\n%s\n", text_safe(jobs[0]->reason).s);
	if (jobs[0]->shortfall[0])
		fprintf(to, "\nit is to have %u rank%s: %s\n", jobs[0]->want,
			text_plural(jobs[0]->want),
			text_safe(jobs[0]->shortfall).s);
	else if (jobs[0]->trouble[0])
		fprintf(to, "\nexecutors do not come: %s\n",
			text_safe(jobs[0]->trouble).s);
	if (jobs[0]->disk[0])
		fprintf(to, "\n%s\n", text_safe(jobs[0]->disk).s);
	if (jobs[0]->stall[0])
		fprintf(to, "\nit stands still: %s\n",
			text_safe(jobs[0]->stall).s);
	print_last_rescale(to, jobs[0]);
	if (jobs[0]->binding[0])
		fprintf(to, "\nranks on processors: %s\n",
			text_safe(jobs[0]->binding).s);
	if (jobs[0]->n_members)
		print_members(to, jobs[0]);
}

static void text_scaled(FILE *to, const char *job,
			const Bellows__V1__ScaleReply *reply)
{
	if (reply->accepted)
		fprintf(to, "%s: accepted, %u -> %u%s%s\n", job, reply->from,
			reply->to, *reply->reason ? "; " : "",
			text_safe(reply->reason).s);
	else
		fprintf(to, "%s: declined: %s\n", job,
			text_safe(reply->reason).s);
}

static void text_queued(FILE *to, const struct queue_answer *queued)
{
	fprintf(to,
		queued->is_new ? "%s is job %" PRIu64 : "%s (job %" PRIu64 ")",
		text_safe(queued->name).s, queued->number);
	/* a scheduler's sentence may begin with it */
	if (queued->state &&
	    strncmp(queued->note, queued->state, strlen(queued->state)) != 0)
		fprintf(to, ": %s", queued->state);
	fprintf(to, "%s%s\n", *queued->note ? ": " : "",
		text_safe(queued->note).s);
}

static void text_explained(FILE *to, const Bellows__V1__ExplainReply *reply)
{
	explain_print(to, reply, time(NULL));
}

static void text_failure(int code, const char *sentence)
{
	fprintf(stderr, "bellows: %s\n", text_safe(sentence).s);
}

const struct output output_text = {
	.name = "text",
	.event = text_event,
	.jobs = text_jobs,
	.scaled = text_scaled,
	.queue = queue_table_print,
	.queued = text_queued,
	.explained = text_explained,
	.spec = spec_print,
	.failure = text_failure,
};
