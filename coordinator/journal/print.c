/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/print.h"

#include "base/text.h"
#include "client/job.h"
#include "coordinator/journal/replay.h"

#include <errno.h>
#include <string.h>
#include <time.h>

struct journal_print {
	struct journal_replay replay;
	unsigned carried_out; /* before the line at hand */
	FILE *to;
};

static void put_day(FILE *to, msec_t wall)
{
	time_t seconds = (time_t)(wall / 1000);
	struct tm day;
	char text[64] = "at an unknown time";

	if (gmtime_r(&seconds, &day))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &day);
	fputs(text, to);
}

/* Rescales, recoveries and checkpoints that were due. */
static unsigned carried_out(const struct history *history)
{
	const struct tally *tally = &history->tally;

	return tally->grown + tally->shrunk + tally->recovered +
	       tally->checkpoints;
}

/* What the newest rescale cost that was carried out. */
static void put_pause(FILE *to, const struct history *history)
{
	Bellows__V1__Job job = BELLOWS__V1__JOB__INIT;
	struct pause pause;

	if (history_fill(history, &job) == 0)
		for (size_t i = job.n_history; i-- > 0;) {
			if (!rescale_is_done(job.history[i]))
				continue;
			pause = pause_of(job.history[i]);
			fputs("; the pause was ", to);
			pause_print(to, &pause);
			break;
		}
	history_unfill(&job);
}

static void put_event(const struct journal_print *r, const struct job *before,
		      const struct journal_entry *e)
{
	const struct job *job = &r->replay.job;

	fprintf(r->to, "%s", job_event_name(e->event.type));
	if (before->state != job->state)
		fprintf(r->to, ", %s -> %s", job_state_name(before->state),
			job_state_name(job->state));
	if (job->target != job->size)
		fprintf(r->to, ", %u -> %u ranks", job->size, job->target);
	else
		fprintf(r->to, ", %u ranks", job->size);
	fprintf(r->to, ", start %u", job->epoch);
	if (*e->text)
		fprintf(r->to, ": %s", text_safe(e->text).s);
	if (carried_out(&r->replay.history) != r->carried_out)
		put_pause(r->to, &r->replay.history);
}

/* A line of a summary; instants of what it tells stand behind "at". */
static void put_summary(FILE *to, const struct history *history,
			const struct journal_entry *e)
{
	switch (e->kind) {
	case JOURNAL_JOB:
		fprintf(to,
			"summary of what came before: %s, %u ranks, start %u",
			job_state_name(e->job.state), e->job.size,
			e->job.epoch);
		break;
	case JOURNAL_PROGRESS:
		fprintf(to, "  step %llu of %llu",
			(unsigned long long)e->progress.step,
			(unsigned long long)e->progress.total);
		break;
	case JOURNAL_TALLY:
		fprintf(to,
			"  grown %u times, shrunk %u, recovered %u, dropped %u",
			e->tally.grown, e->tally.shrunk, e->tally.recovered,
			e->tally.dropped);
		break;
	case JOURNAL_SPAN:
		fprintf(to, "  from %.3f s: %u ranks computed",
			(double)e->span.from / 1000, e->span.ranks);
		break;
	case JOURNAL_RESCALE:
		fprintf(to, "  at %.3f s: %u -> %u ranks: %s",
			(double)e->rescale.asked / 1000, e->rescale.from,
			e->rescale.to, text_safe(e->text).s);
		break;
	case JOURNAL_RESULT:
		fprintf(to, "    ended: %s", text_safe(e->text).s);
		if (strcmp(e->text, "done") == 0)
			put_pause(to, history);
		break;
	case JOURNAL_NOTICED:
		fprintf(to, "  at %.3f s: notice: %s",
			(double)e->noticed.at / 1000, text_safe(e->text).s);
		break;
	case JOURNAL_ANSWERED:
		fprintf(to, "  request %s: %u -> %u ranks",
			text_safe(e->text).s, e->answered.from, e->answered.to);
		break;
	case JOURNAL_BEGUN:
	case JOURNAL_LIFE:
	case JOURNAL_EVENT:
	case JOURNAL_SEEN:
	case JOURNAL_CHECKPOINT:
	case JOURNAL_REPEATED:
	case JOURNAL_NOTICE:
	case JOURNAL_REQUEST:
		break;
	}
}

static void put(const struct journal_print *r, const struct job *before,
		const struct journal_entry *e)
{
	fprintf(r->to, "%10.3f s  ", (double)e->at / 1000);
	switch (e->kind) {
	case JOURNAL_BEGUN:
		fprintf(r->to, "job %s began ", text_safe(e->text).s);
		put_day(r->to, e->begun.wall);
		break;
	case JOURNAL_LIFE:
		fputs("another coordinator took over ", r->to);
		put_day(r->to, e->life.wall);
		break;
	case JOURNAL_EVENT:
		put_event(r, before, e);
		break;
	case JOURNAL_SEEN:
		fprintf(r->to, "step %llu of %llu",
			(unsigned long long)e->seen.step,
			(unsigned long long)e->seen.total);
		break;
	case JOURNAL_CHECKPOINT:
		fprintf(r->to, "the checkpoint is of step %llu",
			(unsigned long long)e->checkpoint.step);
		break;
	case JOURNAL_REPEATED:
		fprintf(r->to, "%llu steps are to be computed again",
			(unsigned long long)e->repeated.steps);
		break;
	case JOURNAL_NOTICE:
		fprintf(r->to, "notice: %s", text_safe(e->text).s);
		break;
	case JOURNAL_REQUEST:
		fprintf(r->to, "request %s: %u -> %u ranks",
			text_safe(e->text).s, e->request.from, e->request.to);
		break;
	case JOURNAL_JOB:
	case JOURNAL_PROGRESS:
	case JOURNAL_TALLY:
	case JOURNAL_SPAN:
	case JOURNAL_RESCALE:
	case JOURNAL_RESULT:
	case JOURNAL_NOTICED:
	case JOURNAL_ANSWERED:
		put_summary(r->to, &r->replay.history, e);
		break;
	}
	fputc('\n', r->to);
}

static bool print_entry(void *user, const struct journal_entry *entry)
{
	struct journal_print *r = user;
	const struct job before = r->replay.job;

	r->carried_out = carried_out(&r->replay.history);
	if (!journal_replay_entry(&r->replay, entry))
		return false;
	put(r, &before, entry);
	return true;
}

int journal_print(const char *dir, FILE *to, struct error *err)
{
	static struct journal_print r;
	struct journal_end end;
	char path[4200];
	int result;

	r = (struct journal_print){.to = to};
	snprintf(path, sizeof(path), "%s/journal", dir);
	result = journal_read(path, print_entry, &r, &end, err);
	if (result == -ENOENT)
		return error_set(err, result, "%s: there is no journal", path);
	if (end.torn)
		fprintf(to,
			"(the last line is torn, and was not acted upon)\n");
	if (end.damaged)
		fprintf(to,
			"(line %u does not fit; nothing behind it is "
			"believed)\n",
			end.lines + 1);
	return result;
}
