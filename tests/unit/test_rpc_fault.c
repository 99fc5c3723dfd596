/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/unit/rpc_room.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define CHAT "/test.room.Room/Chat"
#define ECHO "/test.room.Room/Echo"

/* Starts `room MODE ADDRESS`; its output goes to *out unless that is NULL. */
static pid_t start_room(const char *mode, const char *address, int *out)
{
	char path[4096], *end;
	char *const argv[] = {path, (char *)mode, (char *)address, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];
	pid_t pid;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 8);

	if (n < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	path[n] = '\0';
	end = strrchr(path, '/');
	strcpy(end, "/room");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	if (posix_spawn(&pid, path, &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (out)
		*out = ends[0];
	else
		close(ends[0]);
	return pid;
}

/* The server's address, from its first line. */
static pid_t start_server(const char *listen, char *address, size_t size)
{
	int out = -1;
	pid_t pid = start_room("serve", listen, &out);
	FILE *lines = fdopen(out, "r");

	if (pid < 0 || !lines || !fgets(address, (int)size, lines))
		pid = -1;
	address[strcspn(address, "\n")] = '\0';
	fclose(lines);
	return pid;
}

static void end_room(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool begin_without_server(void)
{
	if (!begin())
		return false;
	channel = rpc_channel_destroy(channel);
	server = rpc_server_destroy(server);
	return true;
}

static void a_killed_client_is_gone_and_has_not_half_closed(void)
{
	pid_t pid;

	CHECK(begin());
	pid = start_room("chat", rpc_server_address(server), NULL);
	CHECK(pid > 0);
	CHECK(await("heard:hello "));
	end_room(pid);
	CHECK(await("gone "));
	CHECK(!strstr(trace, "half "));
	finish();
}

static void
streams_end_when_their_server_is_killed_and_the_channel_returns(void)
{
	note_t hello = a_note("hello");
	char address[64];
	pid_t pid;

	CHECK(begin_without_server());
	/* 127.0.0.1 is the address of all clients, and one of them may have
	 * this port when it is listened on again */
	pid = start_server("127.0.0.9:0", address, sizeof(address));
	CHECK(pid > 0);
	CHECK(rpc_channel_create(&channel, rpc, address, NULL, NULL) == 0);
	CHECK(open_stream(CHAT, &hello, 0));
	CHECK(await("got:hello "));
	end_room(pid);
	CHECK(await("end:UNAVAILABLE "));

	call(ECHO, "back");
	run_for(1000);
	CHECK(!strstr(trace, "OK:"));
	pid = start_server(address, address, sizeof(address));
	CHECK(pid > 0);
	CHECK(await("OK:back "));
	forget();
	CHECK(open_stream(CHAT, &hello, 0));
	CHECK(await("got:hello "));
	end_room(pid);
	finish();
}

static void a_socket_left_by_a_killed_server_is_taken_over(void)
{
	char address[64];
	pid_t pid;

	CHECK(begin_without_server());
	pid = start_server("unix:rpc-fault.sock", address, sizeof(address));
	CHECK(pid > 0);
	CHECK(serve(&server, address, NULL) == -EADDRINUSE);
	end_room(pid);
	CHECK(access("rpc-fault.sock", F_OK) == 0);
	CHECK(serve(&server, address, NULL) == 0);
	CHECK(rpc_channel_create(&channel, rpc, address, NULL, NULL) == 0);
	call(ECHO, "mine");
	CHECK(await("OK:mine "));
	finish();
}

static int connect_raw(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at.sin_port = htons(
		(uint16_t)atoi(strrchr(rpc_server_address(server), ':') + 1));
	return connect(fd, (void *)&at, sizeof(at)) == 0 ? fd : -1;
}

static void garbage_and_silence_do_not_disturb_others(void)
{
	static const char http2[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	uint8_t garbage[4096];
	msec_t start;
	int fds[60];

	CHECK(begin());
	call(ECHO, "first");
	CHECK(await("OK:first "));
	forget();
	srand(1);
	for (size_t i = 0; i < LENGTH(fds); i++) {
		fds[i] = connect_raw();
		CHECK(fds[i] >= 0);
		for (size_t j = 0; j < sizeof(garbage); j++)
			garbage[j] = (uint8_t)rand();
		if (i % 3 == 1)
			send(fds[i], http2, strlen(http2), MSG_NOSIGNAL);
		if (i % 3 > 0)
			send(fds[i], garbage, sizeof(garbage), MSG_NOSIGNAL);
		call(ECHO, "calm");
	}
	CHECK(await("OK:calm "));
	forget();
	run_for(200);
	call(ECHO, "still");
	CHECK(await("OK:still "));
	start = loop_now();
	server = rpc_server_destroy(server);
	CHECK(loop_now() - start < 1500);
	for (size_t i = 0; i < LENGTH(fds); i++)
		close(fds[i]);
	finish();
}

static void a_proxy_in_the_environment_is_not_used(void)
{
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("grpc_proxy", "http://127.0.0.1:1", 1);
	CHECK(begin());
	call(ECHO, "direct");
	CHECK(await("OK:direct "));
	finish();
	unsetenv("http_proxy");
	unsetenv("grpc_proxy");
}

/* How many threads but this one could be given this signal. */
static int count_takers(int signo)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(dir))) {
		char path[300], line[256];
		unsigned long long mask = 0;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status",
			 entry->d_name);
		if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
			continue;
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file))
			if (sscanf(line, "SigBlk: %llx", &mask) == 1)
				n += !(mask >> (signo - 1) & 1);
		if (file)
			fclose(file);
	}
	closedir(dir);
	return n;
}

static void on_term(void *user, int signo, pid_t sender)
{
	say("term ");
}

static void no_thread_of_ours_takes_a_signal(void)
{
	note_t hello = a_note("hello");
	int before = count_takers(SIGTERM);

	CHECK(begin());
	CHECK(open_stream(CHAT, &hello, 0));
	CHECK(await("got:hello "));
	for (int i = 0; i < 50; i++)
		call(ECHO, "x");
	run_for(300);
	CHECK(count_takers(SIGTERM) == before);
	CHECK(loop_signal_add(loop, SIGTERM, on_term, NULL, NULL) == 0);
	kill(getpid(), SIGTERM);
	CHECK(await("term "));
	finish();
}

/* How many descriptors a child would be given. */
static int count_inherited(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(dir))) {
		int flags = fcntl(atoi(entry->d_name), F_GETFD);

		n += entry->d_name[0] != '.' && flags >= 0 &&
		     !(flags & FD_CLOEXEC);
	}
	closedir(dir);
	return n;
}

static void no_child_inherits_a_descriptor(void)
{
	int before = count_inherited();

	CHECK(begin());
	call(ECHO, "x");
	CHECK(await("OK:x "));
	CHECK(count_inherited() == before);
	finish();
}

static void grpc_says_nothing_on_stderr(void)
{
	int fd = memfd_create("stderr", MFD_CLOEXEC), was = dup(STDERR_FILENO);

	CHECK(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	CHECK(begin());
	server = rpc_server_destroy(server);
	CHECK(serve(&server, "192.0.2.1:1", NULL) < 0);
	call_named(ECHO, "", 200, NULL);
	CHECK(await(" "));
	finish();
	dup2(was, STDERR_FILENO);
	close(was);
	CHECK(lseek(fd, 0, SEEK_END) == 0);
	close(fd);
}

RUN_TESTS(TEST(a_killed_client_is_gone_and_has_not_half_closed),
	  TEST(streams_end_when_their_server_is_killed_and_the_channel_returns),
	  TEST(a_socket_left_by_a_killed_server_is_taken_over),
	  TEST(garbage_and_silence_do_not_disturb_others),
	  TEST(a_proxy_in_the_environment_is_not_used),
	  TEST(no_thread_of_ours_takes_a_signal),
	  TEST(no_child_inherits_a_descriptor),
	  TEST(grpc_says_nothing_on_stderr))
