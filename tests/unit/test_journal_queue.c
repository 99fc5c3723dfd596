/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"
#include "journal/journal_queue.h"
#include "tests/check.h"
#include "tests/unit/full_disk.h"
#include "tests/unit/run_loop.h"
#include "tests/unit/sealed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 1, FAILED = 2, PATIENCE = 60000, LIMIT = 100 };

static char room[64], path[80];
static struct loop *loop;
static struct journal_queue *queue;
static int code; /* of the last failure */

/* ---- what a program has of it ---- */

static void on_kept(void *user)
{
	if (journal_queue_kept(queue) == journal_queue_given(queue))
		loop_stop(loop, KEPT);
}

static void on_failed(void *user, int why, const struct error *err)
{
	code = why;
	loop_stop(loop, strstr(err->text, path) ? FAILED : -1);
}

static int count(const char *at, off_t size, char **lines, size_t *n,
		 struct error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld bytes", (long long)size);
	*lines = malloc(LINE_ROOM);
	*n = *lines ? seal(text, *lines) : 0;
	return *lines ? 0 : -ENOMEM;
}

static int refuse(const char *at, off_t size, char **lines, size_t *n,
		  struct error *err)
{
	return error_set(err, -EINVAL, "%s does not add up", at);
}

static const struct journal_queue_ops counting = {
	.program = "scheduler",
	.kept = on_kept,
	.failed = on_failed,
	.size_max = LIMIT,
	.sum_up = count,
};

static const struct journal_queue_ops refusing = {
	.program = "scheduler",
	.kept = on_kept,
	.failed = on_failed,
	.size_max = 1,
	.sum_up = refuse,
};

static bool set_up(const struct journal_queue_ops *ops)
{
	const struct journal_end nothing = {0};

	strcpy(room, "/tmp/journal-XXXXXX");
	if (!mkdtemp(room))
		return false;
	snprintf(path, sizeof(path), "%s/journal", room);
	return loop_create(&loop, NULL) == 0 &&
	       journal_queue_create(&queue, loop, path, &nothing, ops, NULL,
				    NULL) == 0;
}

static void tear_down(void)
{
	queue = journal_queue_destroy(queue);
	loop = loop_destroy(loop);
	tree_remove_path(room, NULL);
}

static int run(void)
{
	return run_loop(loop, PATIENCE);
}

static bool put(const char *text)
{
	char line[LINE_ROOM];

	return journal_queue_put(queue, line, seal(text, line)) == 0;
}

static bool see(void *user, const char *text, size_t n)
{
	strcat(strcat(user, text), "; ");
	return true;
}

/* The texts that are believed. */
static const char *texts(struct journal_end *end)
{
	static char all[512];

	all[0] = '\0';
	return journal_file_read(path, see, all, end, NULL) == 0 ? all : "none";
}

/* ---- tests ---- */

static void each_position_is_kept_in_its_turn(void)
{
	struct journal_end end;
	uint64_t first;

	CHECK(set_up(&counting));
	CHECK(put("one"));
	first = journal_queue_given(queue);
	CHECK(first == JOURNAL_LINE_HEAD + 4);
	CHECK(journal_queue_kept(queue) == 0);
	CHECK(run() == KEPT);
	CHECK(put("two"));
	CHECK(journal_queue_kept(queue) == first);
	CHECK(run() == KEPT);
	CHECK(journal_queue_kept(queue) == 2 * first);
	CHECK_TEXT(texts(&end), "one; two; ");
	tear_down();
}

static void what_a_full_disk_did_not_take_waits_for_another_try(void)
{
	struct journal_end end;

	CHECK(set_up(&counting));
	CHECK(journal_queue_retry(queue) == 0); /* of nothing */
	full_disk_begin(5);
	CHECK(put("one"));
	CHECK(run() == FAILED && code == -ENOSPC);
	CHECK(put("two"));
	CHECK(journal_queue_retry(queue) == 0);
	CHECK(run() == FAILED);
	full_disk_end();
	CHECK(journal_queue_kept(queue) == 0);
	CHECK(put("three"));
	CHECK(journal_queue_retry(queue) == 0);
	CHECK(run() == KEPT);
	CHECK_TEXT(texts(&end), "one; two; three; ");
	tear_down();
}

static void nothing_is_written_to_another_programs_journal(void)
{
	struct journal_file *other;
	struct journal_end end;
	char line[LINE_ROOM];

	CHECK(set_up(&counting));
	CHECK(put("one"));
	CHECK(run() == KEPT);
	texts(&end);
	CHECK(journal_file_open(&other, path, "scheduler", &end, NULL) == 0);
	CHECK(journal_file_append(other, line, seal("its", line), NULL) == 0);
	CHECK(put("two"));
	CHECK(run() == FAILED && code == -EBUSY);
	CHECK(journal_queue_retry(queue) == 0 && put("three"));
	queue = journal_queue_destroy(queue);
	CHECK_TEXT(texts(&end), "one; its; ");
	journal_file_close(other);
	tear_down();
}

static void put_120_bytes(void)
{
	for (int i = 0; i < 4; i++) {
		CHECK(put("it has thirty bytes.")); /* with head and end */
		CHECK(run() == KEPT);
	}
}

static void a_journal_that_is_too_long_is_summed_up_again_and_again(void)
{
	struct journal_end end;

	CHECK(set_up(&counting));
	put_120_bytes();
	CHECK_TEXT(texts(&end), "120 bytes; ");
	put_120_bytes();
	CHECK_TEXT(texts(&end), "139 bytes; ");
	CHECK(journal_queue_kept(queue) == 240);
	tear_down();
}

static void a_journal_that_does_not_add_up_stays_as_it_is(void)
{
	struct journal_end end;

	CHECK(set_up(&refusing));
	CHECK(put("one"));
	CHECK(run() == KEPT);
	CHECK(put("two"));
	CHECK(run() == KEPT);
	CHECK_TEXT(texts(&end), "one; two; ");
	tear_down();
}

RUN_TESTS(TEST(each_position_is_kept_in_its_turn),
	  TEST(what_a_full_disk_did_not_take_waits_for_another_try),
	  TEST(nothing_is_written_to_another_programs_journal),
	  TEST(a_journal_that_is_too_long_is_summed_up_again_and_again),
	  TEST(a_journal_that_does_not_add_up_stays_as_it_is))
