/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"
#include "coordinator/journal/writer.h"
#include "tests/check.h"
#include "tests/unit/run_loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/*
 * A journal on a disk that stands still: fdatasync() returns when a byte of a
 * pipe says with which error
 */

enum { CALLED = 1, WRITTEN = 2, PATIENCE = 60000 };

static char room[64];
static struct loop *loop;
static struct journal_writer *writer;
static int disk[2], calls[2]; /* pipes; calls: a byte for each call */
static struct loop_fd *watch;

int fdatasync(int fd)
{
	unsigned char error = 0;

	if (write(calls[1], "", 1) != 1 || read(disk[0], &error, 1) != 1)
		abort();
	errno = error;
	return error ? -1 : 0;
}

static void on_written(void *user)
{
	loop_stop(loop, WRITTEN);
}

/* The disk has a call, and waits. */
static void on_call(void *user, uint32_t events)
{
	char c;

	loop_stop(loop, read(calls[0], &c, 1) == 1 ? CALLED : -1);
}

static bool set_up(void)
{
	const struct job_patience patience = {0};
	struct job job;

	strcpy(room, "/tmp/journal-XXXXXX");
	job_init(&job, 2, &patience, false, 0);
	if (!mkdtemp(room) || pipe(disk) < 0 || pipe(calls) < 0 ||
	    loop_create(&loop, NULL) < 0 ||
	    loop_fd_add(&watch, loop, calls[0], EPOLLIN, on_call, NULL, NULL) <
		    0 ||
	    journal_writer_create(&writer, loop, room, on_written, NULL, NULL) <
		    0)
		return false;
	journal_writer_begin(writer, &job, "heat");
	return true;
}

static void tear_down(void)
{
	writer = journal_writer_destroy(writer);
	watch = loop_fd_remove(watch);
	loop = loop_destroy(loop);
	for (int i = 0; i < 2; i++) {
		close(disk[i]);
		close(calls[i]);
	}
	tree_remove_path(room, NULL);
}

static bool answers(unsigned char error)
{
	return write(disk[1], &error, 1) == 1;
}

static int run(void)
{
	return run_loop(loop, PATIENCE);
}

static bool cancel(void)
{
	const struct job_event event = {.type = JOB_EV_CANCEL,
					.now = loop_now()};

	return journal_writer_event(writer, &event, "asked to");
}

static bool see(void *user, const struct journal_entry *entry)
{
	strcat(user, entry->kind == JOURNAL_BEGUN    ? "begun "
		     : entry->kind == JOURNAL_NOTICE ? "notice "
		     : entry->kind == JOURNAL_EVENT  ? "event "
						     : "other ");
	return true;
}

static const char *lines(void)
{
	static char kinds[128];
	char path[80];
	struct journal_end end;

	kinds[0] = '\0';
	snprintf(path, sizeof(path), "%s/journal", room);
	if (journal_read(path, see, kinds, &end, NULL) < 0)
		return "none";
	return kinds;
}

static void an_event_is_told_once_it_is_on_the_disk(void)
{
	CHECK(set_up());
	CHECK(run() == CALLED); /* with the first line */
	CHECK(!cancel());
	CHECK(answers(0));
	CHECK(run() == CALLED); /* with the event, which is not told */
	CHECK(answers(0));
	CHECK(run() == WRITTEN);
	CHECK_TEXT(lines(), "begun event ");
	tear_down();
}

static void a_line_is_never_before_the_line_before(void)
{
	msec_t before;

	CHECK(set_up());
	before = loop_now();
	CHECK(journal_writer_notice(
		writer, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST, "w1"));
	CHECK(journal_writer_instant(writer, before - 1000) >= before);
	CHECK(journal_writer_instant(writer, before + PATIENCE) ==
	      before + PATIENCE);
	CHECK(answers(0));
	CHECK(answers(0));
	tear_down();
}

static void lines_that_wait_are_written_together(void)
{
	CHECK(set_up());
	CHECK(run() == CALLED);
	for (int i = 0; i < 3; i++)
		CHECK(journal_writer_notice(
			writer, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST,
			i % 2 ? "w1" : "w2"));
	CHECK(!cancel());
	CHECK(journal_writer_notice(
		writer, BELLOWS__V1__NOTICE_KIND__NOTICE_LOST, "w3"));
	CHECK(answers(0));
	CHECK(run() == CALLED);
	CHECK(answers(0));
	CHECK(run() == WRITTEN);
	CHECK_TEXT(lines(), "begun notice notice notice event notice ");
	tear_down();
}

static void a_disk_that_fails_ends_the_journal_and_not_the_job(void)
{
	CHECK(set_up());
	CHECK(run() == CALLED);
	CHECK(!cancel());
	CHECK(answers(ENOSPC));
	CHECK(run() == WRITTEN);
	CHECK(cancel()); /* nothing is waited for any more */
	tear_down();
}

static void the_end_waits_for_the_last_line(void)
{
	CHECK(set_up());
	CHECK(!cancel());
	CHECK(answers(0) && answers(0));
	writer = journal_writer_destroy(writer);
	CHECK_TEXT(lines(), "begun event ");
	tear_down();
}

RUN_TESTS(TEST(an_event_is_told_once_it_is_on_the_disk),
	  TEST(a_line_is_never_before_the_line_before),
	  TEST(lines_that_wait_are_written_together),
	  TEST(a_disk_that_fails_ends_the_journal_and_not_the_job),
	  TEST(the_end_waits_for_the_last_line))
