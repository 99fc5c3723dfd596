/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "ssh/keypair.h"
#include "ssh/login.h"
#include "tests/check.h"
#include "tests/descriptors.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

static char folder[] = "/tmp/bellows-ssh-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void read_file(const char *path, char *text, size_t n)
{
	CLEANUP(fclose) FILE *f = fopen(path, "re");

	memset(text, 0, n);
	if (f && fread(text, 1, n - 1, f) == 0)
		*text = '\0';
}

/* ---- keys ---- */

static void a_key_pair_is_of_one_line_and_of_openssh(void)
{
	struct keypair pair;
	struct error err;

	CHECK(keypair_make(&pair, "heat", &err) == 0);
	CHECK(strncmp(pair.public_key, "ssh-ed25519 AAAA", 16) == 0);
	CHECK(strchr(pair.public_key, '\n') == NULL);
	CHECK_TEXT(strrchr(pair.public_key, ' '), " heat");
	CHECK(strncmp(pair.private_key, "-----BEGIN OPENSSH PRIVATE KEY-----\n",
		      36) == 0);
}

static void no_two_key_pairs_are_the_same(void)
{
	struct keypair one, other;

	CHECK(keypair_make(&one, "", NULL) == 0);
	CHECK(keypair_make(&other, "", NULL) == 0);
	CHECK(strcmp(one.public_key, other.public_key) != 0);
	CHECK(strcmp(one.private_key, other.private_key) != 0);
}

static void a_written_private_key_is_for_nobody_else(void)
{
	struct keypair pair;
	struct error err;
	char text[KEYPAIR_PRIVATE_MAX];

	CHECK(keypair_make(&pair, "", &err) == 0);
	CHECK(keypair_write(&pair, in_folder("key"), &err) == 0);
	CHECK(mode_of(in_folder("key")) == 0600);
	CHECK(mode_of(in_folder("key.pub")) == 0644);
	read_file(in_folder("key"), text, sizeof(text));
	CHECK_TEXT(text, pair.private_key);
	read_file(in_folder("key.pub"), text, sizeof(text));
	CHECK(strncmp(text, pair.public_key, strlen(pair.public_key)) == 0);
}

static void a_key_that_cannot_be_written_is_said(void)
{
	struct keypair pair;
	struct error err;

	CHECK(keypair_make(&pair, "", &err) == 0);
	CHECK(keypair_write(&pair, in_folder("none/key"), &err) < 0);
	CHECK(strstr(err.text, "none/key") != NULL);
}

static void a_forgotten_key_is_zeros(void)
{
	struct keypair pair;
	static const struct keypair zeros;

	CHECK(keypair_make(&pair, "", NULL) == 0);
	keypair_forget(&pair);
	CHECK(memcmp(&pair, &zeros, sizeof(pair)) == 0);
}

/* By ssh-keygen, as other people's keys are; returns its path. */
static const char *somebodys_key(const char *name, const char *options)
{
	char command[512];

	snprintf(command, sizeof(command), "ssh-keygen -q -f %s %s </dev/null",
		 in_folder(name), options);
	return system(command) == 0 ? in_folder(name) : "";
}

static void check_is_read(const char *name, const char *options)
{
	const char *path = somebodys_key(name, options);
	char public_path[160], text[KEYPAIR_PRIVATE_MAX];
	struct keypair pair;
	struct error err;

	CHECK(keypair_read(&pair, path, &err) == 0);
	read_file(path, text, sizeof(text));
	CHECK_TEXT(text, pair.private_key);
	snprintf(public_path, sizeof(public_path), "%s.pub", path);
	read_file(public_path, text, sizeof(text));
	CHECK(strncmp(text, pair.public_key, strlen(pair.public_key)) == 0);
	CHECK(strchr(pair.public_key, ' ') != NULL);
}

static void a_key_of_somebody_else_s_is_read(void)
{
	check_is_read("rsa-pem", "-t rsa -b 4096 -m PEM -N ''");
	check_is_read("rsa", "-t rsa -b 2048 -N ''");
	check_is_read("ecdsa", "-t ecdsa -N ''");
	check_is_read("ed25519", "-t ed25519 -N ''");
}

static void check_is_no_key(const char *path)
{
	static const struct keypair zeros;
	char wanted[256];
	struct keypair pair;
	struct error err;

	snprintf(wanted, sizeof(wanted),
		 "%s is not a private key for ssh without a passphrase, in "
		 "OpenSSH's or PEM format",
		 path);
	CHECK(keypair_read(&pair, path, &err) == -EINVAL);
	CHECK_TEXT(err.text, wanted);
	CHECK(memcmp(&pair, &zeros, sizeof(pair)) == 0);
}

static void a_key_with_a_passphrase_is_refused_and_nobody_asked(void)
{
	check_is_no_key(somebodys_key("locked", "-t ed25519 -N secret"));
	check_is_no_key(somebodys_key("locked-pem", "-t rsa -m PEM -N secret"));
}

static void what_is_no_key_is_refused(void)
{
	struct keypair pair;
	struct error err;

	somebodys_key("pair", "-t ed25519 -N ''");
	check_is_no_key(in_folder("pair.pub"));
	check_is_no_key("/etc/passwd");
	CHECK(keypair_read(&pair, in_folder("none"), &err) == -ENOENT);
	CHECK(strstr(err.text, "/none") != NULL);
}

/* ---- logins ---- */

struct trial {
	struct loop *loop;
	char failure[1024];
};

static void on_login(void *user, int code, const char *failure,
		     const char *host_key)
{
	struct trial *trial = user;

	snprintf(trial->failure, sizeof(trial->failure), "%s",
		 failure ? failure : "");
	loop_stop(trial->loop, 0);
}

/* A port of 127.0.0.1; *fd listens there, and is to be closed. */
static unsigned listen_somewhere(int *fd)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(*fd, (struct sockaddr *)&at, n) < 0 || listen(*fd, 4) < 0 ||
	    getsockname(*fd, (struct sockaddr *)&at, &n) < 0)
		return 0;
	return ntohs(at.sin_port);
}

/* The failure of one login, at once or later. */
static const char *failure_of(const char *address, unsigned port, int patience)
{
	static struct trial trial;
	struct ssh_peer peer = {.port = port, .user = "nobody"};
	struct keypair pair;
	struct login *login = NULL;
	struct error err;

	snprintf(peer.address, sizeof(peer.address), "%s", address);
	if (keypair_make(&pair, "", &err) < 0 ||
	    loop_create(&trial.loop, &err) < 0)
		return "no loop";
	if (login_start(&login, trial.loop, &peer, pair.private_key, "true",
			patience, on_login, &trial, &err) < 0)
		snprintf(trial.failure, sizeof(trial.failure), "%s", err.text);
	else
		loop_run(trial.loop);
	loop_destroy(trial.loop);
	return trial.failure;
}

static void a_port_where_nobody_listens_is_said(void)
{
	char expected[128];
	int fd;
	unsigned port = listen_somewhere(&fd);

	close(fd);
	snprintf(
		expected, sizeof(expected),
		"sshd at 127.0.0.1 port %u: cannot connect: Connection refused",
		port);
	CHECK_TEXT(failure_of("127.0.0.1", port, 5000), expected);
}

static void an_sshd_that_says_nothing_is_waited_for_no_longer_than_that(void)
{
	char expected[128];
	int fd;
	unsigned port = listen_somewhere(&fd);
	msec_t before = loop_now();

	snprintf(expected, sizeof(expected),
		 "sshd at 127.0.0.1 port %u: no login within 300 ms", port);
	CHECK_TEXT(failure_of("127.0.0.1", port, 300), expected);
	CHECK(loop_now() - before < 5000);
	close(fd);
}

struct talker {
	int listener, conn;
};

static void say_hello(void *user, uint32_t events)
{
	struct talker *talker = user;
	static const char text[] = "220 mail.example.org ESMTP\r\n";

	talker->conn = accept4(talker->listener, NULL, NULL, SOCK_CLOEXEC);
	if (write(talker->conn, text, sizeof(text) - 1) < 0)
		CHECK(!"written");
	shutdown(talker->conn, SHUT_WR);
}

static void a_server_that_does_not_speak_ssh_is_named(void)
{
	struct trial trial = {0};
	struct talker talker;
	struct ssh_peer peer = {.address = "127.0.0.1", .user = "nobody"};
	struct keypair pair;
	struct loop_fd *watch;
	struct login *login;

	peer.port = listen_somewhere(&talker.listener);
	CHECK(keypair_make(&pair, "", NULL) == 0);
	CHECK(loop_create(&trial.loop, NULL) == 0);
	CHECK(loop_fd_add(&watch, trial.loop, talker.listener, EPOLLIN,
			  say_hello, &talker, NULL) == 0);
	CHECK(login_start(&login, trial.loop, &peer, pair.private_key, "true",
			  5000, on_login, &trial, NULL) == 0);
	loop_run(trial.loop);
	CHECK(strstr(trial.failure, ": no ssh: ") != NULL);
	loop_fd_remove(watch);
	loop_destroy(trial.loop);
	close(talker.conn);
	close(talker.listener);
}

static void a_login_leaves_no_descriptor(void)
{
	unsigned before;
	int fd;
	unsigned port = listen_somewhere(&fd);

	failure_of("127.0.0.1", port, 50);
	before = count_descriptors();
	failure_of("127.0.0.1", port, 50);
	failure_of("127.0.0.1", 1, 50);
	CHECK(count_descriptors() == before);
	close(fd);
}

static void no_name_is_looked_up(void)
{
	CHECK_TEXT(failure_of("localhost", 22, 5000),
		   "'localhost' is not an address of IPv4 or IPv6, and no name "
		   "is looked up");
}

static void what_is_no_private_key_is_refused(void)
{
	struct trial trial = {0};
	const struct ssh_peer peer = {.address = "::1", .port = 22};
	struct login *login;
	struct error err;

	CHECK(loop_create(&trial.loop, NULL) == 0);
	CHECK(login_start(&login, trial.loop, &peer, "no key", "true", 1000,
			  on_login, &trial, &err) < 0);
	CHECK_TEXT(err.text, "the private key is none");
	loop_destroy(trial.loop);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_key_pair_is_of_one_line_and_of_openssh),
		TEST(no_two_key_pairs_are_the_same),
		TEST(a_written_private_key_is_for_nobody_else),
		TEST(a_key_that_cannot_be_written_is_said),
		TEST(a_forgotten_key_is_zeros),
		TEST(a_key_of_somebody_else_s_is_read),
		TEST(a_key_with_a_passphrase_is_refused_and_nobody_asked),
		TEST(what_is_no_key_is_refused),
		TEST(a_port_where_nobody_listens_is_said),
		TEST(an_sshd_that_says_nothing_is_waited_for_no_longer_than_that),
		TEST(a_server_that_does_not_speak_ssh_is_named),
		TEST(a_login_leaves_no_descriptor),
		TEST(no_name_is_looked_up),
		TEST(what_is_no_private_key_is_refused),
	};
	char command[64];
	int r;

	if (!mkdtemp(folder))
		return 1;
	r = run_tests(tests, LENGTH(tests));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) == 0 ? r : 1;
}
