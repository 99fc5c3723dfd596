/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/print.h"

#include "base/text.h"
#include "coordinator/journal/print_json.h"
#include "coordinator/journal/replay.h"

#include <errno.h>
#include <string.h>
#include <time.h>

struct journal_print {
	struct journal_replay replay;
	bool json;
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
static bool find_pause(const struct history *history, struct pause *pause)
{
	Bellows__V1__Job job = BELLOWS__V1__JOB__INIT;
	bool found = false;

	if (history_fill(history, &job) == 0)
		for (size_t i = job.n_history; i-- > 0 && !found;) {
			found = rescale_is_done(job.history[i]);
			if (found)
				*pause = pause_of(job.history[i]);
		}
	history_unfill(&job);
	return found;
}

/* ---- for people ---- */

static void put_pause(FILE *to, const struct pause *pause)
{
	if (!pause)
		return;
	fputs("; the pause was ", to);
	pause_print(to, pause);
}

static void put_event(FILE *to, const struct journal_told *told)
{
	const struct journal_entry *e = told->entry;
	const struct job *job = told->job, *before = told->before;

	fprintf(to, "%s", job_event_name(e->event.type));
	if (before->state != job->state)
		fprintf(to, ", %s -> %s", job_state_name(before->state),
			job_state_name(job->state));
	if (job->target != job->size)
		fprintf(to, ", %u -> %u ranks", job->size, job->target);
	else
		fprintf(to, ", %u ranks", job->size);
	fprintf(to, ", start %u", job->epoch);
	if (*e->text)
		fprintf(to, ": %s", text_safe(e->text).s);
	put_pause(to, told->pause);
}

/* A line of a summary; instants of what it tells stand behind "at". */
static void put_summary(FILE *to, const struct journal_told *told)
{
	const struct journal_entry *e = told->entry;

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
		put_pause(to, told->pause);
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
	case JOURNAL_BINDING:
	case JOURNAL_REQUEST:
		break;
	}
}

static void put(FILE *to, const struct journal_told *told)
{
	const struct journal_entry *e = told->entry;

	fprintf(to, "%10.3f s  ", (double)e->at / 1000);
	switch (e->kind) {
	case JOURNAL_BEGUN:
		fprintf(to, "job %s began ", text_safe(e->text).s);
		put_day(to, e->begun.wall);
		break;
	case JOURNAL_LIFE:
		fputs("another coordinator took over ", to);
		put_day(to, e->life.wall);
		break;
	case JOURNAL_EVENT:
		put_event(to, told);
		break;
	case JOURNAL_SEEN:
		fprintf(to, "step %llu of %llu",
			(unsigned long long)e->seen.step,
			(unsigned long long)e->seen.total);
		break;
	case JOURNAL_CHECKPOINT:
		fprintf(to, "the checkpoint is of step %llu",
			(unsigned long long)e->checkpoint.step);
		break;
	case JOURNAL_REPEATED:
		fprintf(to, "%llu steps are to be computed again",
			(unsigned long long)e->repeated.steps);
		break;
	case JOURNAL_NOTICE:
		fprintf(to, "notice: %s", text_safe(e->text).s);
		break;
	case JOURNAL_BINDING:
		fprintf(to, "start %u, ranks on processors: %s",
			e->binding.epoch, text_safe(e->text).s);
		break;
	case JOURNAL_REQUEST:
		fprintf(to, "request %s: %u -> %u ranks", text_safe(e->text).s,
			e->request.from, e->request.to);
		break;
	case JOURNAL_JOB:
	case JOURNAL_PROGRESS:
	case JOURNAL_TALLY:
	case JOURNAL_SPAN:
	case JOURNAL_RESCALE:
	case JOURNAL_RESULT:
	case JOURNAL_NOTICED:
	case JOURNAL_ANSWERED:
		put_summary(to, told);
		break;
	}
	fputc('\n', to);
}

static void put_end(FILE *to, const struct journal_end *end)
{
	if (end->torn)
		fprintf(to,
			"(the last line is torn, and was not acted upon)\n");
	if (end->damaged)
		fprintf(to,
			"(line %u does not fit; nothing behind it is "
			"believed)\n",
			end->lines + 1);
}

/* ---- the whole ---- */

static bool print_entry(void *user, const struct journal_entry *entry)
{
	struct journal_print *r = user;
	const struct history *history = &r->replay.history;
	const struct job before = r->replay.job;
	struct journal_told told = {entry, &before, &r->replay.job, NULL};
	unsigned n = carried_out(history);
	struct pause pause;

	if (!journal_replay_entry(&r->replay, entry))
		return false;
	if ((entry->kind == JOURNAL_EVENT && carried_out(history) != n) ||
	    (entry->kind == JOURNAL_RESULT && strcmp(entry->text, "done") == 0))
		told.pause = find_pause(history, &pause) ? &pause : NULL;
	if (r->json)
		journal_print_json(r->to, &told);
	else
		put(r->to, &told);
	return true;
}

int journal_print(const char *dir, bool json, FILE *to, struct error *err)
{
	static struct journal_print r;
	struct journal_end end;
	char path[4200];
	int result;

	r = (struct journal_print){.json = json, .to = to};
	snprintf(path, sizeof(path), "%s/journal", dir);
	result = journal_read(path, print_entry, &r, &end, err);
	if (result == -ENOENT)
		return error_set(err, result, "%s: there is no journal", path);
	if (json)
		journal_print_json_end(to, &end);
	else
		put_end(to, &end);
	return result;
}
