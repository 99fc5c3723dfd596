/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/unit/rpc_room.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define SOCKET "rpc-listen.sock"

static struct rpc_server *second;
static struct error err;

static void an_address_in_use_is_refused_with_its_name(void)
{
	char sentence[128];

	CHECK(begin());
	snprintf(sentence, sizeof(sentence),
		 "cannot listen on %s: address already in use",
		 rpc_server_address(server));
	CHECK(serve(&second, rpc_server_address(server), &err) == -EADDRINUSE);
	CHECK_TEXT(err.text, sentence);
	finish();
}

static void an_address_is_free_again_after_destroy(void)
{
	char address[64];

	CHECK(begin());
	call("/test.room.Room/Echo", "once");
	CHECK(await("OK:once "));
	snprintf(address, sizeof(address), "%s", rpc_server_address(server));
	for (int i = 0; i < 3; i++) {
		server = rpc_server_destroy(server);
		CHECK(serve(&server, address, NULL) == 0);
	}
	CHECK_TEXT(rpc_server_address(server), address);
	finish();
}

static void a_live_socket_is_in_use(void)
{
	CHECK(begin_at("unix:" SOCKET));
	CHECK(serve(&second, "unix:" SOCKET, &err) == -EADDRINUSE);
	CHECK_TEXT(err.text,
		   "cannot listen on unix:" SOCKET ": address already in use");
	call("/test.room.Room/Echo", "still here");
	CHECK(await("OK:still here "));
	finish();
}

static void a_socket_that_was_left_over_is_replaced(void)
{
	struct sockaddr_un at = {AF_UNIX, SOCKET};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(bind(fd, (void *)&at, sizeof(at)) == 0 && listen(fd, 1) == 0);
	close(fd);
	CHECK(access(SOCKET, F_OK) == 0);
	CHECK(begin_at("unix:" SOCKET));
	call("/test.room.Room/Echo", "mine now");
	CHECK(await("OK:mine now "));
	finish();
}

static void a_file_in_the_way_is_left_alone(void)
{
	FILE *file = fopen(SOCKET, "w");

	CHECK(file && fclose(file) == 0);
	CHECK(begin());
	CHECK(serve(&second, "unix:" SOCKET, &err) == -EEXIST);
	CHECK_TEXT(err.text, "cannot listen on unix:" SOCKET
			     ": a file that is no socket is in the way");
	CHECK(access(SOCKET, F_OK) == 0);
	unlink(SOCKET);
	finish();
}

static void a_path_that_is_too_long_is_a_sentence_of_its_own(void)
{
	char address[5 + 108 + 1] = "unix:", sentence[256];

	CHECK(begin());
	memset(address + 5, 'x', 108);
	snprintf(sentence, sizeof(sentence),
		 "cannot listen on %s: the path is longer than 107 bytes",
		 address);
	CHECK(serve(&second, address, &err) == -ENAMETOOLONG);
	CHECK_TEXT(err.text, sentence);
	finish();
}

static void what_is_no_address_is_refused(void)
{
	static const char *const wrong[] = {"",           ":",     ":80",
					    "host",       "host:", "host:x",
					    "host:65536", "[]:1"};

	CHECK(begin());
	for (size_t i = 0; i < LENGTH(wrong); i++)
		CHECK(serve(&second, wrong[i], &err) == -EINVAL);
	CHECK_TEXT(err.text, "cannot listen on []:1: neither host:port nor "
			     "unix:path");
	finish();
}

static void an_address_of_another_host_is_refused(void)
{
	CHECK(begin());
	CHECK(serve(&second, "192.0.2.1:0", &err) == -EADDRNOTAVAIL);
	CHECK_TEXT(err.text, "cannot listen on 192.0.2.1:0: Cannot assign "
			     "requested address");
	CHECK(serve(&second, "unix:no/folder", &err) == -ENOENT);
	CHECK_TEXT(err.text, "cannot listen on unix:no/folder: No such file "
			     "or directory");
	finish();
}

RUN_TESTS(TEST(an_address_in_use_is_refused_with_its_name),
	  TEST(an_address_is_free_again_after_destroy),
	  TEST(a_live_socket_is_in_use),
	  TEST(a_socket_that_was_left_over_is_replaced),
	  TEST(a_file_in_the_way_is_left_alone),
	  TEST(a_path_that_is_too_long_is_a_sentence_of_its_own),
	  TEST(what_is_no_address_is_refused),
	  TEST(an_address_of_another_host_is_refused))
