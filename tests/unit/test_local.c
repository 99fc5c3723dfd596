/* SPDX-License-Identifier: Apache-2.0 */
#include "local/local.h"
#include "proto/local.pb-c.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static char dir[] = "/tmp/test-local-XXXXXX", path[64];
static int listener, client, server;

static void set_up(void)
{
	pid_t pid = 0;

	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s", dir);
	listener = local_listen(path, NULL);
	client = local_connect(path, NULL);
	server = local_accept(listener, &pid, NULL);
	CHECK(listener >= 0 && client >= 0 && server >= 0);
	CHECK(pid == getpid());
}

static void tear_down(void)
{
	close(client);
	close(server);
	close(listener);
	unlink(path);
	rmdir(dir);
}

static int receive(ProtobufCMessage **out, int *fds, size_t *n)
{
	return local_receive(server, &bellows__local__gate_hello__descriptor,
			     out, fds, n, NULL);
}

static void a_message_arrives_as_it_was_sent(void)
{
	Bellows__Local__GateHello hello = BELLOWS__LOCAL__GATE_HELLO__INIT;
	Bellows__Local__GateHello *got;
	int fds[LOCAL_FDS_MAX];
	size_t n;

	set_up();
	hello.rank = 3;
	hello.size = 4;
	CHECK(local_send(client, &hello.base, NULL, 0, NULL) == 0);
	CHECK(receive((ProtobufCMessage **)&got, fds, &n) == 0);
	CHECK(n == 0 && got->rank == 3 && got->size == 4);
	protobuf_c_message_free_unpacked(&got->base, NULL);
	tear_down();
}

static void a_message_of_defaults_is_not_the_end(void)
{
	Bellows__Local__GateHello hello = BELLOWS__LOCAL__GATE_HELLO__INIT;
	ProtobufCMessage *got;
	int fds[LOCAL_FDS_MAX];
	size_t n;

	set_up();
	CHECK(local_send(client, &hello.base, NULL, 0, NULL) == 0);
	CHECK(receive(&got, fds, &n) == 0);
	protobuf_c_message_free_unpacked(got, NULL);
	close(client);
	CHECK(receive(&got, fds, &n) == 1);
	client = -1;
	tear_down();
}

static void descriptors_come_along_and_are_close_on_exec(void)
{
	Bellows__Local__GateHello hello = BELLOWS__LOCAL__GATE_HELLO__INIT;
	ProtobufCMessage *got;
	int fds[LOCAL_FDS_MAX], ends[2];
	size_t n;

	set_up();
	CHECK(pipe(ends) == 0);
	CHECK(local_send(client, &hello.base, ends, 2, NULL) == 0);
	CHECK(receive(&got, fds, &n) == 0);
	protobuf_c_message_free_unpacked(got, NULL);
	CHECK(n == 2 && fcntl(fds[0], F_GETFD) == FD_CLOEXEC);
	CHECK(write(fds[1], "x", 1) == 1);
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		close(ends[i]);
	}
	tear_down();
}

/* As a foreign program sends descriptors, without local_send(). */
static bool send_with(const int *fds, size_t n)
{
	char control[CMSG_SPACE(8 * sizeof(int))] = {0}, nothing = 0;
	struct iovec part = {&nothing, 1};
	struct msghdr packet = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = control,
				.msg_controllen = CMSG_SPACE(n * sizeof(int))};
	struct cmsghdr *header = CMSG_FIRSTHDR(&packet);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(header), fds, n * sizeof(int));
	return sendmsg(client, &packet, 0) == 1;
}

static int next_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void more_descriptors_than_are_taken_are_refused(void)
{
	const int many[8] = {0};
	struct {
		int fds[LOCAL_FDS_MAX], behind;
	} room = {.behind = 77};
	ProtobufCMessage *got;
	size_t n;
	int next;

	set_up();
	next = next_descriptor();
	for (n = LOCAL_FDS_MAX + 1; n <= 8; n++) {
		size_t came;

		CHECK(send_with(many, n));
		CHECK(receive(&got, room.fds, &came) == -EBADMSG);
		CHECK(room.behind == 77);
	}
	CHECK(next_descriptor() == next);
	tear_down();
}

static void descriptors_that_nobody_asks_for_are_closed(void)
{
	const int some[LOCAL_FDS_MAX] = {0};
	ProtobufCMessage *got;
	int next;

	set_up();
	next = next_descriptor();
	CHECK(send_with(some, LOCAL_FDS_MAX));
	CHECK(receive(&got, NULL, NULL) == 0);
	protobuf_c_message_free_unpacked(got, NULL);
	CHECK(next_descriptor() == next);
	tear_down();
}

static void what_is_no_such_message_is_refused(void)
{
	ProtobufCMessage *got;
	int fds[LOCAL_FDS_MAX];
	size_t n;

	set_up();
	CHECK(send(client, "\xff\xff\xff\xff", 4, 0) == 4);
	CHECK(receive(&got, fds, &n) == -EBADMSG);
	CHECK(receive(&got, fds, &n) == -EAGAIN);
	tear_down();
}

static void a_message_has_a_largest_size(void)
{
	Bellows__Local__AgentRequest request =
		BELLOWS__LOCAL__AGENT_REQUEST__INIT;
	char *text = malloc(LOCAL_MESSAGE_MAX + 1);
	Bellows__Local__AgentRequest *got;
	int fds[LOCAL_FDS_MAX];
	size_t n;

	set_up();
	memset(text, 'x', LOCAL_MESSAGE_MAX);
	text[LOCAL_MESSAGE_MAX] = '\0';
	request.command = text;
	CHECK(local_send(client, &request.base, NULL, 0, NULL) == -EMSGSIZE);

	text[LOCAL_MESSAGE_MAX - 16] = '\0';
	CHECK(local_send(client, &request.base, NULL, 0, NULL) == 0);
	CHECK(local_receive(server, &bellows__local__agent_request__descriptor,
			    (ProtobufCMessage **)&got, fds, &n, NULL) == 0);
	CHECK(strcmp(got->command, text) == 0);
	protobuf_c_message_free_unpacked(&got->base, NULL);
	free(text);
	tear_down();
}

static void a_path_that_is_too_long_is_named(void)
{
	struct error err;
	char name[128];

	memset(name, 'x', sizeof(name) - 1);
	name[127] = '\0';
	CHECK(local_listen(name, &err) == -ENAMETOOLONG);
	CHECK(strstr(err.text, "at most 107 bytes"));
	CHECK(local_connect("/no/such/socket", &err) == -ENOENT);
	CHECK_TEXT(err.text, "cannot reach /no/such/socket: "
			     "No such file or directory");
}

RUN_TESTS(TEST(a_message_arrives_as_it_was_sent),
	  TEST(a_message_of_defaults_is_not_the_end),
	  TEST(descriptors_come_along_and_are_close_on_exec),
	  TEST(more_descriptors_than_are_taken_are_refused),
	  TEST(descriptors_that_nobody_asks_for_are_closed),
	  TEST(what_is_no_such_message_is_refused),
	  TEST(a_message_has_a_largest_size),
	  TEST(a_path_that_is_too_long_is_named))
