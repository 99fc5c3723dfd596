/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/descriptors.h"
#include "tests/unit/rpc_room.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

/* A thread of root takes the part of another user while it makes a socket: the
 * kernel notes the user that connects, and the one that listens. */
enum { ANOTHER = 12345 };

static const struct sockaddr_un at = {AF_UNIX, "rpc-sockets.sock"};

static bool is_root(void)
{
	if (geteuid() == 0)
		return true;
	printf("# not root: it cannot take the part of another user\n");
	return false;
}

/* This thread's alone, where seteuid() is the process's. */
static bool become(uid_t user)
{
	return syscall(SYS_setresuid, -1, user, -1) == 0;
}

static int connect_as(uid_t user)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (!become(user) ||
	    connect(fd, (const struct sockaddr *)&at, sizeof(at)) < 0)
		printf("# cannot connect: %s\n", strerror(errno));
	return become(getuid()) ? fd : -1;
}

static int listen_as(uid_t user)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) < 0 ||
	    !become(user) || listen(fd, 8) < 0)
		printf("# cannot listen: %s\n", strerror(errno));
	return become(getuid()) ? fd : -1;
}

/* What came first: bytes (their number), the end (0), or nothing (-1). */
static ssize_t first_of(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	char bytes[64];

	if (poll(&ready, 1, 10000) <= 0)
		return -1;
	return read(fd, bytes, sizeof(bytes));
}

static void a_server_cuts_another_user_off_on_a_unix_socket(void)
{
	int fd;

	if (!is_root())
		return;
	CHECK(begin_at("unix:rpc-sockets.sock"));
	CHECK(chmod(at.sun_path, 0777) == 0);
	fd = connect_as(ANOTHER);
	CHECK(first_of(fd) == 0);
	close(fd);
	fd = connect_as(0);
	CHECK(first_of(fd) > 0); /* HTTP/2 begins with the server's settings */
	close(fd);
	call("/test.room.Room/Echo", "hello");
	CHECK(await("OK:hello "));
	finish();
}

static void a_client_tells_another_users_socket_nothing(void)
{
	int listener, fd;

	if (!is_root())
		return;
	CHECK(begin_at("unix:rpc-sockets.sock"));
	server = rpc_server_destroy(server);
	listener = listen_as(ANOTHER);
	call_named("/test.room.Room/Echo", "a secret", MSEC(200), NULL);
	CHECK(await("UNAVAILABLE "));
	fd = accept(listener, NULL, NULL);
	CHECK(first_of(fd) == 0);
	close(fd);
	close(listener);
	unlink(at.sun_path);
	finish();
}

static void a_client_tells_its_own_users_socket_the_call(void)
{
	int listener, fd;

	CHECK(begin_at("unix:rpc-sockets.sock"));
	server = rpc_server_destroy(server);
	listener = listen_as(geteuid());
	call("/test.room.Room/Echo", "hello");
	fd = accept(listener, NULL, NULL);
	CHECK(first_of(fd) > 0);
	close(fd);
	close(listener);
	unlink(at.sun_path);
	finish();
}

static ssize_t write_to(int fd)
{
	char text[] = "question";
	struct iovec parts[] = {{text, 3}, {text + 3, 5}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	return sendmsg(fd, &message, MSG_NOSIGNAL);
}

static void what_a_closed_peer_sent_is_read_though_it_is_written_to(void)
{
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	CHECK(write(pair[1], "answer", 6) == 6);
	close(pair[1]);
	CHECK(write_to(pair[0]) == 8);
	CHECK(first_of(pair[0]) == 6);
	CHECK(first_of(pair[0]) == 0);
	close(pair[0]);
	CHECK(write_to(pair[0]) < 0 && errno == EBADF);
}

static void a_packet_to_a_closed_peer_fails(void)
{
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	close(pair[1]);
	CHECK(write_to(pair[0]) < 0 && errno == EPIPE);
	close(pair[0]);
}

RUN_TESTS(TEST(a_server_cuts_another_user_off_on_a_unix_socket),
	  TEST(a_client_tells_another_users_socket_nothing),
	  TEST(a_client_tells_its_own_users_socket_the_call),
	  TEST(what_a_closed_peer_sent_is_read_though_it_is_written_to),
	  TEST(a_packet_to_a_closed_peer_fails))
