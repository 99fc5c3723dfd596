/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/replay.h"

#include "base/list.h"
#include "journal/journal_file.h"
#include "journal/journal_line.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <stdlib.h>

static char line[RECORD_LINE_MAX], again[RECORD_LINE_MAX];

static struct record some_record(uint64_t number)
{
	struct record record = {
		.number = number,
		.name = "heat",
		.user = "a \"user\"",
		.path = "heat.yaml",
		.folder = "/data",
		.priority = 10,
		.min = 1,
		.max = 8,
		.length = 3600000,
		.submitted = 1763769600000,
		.after = {3, 5},
		.n_after = 2,
	};

	return record;
}

static struct decision some_decision(uint64_t number)
{
	struct decision decision = {
		.number = number,
		.at = 1763769600412,
		.kind = "resize",
		.rule = "slots are free",
		.other = "wind",
		.policy = "bellows",
		.from = 2,
		.to = 4,
		.free = -1,
		.step = 0.25,
		.alternatives = {{4, 31.5, 2}, {2, 58, -1}},
		.n_alternatives = 2,
	};

	return decision;
}

static const char *text_of(size_t n)
{
	/* without its end */
	return n > 0 ? journal_line_open(line, n - 1) : NULL;
}

static bool replay_text(struct replay *replay, size_t n)
{
	const char *text = text_of(n);

	return text && replay_line(replay, text, n - 1 - JOURNAL_LINE_HEAD);
}

static bool replay_record(struct replay *replay, const struct record *record)
{
	return replay_text(replay, record_format(record, 1, line));
}

static void a_record_is_read_as_it_was_written(void)
{
	struct record record = some_record(7);
	struct line read;
	size_t n;

	record.life = (struct queue_job){.held = true,
					 .grant = 3,
					 .runs = true,
					 .began = true,
					 .futile = 2,
					 .end = QUEUE_FAILED,
					 .code = 130};
	n = record_format(&record, 1, line);
	CHECK(text_of(n));
	CHECK(line_parse(text_of(n), n - 1 - JOURNAL_LINE_HEAD, &read) == 0);
	CHECK(read.kind == LINE_RECORD);
	CHECK(record_format(&read.record, 1, again) == n);
	CHECK(memcmp(again, line, n) == 0);
	CHECK(read.record.life.held && read.record.life.grant == 3 &&
	      read.record.life.end == QUEUE_FAILED);
	CHECK_TEXT(read.record.user, record.user);
	CHECK(read.record.n_after == 2 && read.record.after[1] == 5);
	CHECK(read.record.submitted == record.submitted);
	CHECK(read.record.max == 8 && read.record.priority == 10);
}

static void a_decision_is_read_as_it_was_written(void)
{
	struct decision decision = some_decision(7);
	size_t n = decision_format(&decision, line);
	struct line read;

	CHECK(text_of(n));
	CHECK(line_parse(text_of(n), n - 1 - JOURNAL_LINE_HEAD, &read) == 0);
	CHECK(read.kind == LINE_DECISION);
	CHECK(decision_format(&read.decision, again) == n);
	CHECK(memcmp(again, line, n) == 0);
	CHECK(read.decision.free == -1 && read.decision.step == 0.25);
	CHECK(read.decision.alternatives[1].sd == -1);
}

static void a_line_that_does_not_fit_is_refused(void)
{
	static const char *const lines[] = {
		"",
		"{",
		"{}",
		"[1]",
		"{\"job\":1}",
		"{\"job\":0,\"name\":\"heat\",\"priority\":1}",
		"{\"job\":1,\"name\":\"heat\",\"priority\":0}",
		"{\"job\":1,\"name\":7,\"priority\":1}",
		"{\"job\":1.5,\"name\":\"heat\",\"priority\":1}",
		"{\"job\":1e300,\"name\":\"heat\",\"priority\":1}",
		"{\"job\":1,\"name\":\"heat\",\"priority\":1,\"end\":99}",
		"{\"job\":1,\"name\":\"heat\",\"priority\":1,\"max\":1e11}",
		"{\"job\":1,\"name\":\"heat\",\"priority\":1,\"after\":[\"x\"]"
		"}",
		"{\"decision\":1,\"alternatives\":[[1,2]]}",
		"{\"decision\":1,\"kind\":\"far too long to be a kind\"}",
	};
	struct line read;

	for (size_t i = 0; i < LENGTH(lines); i++)
		CHECK(line_parse(lines[i], strlen(lines[i]), &read) < 0);
}

static void the_last_record_of_a_job_counts(void)
{
	CLEANUP(replay_fini) struct replay replay = {0};
	struct record one = some_record(1), two = some_record(2);

	CHECK(replay_record(&replay, &one) && replay_record(&replay, &two));
	one.priority = 99;
	CHECK(replay_record(&replay, &one));
	CHECK(replay.n == 2);
	CHECK(replay.at[0].priority == 99 && replay.at[1].priority == 10);
}

static void the_newest_decisions_are_remembered(void)
{
	CLEANUP(replay_fini) struct replay replay = {0};
	struct decision decision = some_decision(1);

	for (unsigned i = 0; i < DECISIONS_MAX + 10; i++) {
		decision.to = i;
		CHECK(decisions_add(&replay.decisions, &decision) == 0);
	}
	CHECK(decisions_at(&replay.decisions, 0)->to == 10);
	CHECK(decisions_at(&replay.decisions, DECISIONS_MAX - 1)->to ==
	      DECISIONS_MAX + 9);
	CHECK(!decisions_at(&replay.decisions, DECISIONS_MAX));
}

/* ---- the summary ---- */

static bool put(FILE *to, size_t n)
{
	return n > 0 && fwrite(line, 1, n, to) == n;
}

static bool write_journal(const char *path, unsigned jobs)
{
	FILE *to = fopen(path, "w");
	bool good = to;

	for (unsigned i = 1; good && i <= jobs; i++) {
		struct record record = some_record(i);
		struct decision decision = some_decision(i);

		good = put(to, record_format(&record, 1, line)) &&
		       put(to, decision_format(&decision, line));
		record.life.over = true;
		record.life.end = QUEUE_DONE;
		/* the second one took longest */
		record.ended = i == 2 ? 5000 : (msec_t)i;
		if (good && i > 1)
			good = put(to, record_format(&record, 1, line));
	}
	return to && fclose(to) == 0 && good;
}

static bool read_lines(struct replay *replay, const char *lines, size_t n)
{
	const char *path = below("summary");
	FILE *to = fopen(path, "w");
	struct journal_end end;

	if (!to || fwrite(lines, 1, n, to) != n || fclose(to) != 0)
		return false;
	return journal_file_read(path, replay_line, replay, &end, NULL) == 0 &&
	       !end.torn && !end.damaged;
}

static void a_summary_keeps_live_jobs_and_forgets_old_ones(void)
{
	CLEANUP(folder_remove) char *made = folder_create("queue");
	CLEANUP(replay_fini) struct replay replay = {0};
	CLEANUP(free) char *lines = NULL;
	enum { JOBS = OVER_MAX + 20 };
	struct error err;
	size_t n = 0;

	CHECK(made && write_journal(below("journal"), JOBS));
	CHECK(replay_sum_up(below("journal"), &lines, &n, &err) == 0);
	CHECK(read_lines(&replay, lines, n));
	CHECK(replay.n == OVER_MAX + 1);
	CHECK(replay.at[0].number == 1 && !replay.at[0].life.over);
	CHECK(replay.at[1].number == 2 && replay.at[2].number > 3);
	CHECK(replay.at[replay.n - 1].number == JOBS);
	CHECK(replay.decisions.n == JOBS);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_record_is_read_as_it_was_written),
		TEST(a_decision_is_read_as_it_was_written),
		TEST(a_line_that_does_not_fit_is_refused),
		TEST(the_last_record_of_a_job_counts),
		TEST(the_newest_decisions_are_remembered),
		TEST(a_summary_keeps_live_jobs_and_forgets_old_ones),
	};

	return run_tests(tests, LENGTH(tests));
}
