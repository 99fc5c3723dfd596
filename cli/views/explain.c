/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/explain.h"

#include "base/text.h"
#include "client/queue.h"

#include <inttypes.h>
#include <string.h>

static struct brief seconds(double s)
{
	struct brief text;

	if (s < 10 || !(s < 1e12))
		snprintf(text.s, sizeof(text.s), "%.1f s", s);
	else
		text = text_duration((msec_t)(s * 1000));
	return text;
}

static void print_chain(FILE *to, const Bellows__V1__QueueJob *job)
{
	struct text reason = text_safe(job->reason);

	fprintf(to, "%s (job %" PRIu64 ") is %s", text_safe(job->name).s,
		job->number, listed_state_name(job->state));
	if (listed_state_is_over(job->state)) {
		fprintf(to, "%s%s\n", *reason.s ? ": " : "", reason.s);
		return;
	}
	if (job->want)
		fprintf(to, ": it wants %u rank%s, is granted %u", job->want,
			text_plural(job->want), job->grant);
	else
		fprintf(to, ": it is granted %u rank%s", job->grant,
			text_plural(job->grant));
	fprintf(to, ", and runs on %u%s%s\n", job->size, *reason.s ? "; " : "",
		reason.s);
}

static void print_instant(FILE *to, uint64_t at, time_t now)
{
	time_t when = (time_t)(at / 1000);
	struct tm then, today;
	char text[64] = "-";

	if (localtime_r(&when, &then) && localtime_r(&now, &today))
		strftime(text, sizeof(text),
			 then.tm_yday == today.tm_yday &&
					 then.tm_year == today.tm_year
				 ? "%H:%M:%S"
				 : "%Y-%m-%d %H:%M:%S",
			 &then);
	fputs(text, to);
}

static void print_kind(FILE *to, const Bellows__V1__Decision *decision)
{
	const char *kind = decision->kind;

	if (strcmp(kind, "start") == 0)
		fprintf(to, " starts on %u rank%s", decision->to,
			text_plural(decision->to));
	else if (strcmp(kind, "resize") == 0)
		fprintf(to, " grant %u -> %u", decision->from, decision->to);
	else if (strcmp(kind, "park") == 0)
		fprintf(to, " parked, grant %u -> %u", decision->from,
			decision->to);
	else if (strcmp(kind, "wait") == 0)
		fputs(" waits", to);
	else
		fprintf(to, " %s", text_safe(kind).s);
	if (*decision->other)
		fprintf(to, " in favour of %s", text_safe(decision->other).s);
}

static void print_cluster(FILE *to, const Bellows__V1__Decision *decision)
{
	fprintf(to, " (policy %s; %d slot%s free, %u job%s wait%s, %u run%s",
		text_safe(decision->policy).s, decision->free,
		text_plural((uint64_t)decision->free), decision->queued,
		text_plural(decision->queued), decision->queued == 1 ? "s" : "",
		decision->running, decision->running == 1 ? "s" : "");
	if (decision->want)
		fprintf(to, "; it wanted %u", decision->want);
	fputc(')', to);
}

/* Returns how many were printed. */
static unsigned print_alternatives(FILE *to,
				   const Bellows__V1__Decision *decision,
				   bool chosen, unsigned before)
{
	for (size_t i = 0; i < decision->n_alternatives; i++) {
		const Bellows__V1__Alternative *at = decision->alternatives[i];

		if (at->seconds < 0 || at->chosen != chosen)
			continue;
		if (before++ == 0)
			fprintf(to, "; on %u rank%s it would end in %s",
				at->size, text_plural(at->size),
				seconds(at->seconds).s);
		else
			fprintf(to, ", on %u in %s", at->size,
				seconds(at->seconds).s);
		if (at->sd >= 0)
			fprintf(to, " +- %s", seconds(at->sd).s);
	}
	return before;
}

static void print_decision(FILE *to, const Bellows__V1__Decision *decision,
			   time_t now)
{
	unsigned n;

	print_instant(to, decision->at, now);
	print_kind(to, decision);
	fprintf(to, ": %s", text_safe(decision->rule).s);
	print_cluster(to, decision);
	n = print_alternatives(to, decision, true, 0);
	print_alternatives(to, decision, false, n);
	if (decision->step > 0) {
		fprintf(to, "; a step takes %.3g s on %u rank%s",
			decision->step, decision->size,
			text_plural(decision->size));
		if (decision->left > 0)
			fprintf(to, " and %.0f are left", decision->left);
	}
	if (decision->price > 0)
		fprintf(to, "; a rescale costs %s", seconds(decision->price).s);
	fputc('\n', to);
}

void explain_print(FILE *to, const Bellows__V1__ExplainReply *reply, time_t now)
{
	if (reply->job)
		print_chain(to, reply->job);
	fputc('\n', to);
	if (reply->forgotten)
		fprintf(to, "%u older decision%s not kept\n", reply->forgotten,
			reply->forgotten == 1 ? " is" : "s are");
	if (reply->n_decisions == 0 && !reply->forgotten)
		fputs("nothing was decided about it by then\n", to);
	for (size_t i = 0; i < reply->n_decisions; i++)
		print_decision(to, reply->decisions[i], now);
}
