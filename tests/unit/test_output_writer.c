/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"
#include "coordinator/service/output_files.h"
#include "coordinator/service/output_writer.h"
#include "tests/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * What ranks print on stderr, and a reader of it at the other end of a pipe;
 * stdout is this test's own
 */

enum { PATIENCE = 60000, PIECE = 50000, PIECES = 60 };

struct bed {
	char dir[64];
	struct loop *loop;
	struct output_writer *writer;
	struct loop_timer timer;
	struct loop_fd *watch;
	int reader;
	size_t printed, n; /* bytes; n: that were read */
	bool is_whole;     /* what was read so far is what was written */
	char file[256];    /* what was said of a file */
};

static struct bed bed;

/* The byte at that place of all that is printed. */
static char letter(size_t at)
{
	return (char)('a' + at * 7 / 5 % 26);
}

static void on_room(void *user)
{
	loop_stop(bed.loop, 1);
}

static void on_file(void *user, const char *text)
{
	snprintf(bed.file, sizeof(bed.file), "%s", text);
	loop_stop(bed.loop, 3);
}

static void give_up(void *user)
{
	loop_stop(bed.loop, -1);
}

static int run(void)
{
	loop_timer_set(bed.loop, &bed.timer, PATIENCE, give_up, NULL);
	return loop_run(bed.loop);
}

static void read_on(void *user, uint32_t events)
{
	static char data[30000];
	ssize_t n = read(bed.reader, data, sizeof(data));

	for (ssize_t i = 0; i < n; i++)
		bed.is_whole &= data[i] == letter(bed.n + (size_t)i);
	bed.n += n > 0 ? (size_t)n : 0;
	if (n <= 0 || bed.n >= (size_t)PIECE * PIECES)
		loop_stop(bed.loop, 2);
}

/* A writer with that stderr. */
static bool set_up_on(int to)
{
	int own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), r;

	bed = (struct bed){
		.dir = "/tmp/sink-XXXXXX", .reader = -1, .is_whole = true};
	if (own < 0 || !mkdtemp(bed.dir) || loop_create(&bed.loop, NULL) < 0)
		return false;
	dup2(to, STDERR_FILENO);
	r = output_writer_create(&bed.writer, bed.loop, bed.dir, on_room,
				 on_file, NULL, NULL);
	dup2(own, STDERR_FILENO);
	close(own);
	return r == 0;
}

/* The same, whose stderr is the pipe. */
static bool set_up(void)
{
	int ends[2];
	bool good =
		pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 && set_up_on(ends[1]);

	close(ends[1]);
	bed.reader = ends[0];
	return good;
}

static void tear_down(void)
{
	loop_timer_clear(&bed.timer);
	loop_fd_remove(bed.watch);
	if (bed.reader >= 0)
		close(bed.reader);
	output_writer_destroy(bed.writer);
	loop_destroy(bed.loop);
	tree_remove_path(bed.dir, NULL);
}

/* All of PIECES are more than a pipe and the queue take. */
static void print(int pieces)
{
	static char piece[PIECE];

	for (int i = 0; i < pieces; i++) {
		for (size_t j = 0; j < PIECE; j++)
			piece[j] = letter(bed.printed++);
		output_writer_write(bed.writer, 1, true, piece, PIECE);
	}
}

static void a_slow_reader_gets_all_of_it(void)
{
	CHECK(set_up());
	CHECK(!output_writer_is_full(bed.writer));
	print(PIECES - 1);
	CHECK(output_writer_is_full(bed.writer));
	read_on(NULL, 0);
	print(1); /* though the pipe has room, it comes last */

	CHECK(loop_fd_add(&bed.watch, bed.loop, bed.reader, EPOLLIN, read_on,
			  NULL, NULL) == 0);
	CHECK(run() == 1); /* there is room again */
	CHECK(!output_writer_is_full(bed.writer) &&
	      bed.n < (size_t)PIECE * PIECES);
	CHECK(run() == 2);
	CHECK(bed.n == (size_t)PIECE * PIECES && bed.is_whole);
	tear_down();
}

static void a_reader_that_is_gone_holds_nobody_back(void)
{
	CHECK(set_up());
	print(PIECES);
	CHECK(output_writer_is_full(bed.writer));

	close(bed.reader);
	bed.reader = -1;
	CHECK(run() == 1);
	CHECK(!output_writer_is_full(bed.writer));
	print(PIECES);
	CHECK(!output_writer_is_full(bed.writer));
	tear_down();
}

static void each_start_has_a_file_of_its_own(void)
{
	char path[128], text[16] = "";
	FILE *f;

	CHECK(set_up());
	output_writer_write(bed.writer, 1, true, "one\n", 4);
	output_writer_write(bed.writer, 2, true, "two\n", 4);
	output_writer_write(bed.writer, 2, true, "three\n", 6);
	bed.writer = output_writer_destroy(bed.writer);
	snprintf(path, sizeof(path), "%s/epoch-2.stderr", bed.dir);
	f = fopen(path, "r");
	CHECK(f);
	CHECK(fread(text, 1, sizeof(text) - 1, f) == 10);
	fclose(f);
	CHECK_TEXT(text, "two\nthree\n");
	CHECK_TEXT(bed.file, "");
	tear_down();
}

static void a_file_that_cannot_be_written_costs_the_copy_only(void)
{
	char text[256];

	CHECK(set_up());
	tree_remove_path(bed.dir, NULL);
	output_writer_write(bed.writer, 1, true, "one\n", 4);
	snprintf(text, sizeof(text),
		 "files of what ranks print, in %s: No such file or directory; "
		 "they miss lines",
		 bed.dir);
	CHECK(run() == 3);
	CHECK_TEXT(bed.file, text);
	CHECK(read(bed.reader, text, sizeof(text)) == 4);
	tear_down();
}

static struct loop_fd *drain;

static void on_bytes(void *user, uint32_t events)
{
	char bytes[65536];

	if (read(*(int *)user, bytes, sizeof(bytes)) <= 0)
		drain = loop_fd_remove(drain);
}

static bool read_in(int fd)
{
	static int from;

	from = fd;
	return loop_fd_add(&drain, bed.loop, fd, EPOLLIN, on_bytes, &from,
			   NULL) == 0;
}

/* A file whose reader does not come, so that it cannot even be opened. */
static void a_file_that_stands_still_costs_the_copy_only(void)
{
	static char data[PIECE];
	char path[128], text[256];
	int fd;

	CHECK(set_up());
	snprintf(path, sizeof(path), "%s/epoch-1.stderr", bed.dir);
	CHECK(mkfifo(path, 0600) == 0);
	memset(data, '.', sizeof(data));
	for (int i = 0; i < OUTPUT_FILES_QUEUE_MAX / PIECE; i++) {
		output_writer_write(bed.writer, 1, true, data, sizeof(data));
		CHECK(read(bed.reader, data, sizeof(data)) == sizeof(data));
	}
	CHECK_TEXT(bed.file, "");
	output_writer_write(bed.writer, 1, true, data, sizeof(data));
	CHECK(read(bed.reader, data, sizeof(data)) == sizeof(data));
	snprintf(text, sizeof(text),
		 "files of what ranks print, in %s: the disk does not take "
		 "them in time; they miss lines",
		 bed.dir);
	CHECK_TEXT(bed.file, text);

	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	CHECK(fd >= 0 && read_in(fd));
	CHECK(run() == 3);
	CHECK_TEXT(bed.file, "");
	tear_down();
	close(fd);
}

/* The file of `2>file`, which is not opened to append. */
static void others_write_to_the_same_file(void)
{
	char text[32] = "";
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && set_up_on(fd));
	CHECK(write(fd, "log 1\n", 6) == 6);
	output_writer_write(bed.writer, 1, true, "one\n", 4);
	CHECK(write(fd, "log 2\n", 6) == 6);
	output_writer_write(bed.writer, 1, true, "two\n", 4);
	CHECK(pread(fd, text, sizeof(text) - 1, 0) == 20);
	CHECK_TEXT(text, "log 1\none\nlog 2\ntwo\n");
	tear_down();
	close(fd);
}

RUN_TESTS(TEST(a_slow_reader_gets_all_of_it),
	  TEST(a_reader_that_is_gone_holds_nobody_back),
	  TEST(each_start_has_a_file_of_its_own),
	  TEST(a_file_that_cannot_be_written_costs_the_copy_only),
	  TEST(a_file_that_stands_still_costs_the_copy_only),
	  TEST(others_write_to_the_same_file))
