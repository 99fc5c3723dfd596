/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/file_thread.h"
#include "tests/check.h"
#include "tests/unit/run_loop.h"

#include <stdlib.h>
#include <unistd.h>

#define LONG SECONDS(60)

/* A call that returns when the other end of a pipe is closed. */
struct read_call {
	int fd;
	char *trace;
	const char *word;
};

static struct loop *loop;
static struct file_thread *thread;
static char trace[64];

static void work(void *data)
{
	const struct read_call *call = data;
	char c;

	while (call->fd >= 0 && read(call->fd, &c, 1) > 0)
		;
}

static void say(void *owner, void *data)
{
	const struct read_call *call = data;

	strcat(trace, call->word);
	if (--*(unsigned *)owner == 0)
		loop_stop(loop, 0);
}

static void release(void *data)
{
	struct read_call *call = data;

	if (call->trace)
		strcat(call->trace, call->word);
	if (call->fd >= 0)
		close(call->fd);
	free(call);
}

static struct file_call *ask(int fd, const char *word, char *released,
			     unsigned *owner)
{
	struct read_call *call = malloc(sizeof(*call));

	*call = (struct read_call){fd, released, word};
	return file_thread_do(thread, work, say, release, owner, call);
}

static void begin(void)
{
	trace[0] = '\0';
	loop_create(&loop, NULL);
	CHECK(file_thread_create(&thread, loop, NULL) == 0);
}

static int run(void)
{
	return run_loop(loop, LONG);
}

static void end(void)
{
	thread = file_thread_destroy(thread);
	loop = loop_destroy(loop);
}

static void calls_are_made_in_their_order(void)
{
	char released[64] = "";
	unsigned left = 3;

	begin();
	ask(-1, "a", released, &left);
	ask(-1, "b", released, &left);
	ask(-1, "c", released, &left);
	CHECK(run() == 0);
	CHECK_TEXT(trace, "abc");
	end();
	CHECK_TEXT(released, "abc");
}

static int fds[2];

static void let_go(void *user)
{
	close(fds[1]);
}

static void the_loop_goes_on_while_a_call_hangs(void)
{
	struct loop_timer timer = {0};
	unsigned left = 1;

	begin();
	CHECK(pipe(fds) == 0);
	ask(fds[0], "read", NULL, &left);
	loop_timer_set(loop, &timer, 1, let_go, NULL);
	CHECK(run() == 0);
	CHECK_TEXT(trace, "read");
	end();
}

static void an_abandoned_call_is_released_and_not_told(void)
{
	char released[64] = "";
	unsigned left = 1;

	begin();
	CHECK(file_call_abandon(ask(-1, "a", released, &left)) == NULL);
	ask(-1, "b", NULL, &left);
	CHECK(run() == 0);
	CHECK_TEXT(trace, "b");
	CHECK_TEXT(released, "a");
	end();
}

static void what_is_waiting_at_the_end_is_done(void)
{
	char released[64] = "";
	unsigned left = 9;

	begin();
	for (int i = 0; i < 3; i++)
		ask(-1, "x", released, &left);
	end();
	CHECK_TEXT(trace, "");
	CHECK_TEXT(released, "xxx");
}

static void a_thread_that_hangs_is_left_behind(void)
{
	unsigned left = 9;
	char c;
	int gone[2];

	begin();
	CHECK(pipe(fds) == 0 && pipe(gone) == 0);
	ask(fds[0], "hangs", NULL, &left);
	ask(gone[1], "waits", NULL, &left); /* closed when it is released */
	end();
	let_go(NULL);
	CHECK(read(gone[0], &c, 1) == 0);
	close(gone[0]);
}

RUN_TESTS(TEST(calls_are_made_in_their_order),
	  TEST(the_loop_goes_on_while_a_call_hangs),
	  TEST(an_abandoned_call_is_released_and_not_told),
	  TEST(what_is_waiting_at_the_end_is_done),
	  TEST(a_thread_that_hangs_is_left_behind))
