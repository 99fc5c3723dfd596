/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "coordinator/journal/replay.h"
#include "tests/check.h"

/* A job that is lived and written down at the same time; lines as they would be
 * in the file. */
static struct job job;
static struct history history;
static struct journal_replay replay;
static char lines[256][JOURNAL_LINE_MAX];
static size_t lengths[256], n_lines;

static const struct job_patience patience = {.retries = 3, .resume = 1};

static void write_line(const struct journal_entry *entry)
{
	lengths[n_lines] = journal_format(entry, lines[n_lines]);
	n_lines++;
}

static bool read_lines(size_t n)
{
	struct journal_entry entry;

	memset(&replay, 0, sizeof(replay));
	for (size_t i = 0; i < n; i++)
		if (journal_parse(lines[i], lengths[i] - 1, &entry) < 0 ||
		    !journal_replay_entry(&replay, &entry))
			return false;
	return true;
}

static void begin(void)
{
	const struct journal_entry begun = {
		.kind = JOURNAL_BEGUN,
		.begun = {1000000, 2, 3, 0, false, true, JOURNAL_VERSION},
		.text = "heat",
	};

	n_lines = 0;
	write_line(&begun);
	job_init(&job, 2, &patience, false, 0);
	history_init(&history, 0);
}

static bool feed(msec_t now, enum job_event_type type, unsigned size)
{
	const struct job_event event = {.type = type, .now = now, .size = size};
	struct journal_entry entry = {.kind = JOURNAL_EVENT,
				      .at = now,
				      .event = {type, 0, size, 0},
				      .text = "why"};
	const struct job before = job;

	if (!job_step(&job, &event))
		return false;
	write_line(&entry);
	history_on_step(&history, &before, &job, &event, "why");
	return true;
}

static void progress(msec_t now, uint64_t step, bool first)
{
	const struct journal_entry entry = {.kind = JOURNAL_SEEN,
					    .at = now,
					    .seen = {step, 100, now, first}};

	write_line(&entry);
	history_on_progress(&history, step, 100, first, now);
}

static void grow(void)
{
	begin();
	feed(100, JOB_EV_EXECUTORS, 2);
	feed(200, JOB_EV_RANKS_UP, 0);
	progress(290, 1, true);
	feed(300, JOB_EV_STEP, 0);
	feed(1000, JOB_EV_SCALE, 4);
	feed(1100, JOB_EV_EXECUTORS, 4);
	progress(1190, 30, false);
	feed(1200, JOB_EV_PREPARED, 0);
	progress(1290, 33, false);
	feed(1300, JOB_EV_SAVED, 0);
	feed(1350, JOB_EV_STOPPED, 4);
	feed(1400, JOB_EV_RANKS_UP, 0);
	feed(1450, JOB_EV_RESUMED, 0);
	progress(1490, 34, true);
	feed(1500, JOB_EV_STEP, 0);
}

/* What of it is not a matter of patience. */
static bool is_same_job(const struct job *a, const struct job *b)
{
	return a->state == b->state && a->size == b->size &&
	       a->begun == b->begun && a->target == b->target &&
	       a->proven == b->proven && a->resumed == b->resumed &&
	       a->stepped == b->stepped && a->worked == b->worked &&
	       a->starts == b->starts && a->epoch == b->epoch &&
	       a->next == b->next && a->retries_left == b->retries_left &&
	       a->has_checkpoint == b->has_checkpoint;
}

static void what_was_lived_is_what_is_read(void)
{
	grow();
	CHECK(read_lines(n_lines));
	CHECK(is_same_job(&replay.job, &job) && job.state == JOB_RUNNING);
	CHECK(memcmp(&replay.history, &history, sizeof(history)) == 0);
	CHECK_TEXT(replay.name, "heat");
	CHECK(replay.last == 1500 && replay.lives == 1);
	CHECK(replay.ordered_at == 30 && replay.saved_after == 30);
}

static void a_journal_that_ends_anywhere_is_the_job_of_then(void)
{
	grow();
	for (size_t n = 1; n <= n_lines; n++)
		CHECK(read_lines(n) && replay.any);
	CHECK(read_lines(0) && !replay.any);
}

/* Where a job is after its coordinator was killed behind so many lines. */
static const struct job *restart_after(size_t n)
{
	const struct job_event event = {
		.type = JOB_EV_RESTARTED, .now = 2000, .size = 1};

	if (!read_lines(n) || !job_step(&replay.job, &event))
		return NULL;
	return &replay.job;
}

static void a_restart_ends_with_the_old_size_or_the_new_one(void)
{
	size_t n_all;

	grow();
	n_all = n_lines;
	for (size_t n = 1; n <= n_all; n++) {
		const struct job *at = restart_after(n);
		bool saved = n > 10;

		CHECK(at && at->state == JOB_WAITING && at->next == 0);
		CHECK(at->target == (saved ? 4 : 2));
		CHECK(at->has_checkpoint);
	}
}

static void a_rescale_that_was_not_saved_is_told_as_dropped(void)
{
	begin();
	feed(100, JOB_EV_EXECUTORS, 2);
	feed(200, JOB_EV_RANKS_UP, 0);
	feed(300, JOB_EV_STEP, 0);
	feed(1000, JOB_EV_SCALE, 4);
	CHECK(feed(1500, JOB_EV_RESTARTED, 1));
	CHECK(history.n_rescales == 2 && history.tally.dropped == 1);
	CHECK_TEXT(history.rescales[0].result, "why");
	CHECK(history.rescales[1].recovery);
	feed(1600, JOB_EV_EXECUTORS, 2);
	feed(1700, JOB_EV_RANKS_UP, 0);
	feed(1750, JOB_EV_RESUMED, 0);
	feed(1800, JOB_EV_STEP, 0);
	CHECK_TEXT(history.rescales[1].result, "done");
	CHECK(history.rescales[1].from == 2 && history.rescales[1].to == 2);
	CHECK(job.retries_left == 3);
	CHECK(read_lines(n_lines) && is_same_job(&replay.job, &job));
}

static void a_checkpoint_that_was_due_is_due_again(void)
{
	const struct job *at;

	begin();
	feed(100, JOB_EV_EXECUTORS, 2);
	feed(200, JOB_EV_RANKS_UP, 0);
	feed(300, JOB_EV_STEP, 0);
	CHECK(feed(1000, JOB_EV_DUE, 0));
	CHECK(feed(1100, JOB_EV_PREPARED, 0));
	CHECK(read_lines(n_lines) && is_same_job(&replay.job, &job));
	CHECK(replay.history.rescales[0].due);
	at = restart_after(n_lines);
	CHECK(at && at->state == JOB_WAITING && at->target == 2);
	CHECK(at->next == 0);
	CHECK(feed(1500, JOB_EV_RESTARTED, 1));
	CHECK_TEXT(history.rescales[0].result, "why");
	CHECK(history.rescales[1].recovery && !history.rescales[1].due);
}

static void what_could_not_be_read_still_counts(void)
{
	grow();
	feed(2000, JOB_EV_LOST, 0);
	feed(2100, JOB_EV_STOPPED, 4);
	feed(2200, JOB_EV_RANKS_UP, 0);
	CHECK(feed(2300, JOB_EV_UNREADABLE, 0));
	CHECK(job.retries_left == 1 && job.target == 4);
	CHECK(read_lines(n_lines) && is_same_job(&replay.job, &job));
	CHECK(memcmp(&replay.history, &history, sizeof(history)) == 0);
}

static void a_job_that_was_to_be_suspended_is_suspended(void)
{
	const struct job *at;

	begin();
	feed(100, JOB_EV_EXECUTORS, 2);
	feed(200, JOB_EV_RANKS_UP, 0);
	feed(300, JOB_EV_STEP, 0);
	feed(400, JOB_EV_SUSPEND, 0);
	at = restart_after(n_lines);
	CHECK(at && at->state == JOB_SUSPENDED);
}

static void a_request_counts_once_it_has_begun(void)
{
	struct journal_entry asked = {.kind = JOURNAL_REQUEST,
				      .at = 900,
				      .request = {2, 4},
				      .text = "a-1"};
	const struct request *request;

	begin();
	feed(100, JOB_EV_EXECUTORS, 2);
	feed(200, JOB_EV_RANKS_UP, 0);
	feed(300, JOB_EV_STEP, 0);
	write_line(&asked);
	CHECK(read_lines(n_lines) && !requests_find(&replay.requests, "a-1"));
	feed(1000, JOB_EV_SCALE, 4);
	CHECK(read_lines(n_lines));
	request = requests_find(&replay.requests, "a-1");
	CHECK(request && request->from == 2 && request->to == 4);
	feed(1500, JOB_EV_TIMEOUT, 0);
	feed(1600, JOB_EV_SCALE, 3); /* a request without an identifier */
	CHECK(read_lines(n_lines));
	CHECK(replay.requests.n == 1 && requests_find(&replay.requests, "a-1"));
}

static void want_and_grant_are_those_that_were_stated_last(void)
{
	begin();
	CHECK(read_lines(n_lines));
	CHECK(replay.initial == 2 && replay.job.want == 2);
	CHECK(replay.job.grant == JOB_NO_GRANT);
	feed(100, JOB_EV_EXECUTORS, 2);
	feed(200, JOB_EV_RANKS_UP, 0);
	feed(300, JOB_EV_SCALE, 4);
	feed(400, JOB_EV_GRANT, 3);
	feed(500, JOB_EV_LOST, 0);
	CHECK(read_lines(n_lines));
	CHECK(replay.initial == 2 && replay.job.want == 4 &&
	      replay.job.grant == 3);
}

static void what_cannot_have_been_is_not_believed(void)
{
	const struct journal_entry again = {
		.kind = JOURNAL_BEGUN,
		.at = 2000,
		.begun = {1, 2, 3, 0, false, true, JOURNAL_VERSION}};
	struct journal_entry early = {.kind = JOURNAL_SEEN, .at = 10};

	begin();
	write_line(&again);
	CHECK(!read_lines(n_lines));
	grow();
	write_line(&early);
	CHECK(!read_lines(n_lines));
	begin();
	lengths[0] = journal_format(&early, lines[0]);
	CHECK(!read_lines(1));
	grow();
	early = (struct journal_entry){.kind = JOURNAL_EVENT,
				       .at = 2000,
				       .event = {JOB_EV_PREPARED, 9, 0, 0}};
	write_line(&early);
	CHECK(!read_lines(n_lines));
}

static void nothing_of_it_lies_ahead(void)
{
	grow();
	CHECK(read_lines(n_lines) && replay.last == 1500);
	CHECK(journal_replay_began(&replay, 1000000 + 5000, 80000) == 75000);
	CHECK(journal_replay_began(&replay, 1000000 + 200, 80000) == 78500);
	CHECK(journal_replay_began(&replay, 0, 80000) == 78500);
}

RUN_TESTS(TEST(what_was_lived_is_what_is_read),
	  TEST(a_journal_that_ends_anywhere_is_the_job_of_then),
	  TEST(a_restart_ends_with_the_old_size_or_the_new_one),
	  TEST(a_rescale_that_was_not_saved_is_told_as_dropped),
	  TEST(a_checkpoint_that_was_due_is_due_again),
	  TEST(what_could_not_be_read_still_counts),
	  TEST(a_job_that_was_to_be_suspended_is_suspended),
	  TEST(a_request_counts_once_it_has_begun),
	  TEST(want_and_grant_are_those_that_were_stated_last),
	  TEST(what_cannot_have_been_is_not_believed),
	  TEST(nothing_of_it_lies_ahead))
