/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "loop/file_queue.h"
#include "tests/check.h"
#include "tests/unit/run_loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG SECONDS(60)

/* A file whose calls return one by one, as another end lets them. */
struct slow_file {
	int gate; /* a call takes a byte of this pipe; -1: it takes none */
	char text[64];
	int left; /* pipe that gets the text in the end; -1: none does */
	unsigned calls;
	unsigned refused; /* so many first ones write nothing */
};

static struct loop *loop;
static struct file_queue *queue;
static struct slow_file *file;
static char told[64];

static bool write_slowly(void *state, const char *bytes, size_t n)
{
	struct slow_file *to = state;
	char c;

	while (to->gate >= 0 && read(to->gate, &c, 1) < 0 && errno == EINTR)
		;
	if (to->calls++ < to->refused)
		return false;
	strncat(to->text, bytes, n);
	return true;
}

static void say(void *owner, void *state, size_t n)
{
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%zu ", n);
	if (n == 0 || file_queue_size(queue) == 0)
		loop_stop(loop, 0);
}

static void release(void *state)
{
	struct slow_file *of = state;

	if (of->left >= 0 && write(of->left, of->text, sizeof(of->text)) < 0)
		abort();
	free(of);
}

static const struct file_queue_ops ops = {write_slowly, say, release};

static bool begin(int gate, int left)
{
	told[0] = '\0';
	file = calloc(1, sizeof(*file));
	file->gate = gate;
	file->left = left;
	return loop_create(&loop, NULL) == 0 &&
	       file_queue_create(&queue, loop, &ops, NULL, file, NULL) == 0;
}

static int run(void)
{
	return run_loop(loop, LONG);
}

static bool put(const char *text)
{
	return file_queue_put(queue, text, 1, text + 1, strlen(text) - 1) == 0;
}

static void what_is_put_during_a_call_is_the_next_call(void)
{
	CLEANUP(close) int gate = -1;
	int ends[2];

	CHECK(pipe(ends) == 0);
	gate = ends[0];
	CHECK(begin(gate, -1));
	CHECK(put("one ") && put("two ") && put("three"));
	CHECK(file_queue_size(queue) == 13);
	CHECK(write(ends[1], "..", 2) == 2);
	CHECK(run() == 0);
	CHECK_TEXT(file->text, "one two three");
	CHECK_TEXT(told, "4 9 ");
	CHECK(file->calls == 2);
	close(ends[1]);
	queue = file_queue_destroy(queue);
	loop = loop_destroy(loop);
}

static void what_a_call_does_not_write_waits_for_another_try(void)
{
	CHECK(begin(-1, -1));
	file->refused = 2;
	CHECK(put("one "));
	CHECK(run() == 0);
	CHECK(put("two "));
	CHECK(file_queue_retry(queue) == 0);
	CHECK(run() == 0);
	CHECK_TEXT(file->text, "");
	CHECK(put("three"));
	CHECK(file_queue_size(queue) == 13);
	CHECK(file_queue_retry(queue) == 0);
	CHECK(run() == 0);
	CHECK_TEXT(file->text, "one two three");
	CHECK_TEXT(told, "0 0 13 ");
	CHECK(file->calls == 3);
	queue = file_queue_destroy(queue);
	loop = loop_destroy(loop);
}

/* What was written in the end; "": it is not the end after that time. */
static const char *left_in(int pipe, int patience)
{
	static char text[64];
	struct pollfd end = {pipe, POLLIN, 0};

	text[0] = '\0';
	if (poll(&end, 1, patience) > 0 &&
	    read(pipe, text, sizeof(text)) != sizeof(text))
		text[0] = '\0';
	return text;
}

static void the_end_of_the_queue_has_the_rest_written(void)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	CHECK(begin(-1, ends[1]));
	CHECK(put("one ") && put("two ") && put("three"));
	queue = file_queue_destroy(queue);
	CHECK_TEXT(left_in(ends[0], 0), "one two three");
	CHECK_TEXT(told, "");
	close(ends[0]);
	close(ends[1]);
	loop = loop_destroy(loop);
}

static void nothing_is_written_behind_a_gap(void)
{
	int gate[2], ends[2];

	CHECK(pipe(gate) == 0 && pipe(ends) == 0);
	CHECK(begin(gate[0], ends[1]));
	file->refused = 1;
	CHECK(put("one") && put("two"));
	CHECK(write(gate[1], "..", 2) == 2);
	queue = file_queue_destroy(queue);
	CHECK(poll(&(struct pollfd){ends[0], POLLIN, 0}, 1, LONG) == 1);
	CHECK_TEXT(left_in(ends[0], 0), "");
	for (int i = 0; i < 2; i++) {
		close(gate[i]);
		close(ends[i]);
	}
	loop = loop_destroy(loop);
}

static void a_call_that_hangs_outlives_the_queue(void)
{
	int gate[2], ends[2];

	CHECK(pipe(gate) == 0 && pipe(ends) == 0);
	CHECK(begin(gate[0], ends[1]));
	CHECK(put("one") && put("two"));
	queue = file_queue_destroy(queue);
	CHECK_TEXT(left_in(ends[0], 0), "");
	close(gate[1]); /* lets the call go on */
	CHECK_TEXT(left_in(ends[0], LONG), "one");
	close(gate[0]);
	close(ends[0]);
	close(ends[1]);
	loop = loop_destroy(loop);
}

RUN_TESTS(TEST(what_is_put_during_a_call_is_the_next_call),
	  TEST(what_a_call_does_not_write_waits_for_another_try),
	  TEST(the_end_of_the_queue_has_the_rest_written),
	  TEST(nothing_is_written_behind_a_gap),
	  TEST(a_call_that_hangs_outlives_the_queue))
