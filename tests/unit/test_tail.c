/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "executor/tail.h"
#include "tests/check.h"
#include "tests/unit/hanging_open.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define LONG SECONDS(60)

/* What was handed over, with a | between lines; refusing: none is taken. */
static char got[256 * 1024];
static unsigned got_epoch, batches;
static bool refusing;
static unsigned begun, ended; /* epochs that were told last */
static unsigned times;        /* that an end was told */

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

static struct loop *running;

static void on_begun(void *user, unsigned epoch)
{
	begun = epoch;
	loop_stop(running, 0);
}

static void on_ended(void *user, unsigned epoch)
{
	ended = epoch;
	times++;
	loop_stop(running, 0);
}

static const struct tail_events events = {on_lines, on_begun, on_ended};

struct bed {
	char folder[64], path[96];
	struct loop *loop;
	struct tail *tail;
	struct loop_timer over, soon;
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
	got_epoch = batches = begun = ended = times = 0;
	refusing = false;
	hanging_open_begin();
	if (!mkdtemp(bed.folder) || loop_create(&bed.loop, NULL) < 0 ||
	    tail_create(&bed.tail, bed.loop, &events, NULL, NULL) < 0)
		return NULL;
	running = bed.loop;
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

	loop_stop(bed->loop, -1);
}

/* Until something has begun or ended; false if nothing has. */
static bool run(struct bed *bed)
{
	int r;

	loop_timer_set(bed->loop, &bed->over, LONG, stop, bed);
	r = loop_run(bed->loop);
	loop_timer_clear(&bed->over);
	return r == 0;
}

/* What is written from now on is read. */
static bool follow(struct bed *bed, unsigned epoch)
{
	tail_follow(bed->tail, epoch, bed->path);
	return run(bed) && begun == epoch;
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
	CHECK(follow(bed, 3));
	look(bed);
	CHECK_TEXT(got, "");
	CHECK(put(bed->path, "new 3\r\nnew ", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "new 3|");
	CHECK(got_epoch == 3);
	CHECK(put(bed->path, "4\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "new 4|");
	begun = 0;
	tail_follow(bed->tail, 3, bed->path); /* again: nothing is skipped */
	CHECK(begun == 3);
	CHECK(put(bed->path, "new 5\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "new 5|");
}

static void a_line_that_is_half_old_is_not_read(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "old 1\nstep 1", 0));
	CHECK(follow(bed, 1));
	CHECK(put(bed->path, "00\nstep 200\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "step 200|");
}

static void a_file_that_was_cut_off_is_followed_from_its_end(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "old 1\nold 2\nold 3\n", 0));
	CHECK(follow(bed, 1));
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
	CHECK(follow(bed, 1));
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
	CHECK(follow(bed, 1));
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
	CHECK(follow(bed, 1));
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
	CHECK(follow(bed, 7));
	CHECK(put(bed->path, "last\n", O_APPEND));
	tail_end(bed->tail, 6); /* of another start */
	CHECK(ended == 6);
	CHECK_TEXT(got, "");
	tail_end(bed->tail, 7);
	CHECK(run(bed) && ended == 7 && times == 2);
	CHECK_TEXT(got, "last|");
	CHECK(put(bed->path, "late\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "");
}

static void an_end_of_which_more_is_there_than_a_chunk_is_read_whole(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();
	static char text[150 * 1024];

	CHECK(bed && put(bed->path, "", 0) && follow(bed, 7));
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 100 == 99 ? '\n' : 'x';
	CHECK(put(bed->path, text, O_APPEND));
	CHECK(put(bed->path, "\nlast\n", O_APPEND));
	tail_end(bed->tail, 7);
	CHECK(run(bed) && ended == 7);
	CHECK(strlen(got) == sizeof(text) + 5);
	CHECK_TEXT(got + sizeof(text), "last|");
}

/* ---- a file system that does not answer ---- */

static void stop_at_look(void *user)
{
	struct bed *bed = user;

	if (sem_trywait(&looking) == 0)
		loop_stop(bed->loop, 0);
	else
		loop_timer_set(bed->loop, &bed->soon, 1, stop_at_look, bed);
}

/* Until a look hangs. */
static bool run_to_look(struct bed *bed)
{
	bool came;

	loop_timer_set(bed->loop, &bed->soon, 0, stop_at_look, bed);
	came = run(bed);
	loop_timer_clear(&bed->soon);
	return came;
}

static void ranks_wait_until_it_is_known_what_is_new(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "old\n", 0));
	hangs = true;
	tail_follow(bed->tail, 1, bed->path);
	CHECK(run_to_look(bed));
	tail_follow(bed->tail, 1, bed->path); /* the order comes again */
	CHECK(begun == 0);
	answer();
	CHECK(run(bed) && begun == 1);
	CHECK(put(bed->path, "new\n", O_APPEND));
	look(bed);
	CHECK_TEXT(got, "new|");
}

static void ranks_do_not_wait_for_ever(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "old\n", 0));
	hangs = true;
	CHECK(follow(bed, 1));
	begun = 0;
	answer();
	look(bed);
	CHECK(put(bed->path, "new\n", O_APPEND));
	look_often(bed, 2);
	CHECK_TEXT(got, "new|");
	CHECK(begun == 0);
}

static void an_end_waits_for_a_look_that_began_after_it(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "", 0) && follow(bed, 1));
	looks = 0;
	hangs = true;
	CHECK(run_to_look(bed));
	tail_end(bed->tail, 1);
	CHECK(times == 0);
	sem_post(&answers); /* of the look before */
	CHECK(run_to_look(bed));
	CHECK(put(bed->path, "last\n", O_APPEND));
	tail_end(bed->tail, 1); /* told again, as after an order to stop */
	answer();
	CHECK(run(bed) && ended == 1 && times == 1 && looks == 2);
	CHECK_TEXT(got, "last|");
}

static void an_end_without_an_answer_comes_nevertheless(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "", 0) && follow(bed, 1));
	hangs = true;
	CHECK(put(bed->path, "last\n", O_APPEND));
	tail_end(bed->tail, 1);
	CHECK(run(bed) && ended == 1 && times == 1);
	answer();
	look(bed);
	CHECK_TEXT(got, "");
	CHECK(times == 1);
}

static void it_is_looked_at_once_ranks_are_to_save(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();
	struct timespec until;

	CHECK(bed && put(bed->path, "", 0) && follow(bed, 1));
	hangs = true;
	tail_hurry(bed->tail, 1);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LONG / 1000;
	/* the loop does not run, and no timer with it */
	CHECK(sem_timedwait(&looking, &until) == 0);
	CHECK(put(bed->path, "last\n", O_APPEND));
	answer();
	look(bed);
	CHECK_TEXT(got, "last|");
}

static void another_start_has_what_was_owed_told(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "", 0) && follow(bed, 1));
	hangs = true;
	tail_end(bed->tail, 1);
	CHECK(run_to_look(bed));
	CHECK(times == 0);
	tail_follow(bed->tail, 2, bed->path);
	CHECK(ended == 1 && times == 1);
	answer();
	CHECK(run(bed) && begun == 2 && times == 1);
}

static void what_is_forgotten_is_not_told(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && put(bed->path, "", 0));
	hangs = true;
	tail_follow(bed->tail, 1, bed->path);
	CHECK(run_to_look(bed));
	tail_forget(bed->tail);
	answer();
	CHECK(follow(bed, 2)); /* the first that is told */
	CHECK(put(bed->path, "new\n", O_APPEND));
	tail_end(bed->tail, 2);
	CHECK(run(bed) && ended == 2 && times == 1);
	CHECK_TEXT(got, "new|");
}

static void what_is_no_file_is_not_read(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && mkfifo(bed->path, 0600) == 0);
	CHECK(follow(bed, 1));
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
	  TEST(an_end_of_which_more_is_there_than_a_chunk_is_read_whole),
	  TEST(ranks_wait_until_it_is_known_what_is_new),
	  TEST(ranks_do_not_wait_for_ever),
	  TEST(it_is_looked_at_once_ranks_are_to_save),
	  TEST(an_end_waits_for_a_look_that_began_after_it),
	  TEST(an_end_without_an_answer_comes_nevertheless),
	  TEST(another_start_has_what_was_owed_told),
	  TEST(what_is_forgotten_is_not_told),
	  TEST(what_is_no_file_is_not_read))
