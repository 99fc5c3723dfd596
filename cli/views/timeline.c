/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/timeline.h"

#include "base/text.h"

#include <string.h>

enum { BAR_MAX = 24 };

msec_t timeline_end(const Bellows__V1__Job *job, size_t span)
{
	uint64_t to = job->spans[span]->to;

	return (msec_t)(to ? to : job->age);
}

enum span_kind timeline_kind(const Bellows__V1__Job *job, size_t span)
{
	bool before = false, after = !state_is_over(job->state);

	if (job->spans[span]->ranks)
		return SPAN_RANKS;
	for (size_t i = 0; i < job->n_spans; i++) {
		if (job->spans[i]->ranks && i < span)
			before = true;
		if (job->spans[i]->ranks && i > span)
			after = true;
	}
	return !before ? SPAN_START : after ? SPAN_PAUSE : SPAN_END;
}

/* The newest rescale in whose pause the span begins; NULL: there is none. */
static const Bellows__V1__Rescale *rescale_of(const Bellows__V1__Job *job,
					      size_t span)
{
	msec_t from = (msec_t)job->spans[span]->from;

	for (size_t i = job->n_history; i-- > 0;) {
		struct pause pause = pause_of(job->history[i]);

		if (job->history[i]->result[0] && pause.length >= 0 &&
		    pause.begin <= from && pause.end >= from)
			return job->history[i];
	}
	return NULL;
}

msec_t timeline_pause(const Bellows__V1__Job *job, size_t span)
{
	const Bellows__V1__Rescale *rescale = rescale_of(job, span);

	if (!rescale)
		return timeline_end(job, span) - (msec_t)job->spans[span]->from;
	for (size_t i = 0; i < span; i++)
		if (job->spans[i]->ranks == 0 && rescale_of(job, i) == rescale)
			return -1;
	return pause_of(rescale).length;
}

static void print_pause(FILE *to, msec_t length)
{
	if (length < 0)
		fputs("the same pause", to);
	else
		fprintf(to, "pause %s", text_pause(length).s);
}

static void print_kind(FILE *to, const Bellows__V1__Job *job, size_t span,
		       unsigned most)
{
	unsigned ranks = job->spans[span]->ranks;

	switch (timeline_kind(job, span)) {
	case SPAN_RANKS:
		for (unsigned i = 0; i * most < ranks * BAR_MAX; i++)
			fputc('#', to);
		break;
	case SPAN_START:
		fputs("start", to);
		break;
	case SPAN_PAUSE:
		print_pause(to, timeline_pause(job, span));
		break;
	case SPAN_END:
		fputs("end", to);
		break;
	}
	fputc('\n', to);
}

static void print_head(FILE *to, const Bellows__V1__Job *job)
{
	msec_t paused = job_paused(job);

	fprintf(to, "\n%s: %s after %s, %u rescale%s", text_safe(job->name).s,
		state_name(job->state), text_duration((msec_t)job->age).s,
		job->rescales, text_plural(job->rescales));
	if (paused > 0)
		fprintf(to, ", paused %s in all (%.1f %%)",
			text_pause(paused).s,
			100.0 * (double)paused /
				(double)(job->age + !job->age));
	fputc('\n', to);
}

static void print_spans(FILE *to, const Bellows__V1__Job *job)
{
	unsigned most = 1;

	for (size_t i = 0; i < job->n_spans; i++)
		if (job->spans[i]->ranks > most)
			most = job->spans[i]->ranks;

	fputs("\n        from          to  ranks\n", to);
	for (size_t i = 0; i < job->n_spans; i++) {
		const Bellows__V1__Span *span = job->spans[i];

		fprintf(to, "%10.1f s%10.1f s  %5u  ", (double)span->from / 1e3,
			(double)timeline_end(job, i) / 1e3, span->ranks);
		print_kind(to, job, i, most);
	}
}

/* A stop for good is in the history as a change to no ranks. */
static bool has_rescales(const Bellows__V1__Job *job)
{
	for (size_t i = 0; i < job->n_history; i++)
		if (job->history[i]->to)
			return true;
	return false;
}

static void print_rescales(FILE *to, const Bellows__V1__Job *job)
{
	fprintf(to, "\n%12s  %10s  %9s", "rescale", "asked", "pause");
	for (int i = 0; i < PARTS; i++)
		fprintf(to, "  %15s", pause_part_name(i));
	fputs("  reason\n", to);

	for (size_t i = 0; i < job->n_history; i++) {
		const Bellows__V1__Rescale *at = job->history[i];
		struct pause pause = pause_of(at);
		char sizes[32];

		if (at->to == 0)
			continue;
		snprintf(sizes, sizeof(sizes), "%u -> %u", at->from, at->to);
		fprintf(to, "%12s  %8.1f s", sizes, (double)at->asked / 1e3);
		if (!rescale_is_done(at) && (!at->failed || pause.length < 0)) {
			fprintf(to, "  %s\n",
				at->result[0] ? text_safe(at->result).s
					      : "not finished");
			continue;
		}
		fprintf(to, "  %9s", text_pause(pause.length).s);
		for (int k = 0; k < PARTS; k++)
			fprintf(to, "  %15s", text_pause(pause.part[k]).s);
		if (at->failed)
			fprintf(to, "  failed: %s\n", text_safe(at->result).s);
		else
			fprintf(to, "  %s\n", text_safe(at->reason).s);
	}
}

void timeline_print(FILE *to, const Bellows__V1__Job *job)
{
	print_head(to, job);
	if (job->n_spans)
		print_spans(to, job);
	if (has_rescales(job))
		print_rescales(to, job);
}
