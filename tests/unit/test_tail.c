/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "executor/tail.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* What was handed over, with a | between lines; refusing: none is taken. */
static char got[256 * 1024];
static unsigned got_epoch, batches;
static bool refusing;

static bool on_lines(void *user, unsigned epoch, char *const *lines, size_t n)
{
	if (refusing)
		return false;
	got_epoch = epoch;
	batches++;
	for (size_t i = 0; i < n; i++) {
		strcat(got, lines[i]);
		strcat(got, "|");
	}
	return true;
}

struct bed {
	char folder[64], path[96];
	struct loop *loop;
	struct tail *tail;
	struct loop_timer over;
};

static void bed_remove(struct bed *bed)
{
	char command[128];

	tail_destroy(bed->tail);
	loop_timer_clear(&bed->over);
	loop_destroy(bed->loop);
	snprintf(command, sizeof(command), "rm -rf '%s'", bed->folder);
	if (system(command) != 0)
		printf("# cannot remove %s\n", bed->folder);
}

DEFINE_CLEANUP(struct bed, bed_remove)

static struct bed *bed_make(void)
{
	static struct bed bed;

	bed = (struct bed){.folder = "/tmp/tail-XXXXXX"};
	*got = '\0';
	got_epoch = batches = 0;
	refusing = false;
	if (!mkdtemp(bed.folder) || loop_create(&bed.loop, NULL) < 0 ||
	    tail_create(&bed.tail, bed.loop, on_lines, NULL, NULL) < 0)
		return NULL;
	snprintf(bed.path, sizeof(bed.path), "%s/md.log", bed.folder);
	return &bed;
}

static bool put(const char *path, const char *text, int flags)
{
	CLEANUP(close)
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);

	return fd >= 0 &&
	       write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static void stop(void *user)
{
	struct bed *bed = user;

	loop_stop(bed->loop, 0);
}

/* For longer than it takes until the tail has looked n times. */
static void look_often(struct bed *bed, int n)
{
	*got = '\0';
	loop_timer_set(bed->loop, &bed->over, n * 200 + 100, stop, bed);
	loop_run(bed->loop);
}

static void look(struct bed *bed)
{
	look_often(bed, 1);
}

static void old_lines_are_not_read(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "old 1\nold 2\n", 0));
	tail_follow(bed->tail, 3, bed->path);
	look(bed);
	CHECK_TEXT(got, "");
	CHECK(put(bed->path, "new 3\r\nnew ", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "new 3|");
	CHECK(got_epoch == 3);
	CHECK(put(bed->path, "4\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "new 4|");
	tail_follow(bed->tail, 3, bed->path); /* again: nothing is skipped */
	CHECK(put(bed->path, "new 5\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "new 5|");
}

static void a_line_that_is_half_old_is_not_read(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "old 1\nstep 1", 0));
	tail_follow(bed->tail, 1, bed->path);
	CHECK(put(bed->path, "00\nstep 200\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "step 200|");
}

static void a_file_that_was_cut_off_is_followed_from_its_end(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "old 1\nold 2\nold 3\n", 0));
	tail_follow(bed->tail, 1, bed->path);
	CHECK(truncate(bed->path, 6) == 0);
	look(bed);
	CHECK_TEXT(got, "");
	CHECK(put(bed->path, "new 2\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "new 2|");
}

static void a_new_file_is_read_from_its_beginning(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();
	char other[128];

	CHECK(bed);
	tail_follow(bed->tail, 1, bed->path);
	look(bed);
	CHECK(put(bed->path, "one\n", 0));
	look(bed);
	CHECK_TEXT(got, "one|");
	snprintf(other, sizeof(other), "%s/kept", bed->folder);
	CHECK(rename(bed->path, other) == 0 && put(bed->path, "two\n", 0));
	look(bed);
	CHECK_TEXT(got, "two|");
}

static void what_is_not_taken_comes_again(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "", 0));
	tail_follow(bed->tail, 1, bed->path);
	refusing = true;
	CHECK(put(bed->path, "one\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "");
	refusing = false;
	look(bed);
	CHECK_TEXT(got, "one|");
}

static void lines_and_how_many_come_at_once_are_bounded(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();
	static char text[70 * 1024];

	CHECK(bed && put(bed->path, "", 0));
	tail_follow(bed->tail, 1, bed->path);
	memset(text, 'x', 3000);
	strcpy(text + 3000, "\n\x01\xff\n");
	CHECK(put(bed->path, text, O_APPEND));
	look(bed);
	CHECK(strlen(got) == TAIL_LINE_MAX + 3);
	CHECK_TEXT(got + TAIL_LINE_MAX, "??|");
	batches = 0;
	*text = '\0';
	for (int i = 0; i < 3 * TAIL_LINES_MAX; i++)
		strcat(text, "y\n");
	CHECK(put(bed->path, text, O_APPEND));
	look(bed);
	CHECK(strlen(got) == 2 * 3 * TAIL_LINES_MAX && batches == 3);
	/* more than is ever read at once, without an end */
	memset(text, 'z', sizeof(text) - 1);
	CHECK(put(bed->path, text, O_APPEND));
	CHECK(put(bed->path, "\nlast\n", O_APPEND));
	look_often(bed, 3);
	CHECK_TEXT(got, "last|");
}

static void its_end_is_read_and_nothing_after(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "", 0));
	tail_follow(bed->tail, 7, bed->path);
	CHECK(put(bed->path, "last\n", O_APPEND));
	tail_end(bed->tail, 6); /* of another start */
	CHECK_TEXT(got, "");
	tail_end(bed->tail, 7);
	CHECK_TEXT(got, "last|");
	CHECK(put(bed->path, "late\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "");
}

static void what_is_no_file_is_not_read(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && mkfifo(bed->path, 0600) == 0);
	tail_follow(bed->tail, 1, bed->path);
	look(bed);
	CHECK_TEXT(got, "");
}

RUN_TESTS(TEST(old_lines_are_not_read),
	  TEST(a_line_that_is_half_old_is_not_read),
	  TEST(a_file_that_was_cut_off_is_followed_from_its_end),
	  TEST(a_new_file_is_read_from_its_beginning),
	  TEST(what_is_not_taken_comes_again),
	  TEST(lines_and_how_many_come_at_once_are_bounded),
	  TEST(its_end_is_read_and_nothing_after),
	  TEST(what_is_no_file_is_not_read))
