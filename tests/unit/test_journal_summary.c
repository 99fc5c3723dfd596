/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "coordinator/journal/print.h"
#include "coordinator/journal/summary.h"
#include "coordinator/journal/writer.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Random walks of a job, written down as a coordinator does
 */

enum { EVENTS = JOB_EV_SUSPEND + 1, RANKS_MAX = 6 };

static unsigned dice = 1;
static msec_t now;
static struct journal_replay walked, summed;

static unsigned roll(unsigned n)
{
	dice = dice * 1103515245u + 12345u;
	return (dice >> 16) % n;
}

/* ---- lines ---- */

static struct journal_entry any_event(void)
{
	const struct job *job = &walked.job;
	const unsigned epochs[] = {0, 0, job->epoch, job->next};
	struct journal_entry e = {
		.kind = JOURNAL_EVENT,
		.event = {.type = (enum job_event_type)roll(EVENTS),
			  .epoch = epochs[roll(4)],
			  .size = roll(RANKS_MAX + 1),
			  .leave = now + roll(500)},
	};

	/* no walk is to end */
	if (e.event.type >= JOB_EV_CANCEL || e.event.type == JOB_EV_FINISHED ||
	    e.event.type == JOB_EV_NO_CHECKPOINT ||
	    (e.event.type == JOB_EV_HAND_OVER && roll(8) > 0))
		e.event.type = JOB_EV_STEP;
	snprintf(e.text, sizeof(e.text), "reason %u", roll(1000));
	return e;
}

static struct journal_entry any_line(void)
{
	struct journal_entry e = {0};

	switch (roll(20)) {
	case 0:
		e.kind = JOURNAL_NOTICE;
		e.notice.kind = BELLOWS__V1__NOTICE_KIND__NOTICE_LOST;
		snprintf(e.text, sizeof(e.text), "w%u was lost", roll(100));
		return e;
	case 1:
		e.kind = JOURNAL_REQUEST;
		e.request.from = 1 + roll(RANKS_MAX);
		e.request.to = 1 + roll(RANKS_MAX);
		snprintf(e.text, sizeof(e.text), "id-%u", roll(10000));
		return e;
	case 2:
		e.kind = JOURNAL_REPEATED;
		e.repeated.steps = roll(50);
		return e;
	case 6:
		e.kind = JOURNAL_CHECKPOINT;
		e.checkpoint.step = roll(50);
		return e;
	case 3:
		e.kind = JOURNAL_LIFE;
		e.life.wall = 1763769600000 + now;
		e.life.starts = walked.job.starts + roll(2);
		return e;
	case 4:
	case 5:
		e.kind = JOURNAL_SEEN;
		e.seen.step = walked.history.step + roll(10);
		e.seen.total = roll(2) ? 100000 : 0;
		e.seen.when = now;
		e.seen.first = roll(2);
		return e;
	}
	return any_event();
}

static bool is_accepted(const struct journal_entry *e)
{
	struct job job = walked.job;
	const struct job_event event = {
		.type = e->event.type,
		.now = e->at,
		.epoch = e->event.epoch,
		.size = e->event.size,
		.leave = e->event.leave,
	};

	return e->kind != JOURNAL_EVENT ||
	       (job_step(&job, &event) && !job_is_over(&job));
}

/* A line as it would be read from the file. */
static bool take(struct journal_replay *replay, const struct journal_entry *e)
{
	char line[JOURNAL_LINE_MAX];
	size_t n = journal_format(e, line);
	struct journal_entry read;

	return journal_parse(line, n - 1, &read) == 0 &&
	       journal_replay_entry(replay, &read);
}

static bool begin(void)
{
	const struct journal_entry begun = {
		.kind = JOURNAL_BEGUN,
		.begun = {.version = JOURNAL_VERSION_FIRST + roll(2),
			  .wall = 1763769600000,
			  .initial = 1 + roll(RANKS_MAX),
			  .retries = 1000000,
			  .has_checkpoint = roll(2),
			  .proves = roll(2)},
		.text = "heat",
	};

	now = 0;
	memset(&walked, 0, sizeof(walked));
	return take(&walked, &begun);
}

/* n more lines of the walk; other takes them too, if there is one. */
static bool walk(unsigned n, struct journal_replay *other)
{
	while (n > 0) {
		struct journal_entry e = any_line();

		e.at = now += roll(50);
		if (!is_accepted(&e))
			continue;
		if (!take(&walked, &e) || (other && !take(other, &e)))
			return false;
		n--;
	}
	return true;
}

static bool is_same_request(const struct request *a, const struct request *b)
{
	return a->from == b->from && a->to == b->to &&
	       strcmp(a->id, b->id) == 0;
}

static bool is_same(const struct journal_replay *a,
		    const struct journal_replay *b)
{
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		if (!is_same_request(&a->requests.entries[i],
				     &b->requests.entries[i]))
			return false;
	return a->requests.n == b->requests.n && a->any == b->any &&
	       strcmp(a->name, b->name) == 0 && a->wall == b->wall &&
	       a->last == b->last && a->initial == b->initial &&
	       memcmp(&a->job, &b->job, sizeof(a->job)) == 0 &&
	       memcmp(&a->history, &b->history, sizeof(a->history)) == 0 &&
	       a->ordered_at == b->ordered_at &&
	       a->saved_after == b->saved_after && a->lives == b->lives &&
	       (!*a->asked.id || is_same_request(&a->asked, &b->asked));
}

/* ---- a summary ---- */

static bool read_lines(struct journal_replay *replay, const char *lines,
		       size_t size)
{
	struct journal_entry entry;

	memset(replay, 0, sizeof(*replay));
	while (size > 0) {
		size_t n = (size_t)((char *)memchr(lines, '\n', size) - lines);

		if (journal_parse(lines, n, &entry) < 0 ||
		    !journal_replay_entry(replay, &entry))
			return false;
		lines += n + 1;
		size -= n + 1;
	}
	return true;
}

/* summed becomes what the summary of the walk replays to. */
static bool sum_up(size_t *size)
{
	CLEANUP(free) char *lines = NULL;
	bool reads;

	if (journal_summary_make(&walked, &lines, size, NULL) < 0)
		return false;
	reads = read_lines(&summed, lines, *size);
	return reads && is_same(&walked, &summed);
}

static void a_summary_replays_to_the_same_as_the_journal(void)
{
	size_t size;

	for (int i = 0; i < 300; i++) {
		CHECK(begin() && walk(roll(400), NULL));
		CHECK(sum_up(&size));
		/* what comes later finds no difference */
		CHECK(walk(roll(400), &summed) && is_same(&walked, &summed));
		/* nor is a summary of a summary another one */
		CHECK(sum_up(&size));
	}
}

static void a_summary_has_a_bound_and_a_journal_has_none(void)
{
	size_t size;

	CHECK(begin() && walk(100000, NULL));
	CHECK(walked.history.n_rescales == RESCALES_MAX);
	CHECK(walked.requests.n > REQUESTS_MAX);
	CHECK(sum_up(&size));
	CHECK(size < JOURNAL_SIZE_MAX / 4);
}

static void lines_that_no_summary_has_are_not_believed(void)
{
	struct journal_entry e = {.kind = JOURNAL_RESULT, .text = "done"};

	CHECK(begin());
	CHECK(!take(&walked, &e)); /* of no rescale */
	e = (struct journal_entry){.kind = JOURNAL_JOB};
	e.job.state = (enum job_state)(JOB_SUSPENDED + 1);
	CHECK(!take(&walked, &e));
	e = (struct journal_entry){.kind = JOURNAL_SPAN};
	for (size_t i = walked.history.n_spans; i < SPANS_MAX; i++)
		CHECK(take(&walked, &e));
	CHECK(!take(&walked, &e));
}

/* ---- the writer ---- */

static char room[] = "/tmp/bellows-summary-XXXXXX", path[64];

static off_t size_of(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 ? st.st_size : -1;
}

/* A journal that is too long by a line or so, as its coordinator left it. */
static bool write_long(void)
{
	CLEANUP(fclose) FILE *to = fopen(path, "we");
	char line[JOURNAL_LINE_MAX];
	struct journal_entry e = {
		.kind = JOURNAL_BEGUN,
		.begun = {.version = JOURNAL_VERSION_FIRST,
			  .initial = 2,
			  .retries = 3},
		.text = "heat",
	};

	if (!to)
		return false;
	do {
		fwrite(line, 1, journal_format(&e, line), to);
		e = (struct journal_entry){.kind = JOURNAL_NOTICE, .at = 5};
		snprintf(e.text, sizeof(e.text), "%ld", ftell(to));
	} while (ftell(to) <= JOURNAL_SIZE_MAX);
	return !ferror(to);
}

static bool read_all(struct journal_replay *replay, struct journal_end *end)
{
	memset(replay, 0, sizeof(*replay));
	return journal_read(path, journal_replay_entry, replay, end, NULL) ==
		       0 &&
	       !end->torn && !end->damaged;
}

static bool is_told(const char *sentence)
{
	CLEANUP(free) char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);
	int r = to ? journal_print(room, false, to, NULL) : -ENOMEM;

	if (to)
		fclose(to);
	return r == 0 && strstr(text, sentence);
}

static struct loop *loop;

static void on_written(void *user)
{
	loop_stop(loop, *(int *)user);
}

/* A writer that goes on with that; its events are told with a code. */
static struct journal_writer *go_on(const struct journal_replay *from,
				    const struct journal_end *end, int *code)
{
	struct journal_writer *writer = NULL;

	if (journal_writer_create(&writer, loop, room, on_written, code,
				  NULL) == 0)
		journal_writer_go_on(writer, from, &from->job, end);
	return writer;
}

static const struct job_event unfit = {.type = JOB_EV_UNFIT};
static const struct job_event stated = {.type = JOB_EV_SCALE, .size = 2};

static void a_journal_that_is_too_long_is_summed_up(void)
{
	struct journal_writer *writer, *other;
	struct journal_end end;
	int one = 1, two = 2;

	CHECK(mkdtemp(room));
	snprintf(path, sizeof(path), "%s/journal", room);
	CHECK(write_long() && read_all(&walked, &end));
	CHECK(loop_create(&loop, NULL) == 0);

	CHECK((writer = go_on(&walked, &end, &one)));
	CHECK(!journal_writer_event(writer, &stated, ""));
	CHECK(loop_run(loop) == 1); /* the summary stands before it */
	journal_writer_destroy(writer);
	CHECK(size_of(path) > 0 && size_of(path) < JOURNAL_SIZE_MAX / 4);
	CHECK(read_all(&summed, &end));
	CHECK((writer = go_on(&summed, &end, &one)));
	CHECK(journal_writer_notice(
		writer, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST, "w1"));
	CHECK(!journal_writer_event(writer, &unfit, ""));
	CHECK(loop_run(loop) == 1);
	CHECK(read_all(&summed, &end));
	CHECK(summed.lives == 3 && summed.job.want == 2);
	CHECK(summed.history.n_notices == NOTICES_MAX);
	CHECK_TEXT(summed.history.notices[NOTICES_MAX - 1].text, "w1");
	CHECK(summed.history.notices[NOTICES_MAX - 1].number ==
	      walked.history.notices[NOTICES_MAX - 1].number + 1);

	CHECK(is_told("summary of what came before: waiting, 0 ranks"));
	CHECK(is_told("notice: w1"));

	/* another coordinator takes over from the summary */
	CHECK((other = go_on(&summed, &end, &two)));
	CHECK(!journal_writer_event(
		other, &(struct job_event){.type = JOB_EV_CANCEL}, ""));
	CHECK(loop_run(loop) == 2);
	CHECK(!journal_writer_event(
		writer, &(struct job_event){.type = JOB_EV_CANCEL}, ""));
	CHECK(loop_run(loop) == -EBUSY);

	journal_writer_destroy(writer);
	journal_writer_destroy(other);
	loop_destroy(loop);
	CHECK(unlink(path) == 0 && rmdir(room) == 0);
}

RUN_TESTS(TEST(a_summary_replays_to_the_same_as_the_journal),
	  TEST(a_summary_has_a_bound_and_a_journal_has_none),
	  TEST(lines_that_no_summary_has_are_not_believed),
	  TEST(a_journal_that_is_too_long_is_summed_up))
