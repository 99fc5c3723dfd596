/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/fd_writer.h"
#include "client/client.h"
#include "runner/local/pipe_reader.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct loop *loop;
static size_t lengths[16], n_lines;
static struct pipe_reader reader;
static int ends[2];

static void begin(void)
{
	signal(SIGPIPE, SIG_IGN);
	n_lines = 0;
	loop_create(&loop, NULL);
	if (pipe2(ends, O_CLOEXEC) < 0)
		exit(1);
}

static void on_line(void *user, const char *line, size_t n)
{
	lengths[n_lines++ % 16] = n;
}

static void stop(void *user)
{
	loop_stop(loop, 7);
}

static void lines_are_whole_however_they_come(void)
{
	static char data[PIPE_READER_LINE + 10];

	begin();
	memset(data, 'x', sizeof(data));
	CHECK(fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) > 0);
	CHECK(write(ends[1], "one\ntw", 6) == 6);
	CHECK(pipe_reader_start(&reader, loop, ends[0], true, on_line, stop,
				NULL, NULL) == 0);
	CHECK(write(ends[1], "o\n\n", 3) == 3);
	CHECK(write(ends[1], data, sizeof(data)) == sizeof(data));
	CHECK(write(ends[1], "\nend", 4) == 4);
	close(ends[1]);
	CHECK(loop_run(loop) == 7);
	CHECK(n_lines == 6 && lengths[0] == 4 && lengths[1] == 4);
	CHECK(lengths[2] == 1 && lengths[3] == PIPE_READER_LINE);
	CHECK(lengths[4] == 11 && lengths[5] == 3);
	pipe_reader_fini(&reader);
	loop = loop_destroy(loop);
}

static void a_pipe_reader_that_is_held_back_reads_nothing(void)
{
	struct loop_timer timer = {0};

	begin();
	CHECK(pipe_reader_start(&reader, loop, ends[0], false, on_line, stop,
				NULL, NULL) == 0);
	pipe_reader_hold(&reader, true);
	CHECK(write(ends[1], "a", 1) == 1);
	close(ends[1]);
	loop_timer_set(loop, &timer, 30, stop, NULL);
	CHECK(loop_run(loop) == 7 && n_lines == 0);
	pipe_reader_hold(&reader, false);
	CHECK(loop_run(loop) == 7 && n_lines == 1 && reader.fd < 0);
	pipe_reader_fini(&reader);
	loop = loop_destroy(loop);
}

static void what_nobody_reads_yet_waits_in_order(void)
{
	static char data[1 << 20], back[(1 << 20) + 16];
	struct fd_writer *writer = NULL;
	size_t got = 0;

	begin();
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 7 / 3);
	CHECK(fd_writer_create(&writer, loop, ends[1], stop, NULL, NULL) == 0);
	fd_writer_write(writer, "head\n", 5);
	fd_writer_write(writer, data, sizeof(data));
	CHECK(!fd_writer_is_empty(writer) && !fd_writer_is_full(writer));
	fd_writer_write(writer, data, 1);
	fd_writer_write(writer, data, sizeof(data));
	CHECK(fd_writer_is_full(writer));
	while (got < sizeof(data) + 5) {
		ssize_t n = read(ends[0], back + got, sizeof(data) + 5 - got);

		CHECK(n > 0);
		got += (size_t)n;
		if (!fd_writer_is_empty(writer))
			fd_writer_write(writer, "", 0);
		if (got < sizeof(data)) {
			struct loop_timer timer = {0};

			loop_timer_set(loop, &timer, 1, stop, NULL);
			loop_run(loop);
			loop_timer_clear(&timer);
		}
	}
	CHECK(memcmp(back, "head\n", 5) == 0);
	CHECK(memcmp(back + 5, data, sizeof(data)) == 0);
	fd_writer_destroy(writer);
	close(ends[0]);
	close(ends[1]);
	loop = loop_destroy(loop);
}

static void a_reader_that_leaves_stops_nothing(void)
{
	struct fd_writer *writer = NULL;

	begin();
	CHECK(fd_writer_create(&writer, loop, ends[1], stop, NULL, NULL) == 0);
	close(ends[0]);
	fd_writer_write(writer, "lost\n", 5);
	CHECK(fd_writer_failure(writer) == EPIPE);
	CHECK(fd_writer_is_empty(writer));
	fd_writer_write(writer, "lost too", 8);
	CHECK(fd_writer_is_empty(writer));
	fd_writer_destroy(writer);
	close(ends[1]);
	loop = loop_destroy(loop);
}

static void an_address_is_asked_before_it_is_called(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char dir[] = "/tmp/bellows-test-XXXXXX", text[128];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0 && mkdtemp(dir));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", dir);
	snprintf(text, sizeof(text), "unix:%s/s", dir);
	CHECK(client_probe(text) == -ENOENT);
	CHECK(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(client_probe(text) == -ECONNREFUSED);
	CHECK(listen(fd, 1) == 0);
	CHECK(client_probe(text) == 0);
	close(fd);
	CHECK(client_probe("127.0.0.1:1") == -ECONNREFUSED);
	CHECK(client_probe("dns:///coordinator.example:1") == 0);
	unlink(address.sun_path);
	rmdir(dir);
}

RUN_TESTS(TEST(lines_are_whole_however_they_come),
	  TEST(a_pipe_reader_that_is_held_back_reads_nothing),
	  TEST(what_nobody_reads_yet_waits_in_order),
	  TEST(a_reader_that_leaves_stops_nothing),
	  TEST(an_address_is_asked_before_it_is_called))
