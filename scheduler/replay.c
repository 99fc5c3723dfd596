/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/replay.h"

#include "base/array.h"
#include "journal/journal_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- decisions ---- */

int decisions_add(struct decisions *decisions, const struct decision *one)
{
	if (!decisions->ring)
		decisions->ring =
			calloc(DECISIONS_MAX, sizeof(*decisions->ring));
	if (!decisions->ring)
		return -ENOMEM;
	decisions->ring[decisions->n++ % DECISIONS_MAX] = *one;
	return 0;
}

void decisions_fini(struct decisions *decisions)
{
	free(decisions->ring);
	*decisions = (struct decisions){0};
}

const struct decision *decisions_at(const struct decisions *decisions, size_t i)
{
	size_t first =
		decisions->n > DECISIONS_MAX ? decisions->n - DECISIONS_MAX : 0;

	return first + i < decisions->n
		       ? &decisions->ring[(first + i) % DECISIONS_MAX]
		       : NULL;
}

/* ---- records ---- */

/* Most lines are of one of the newest jobs. */
static struct record *find(const struct replay *replay, uint64_t number)
{
	for (size_t i = replay->n; i > 0; i--)
		if (replay->at[i - 1].number == number)
			return &replay->at[i - 1];
		else if (replay->at[i - 1].number < number)
			break;
	return NULL;
}

static bool add(struct replay *replay, const struct record *record)
{
	struct record *old = find(replay, record->number);

	if (old) {
		*old = *record;
		return true;
	}
	if (replay->n > 0 && replay->at[replay->n - 1].number > record->number)
		return false;
	replay->failed = ARRAY_RESERVE(replay->at, replay->n, replay->room) < 0;
	if (replay->failed)
		return false;
	replay->at[replay->n++] = *record;
	return true;
}

bool replay_line(void *user, const char *text, size_t n)
{
	struct replay *replay = user;
	struct line line;

	if (line_parse(text, n, &line) < 0)
		return false;
	if (line.kind == LINE_RECORD)
		return add(replay, &line.record);
	replay->failed = decisions_add(&replay->decisions, &line.decision) < 0;
	return !replay->failed;
}

void replay_fini(struct replay *replay)
{
	free(replay->at);
	decisions_fini(&replay->decisions);
	*replay = (struct replay){0};
}

/* ---- the summary ---- */

static int compare_ends(const void *a, const void *b)
{
	const struct record *one = *(struct record *const *)a;
	const struct record *other = *(struct record *const *)b;

	return (one->ended > other->ended) - (one->ended < other->ended);
}

/* Of the jobs that are over, those that ended first have no number any more;
 * the last job has, for its number is not given again.  -ENOMEM. */
static int forget(struct replay *replay)
{
	CLEANUP(free) struct record **over = NULL;
	size_t n = 0, last;

	over = calloc(replay->n + 1, sizeof(struct record *));
	if (!over)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < replay->n; i++)
		if (replay->at[i].life.over)
			over[n++] = &replay->at[i];
	qsort(over, n, sizeof(struct record *), compare_ends);
	last = replay->n > 0 && replay->at[replay->n - 1].life.over;
	for (size_t i = 0; i < n && i + OVER_MAX < n + last; i++)
		over[i]->number = 0;
	return 0;
}

static void print(const struct replay *replay, FILE *to)
{
	char line[RECORD_LINE_MAX];
	const struct decision *one;

	for (size_t i = 0; i < replay->n; i++) {
		const struct record *record = &replay->at[i];

		if (record->number > 0)
			fwrite(line, 1,
			       record_format(record, record->submitted, line),
			       to);
	}
	for (size_t i = 0; (one = decisions_at(&replay->decisions, i)); i++)
		fwrite(line, 1, decision_format(one, line), to);
}

int replay_sum_up(const char *path, char **lines, size_t *n, struct error *err)
{
	CLEANUP(replay_fini) struct replay replay = {0};
	struct journal_end end;
	FILE *to;
	int r = journal_file_read(path, replay_line, &replay, &end, err);

	if (r < 0)
		return r;
	if (replay.failed)
		return error_set(err, -ENOMEM, "out of memory");
	if (end.torn || end.damaged)
		return error_set(err, -EINVAL, "%s:%u: this line does not fit",
				 path, end.lines + 1);
	r = forget(&replay);
	to = r == 0 ? open_memstream(lines, n) : NULL;
	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	print(&replay, to);
	if (fclose(to) == 0)
		return 0;
	free(*lines);
	return error_set(err, -ENOMEM, "out of memory");
}
