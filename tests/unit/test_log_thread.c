/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "loop/log_thread.h"
#include "tests/check.h"
#include "tests/unit/run_loop.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { PATIENCE = 60000, READ = 1 };

static struct loop *loop;
static struct log_thread *thread;
static int ends[2]; /* of a pipe, which is the log */
static char *text;  /* that was read of it, and its length */
static size_t n_text;
static const char *last; /* word that is waited for */

/* A disk that stands still: a pipe that is full of dots. */
static bool set_up(void)
{
	char dots[4096];

	memset(dots, '.', sizeof(dots));
	text = calloc(1, 8 << 20);
	n_text = 0;
	if (!text || pipe2(ends, O_CLOEXEC) < 0 ||
	    fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
		return false;
	while (write(ends[1], dots, sizeof(dots)) > 0)
		;
	return fcntl(ends[1], F_SETFL, 0) == 0 &&
	       loop_create(&loop, NULL) == 0 &&
	       log_thread_begin(&thread, loop, ends[1], NULL) == 0;
}

static void tear_down(void)
{
	thread = log_thread_end(thread);
	loop = loop_destroy(loop);
	close(ends[0]);
	close(ends[1]);
	free(text);
}

static void on_bytes(void *user, uint32_t events)
{
	ssize_t n = read(ends[0], text + n_text, 65536);

	n_text += n > 0 ? (size_t)n : 0;
	if (strstr(text + n_text - (n > 200 ? 200 : n), last))
		loop_stop(loop, READ);
}

/* The disk goes on; READ: that word came. */
static int read_up_to(const char *word)
{
	struct loop_fd *watch = NULL;
	int r;

	last = word;
	if (loop_fd_add(&watch, loop, ends[0], EPOLLIN, on_bytes, NULL, NULL) <
	    0)
		return -1;
	r = run_loop(loop, PATIENCE);
	loop_fd_remove(watch);
	return r;
}

static void lines_wait_for_a_disk_that_stands_still(void)
{
	CHECK(set_up());
	log_warn("one");
	log_warn("two");
	CHECK(read_up_to("two\n") == READ);
	CHECK(strstr(text, "one\n") < strstr(text, "two\n"));
	tear_down();
}

static void what_there_is_no_room_for_is_counted(void)
{
	char long_line[1500] = "";

	memset(long_line, 'x', sizeof(long_line) - 1);
	CHECK(set_up());
	for (int i = 0; i < 1000; i++)
		log_warn("%s", long_line);
	CHECK(read_up_to("disk did not take them in time\n") == READ);
	CHECK(strstr(text, "bytes of the log are missing here"));
	tear_down();
}

static void a_line_that_the_disk_refuses_goes_to_stderr(void)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	char line[256] = "";

	CHECK(full >= 0 && own >= 0 && pipe2(ends, O_CLOEXEC) == 0);
	CHECK(loop_create(&loop, NULL) == 0);
	CHECK(log_thread_begin(&thread, loop, full, NULL) == 0);
	dup2(ends[1], STDERR_FILENO);
	log_warn("one");
	thread = log_thread_end(thread);
	dup2(own, STDERR_FILENO);
	CHECK(read(ends[0], line, sizeof(line) - 1) > 0);
	CHECK(strstr(line, "warning: one\n"));
	loop = loop_destroy(loop);
	close(ends[0]);
	close(ends[1]);
	close(full);
	close(own);
}

RUN_TESTS(TEST(lines_wait_for_a_disk_that_stands_still),
	  TEST(what_there_is_no_room_for_is_counted),
	  TEST(a_line_that_the_disk_refuses_goes_to_stderr))
