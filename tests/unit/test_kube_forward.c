/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/forward.h"
#include "tests/unit/http_ask.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static struct kube_config *config;
static struct kube *kube;
static struct kube_forward *forward;
static char trouble[2048];
static unsigned n_troubles;
static bool stops; /* at the first trouble */

/* ---- programs at the socket ---- */

/* Sends a sequence that is told by its place, and looks for it. */
static struct program {
	int fd;
	struct loop_fd *source;
	size_t to_send, sent, got;
	bool wrong, ended;
	char text[64];
} programs[100];

static char byte_at(size_t at)
{
	return (char)(at * 7 + at / 251);
}

static void program_send(struct program *program)
{
	char block[65536];
	size_t n = program->to_send - program->sent;
	ssize_t sent;

	n = n < sizeof(block) ? n : sizeof(block);
	for (size_t i = 0; i < n; i++)
		block[i] = byte_at(program->sent + i);
	sent = n > 0 ? send(program->fd, block, n, MSG_NOSIGNAL) : 0;
	program->sent += sent > 0 ? (size_t)sent : 0;
}

static void program_take(struct program *program)
{
	static char block[65536];
	ssize_t n = recv(program->fd, block, sizeof(block), 0);

	program->ended = n == 0 || (n < 0 && errno != EAGAIN);
	for (ssize_t i = 0; i < n; i++, program->got++) {
		program->wrong |= block[i] != byte_at(program->got);
		if (program->got < sizeof(program->text) - 1)
			program->text[program->got] = block[i];
	}
}

static void on_program(void *user, uint32_t events)
{
	struct program *program = user;

	if (events & EPOLLOUT)
		program_send(program);
	if (events & ~(uint32_t)EPOLLOUT)
		program_take(program);
	if (program->ended)
		program->source = loop_fd_remove(program->source);
	else
		loop_fd_set(program->source, program->sent < program->to_send
						     ? EPOLLIN | EPOLLOUT
						     : EPOLLIN);
	if (program->ended || program->got >= program->to_send)
		loop_stop(loop, 0);
}

static const char *path(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s/api.sock", room_folder);
	return text;
}

static bool dial(struct program *program, size_t to_send)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	*program = (struct program){.to_send = to_send};
	program->fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	strcpy(at.sun_path, path());
	return connect(program->fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
	       loop_fd_add(&program->source, loop, program->fd,
			   EPOLLIN | EPOLLOUT, on_program, program, NULL) == 0;
}

static void hang_up(struct program *program)
{
	loop_fd_remove(program->source);
	close(program->fd);
}

/* ---- forwards ---- */

static void on_trouble(void *user, const char *text)
{
	n_troubles++;
	snprintf(trouble, sizeof(trouble), "%s", text);
	if (stops)
		forward = kube_forward_stop(forward);
	loop_stop(loop, 0);
}

static bool start(const char *pod)
{
	struct error err;

	n_troubles = 0;
	stops = false;
	forward = kube_forward_stop(forward);
	if (kube_forward_start(&forward, kube, "heat", pod, 7000, path(),
			       on_trouble, NULL, &err) == 0)
		return true;
	note("no forward", err.text);
	return false;
}

/* The sentence of a connection to that pod, without whose it is. */
static const char *provision_error_of(const char *pod)
{
	struct program *program = programs;

	*trouble = '\0';
	if (!start(pod) || !dial(program, 1))
		return "not started";
	while (!n_troubles || !program->ended)
		if (!wait_for_it())
			return "nothing";
	hang_up(program);
	return strstr(trouble, ": ") ? strstr(trouble, ": ") + 2 : trouble;
}

static bool write_file(const char *name, const char *text)
{
	char at[128];
	CLEANUP(fclose) FILE *f = NULL;

	snprintf(at, sizeof(at), "%s/%s", room_folder, name);
	f = fopen(at, "we");
	return f && fputs(text, f) >= 0;
}

static bool make_kube(void)
{
	char text[1024], file[64];
	struct error err;

	snprintf(text, sizeof(text),
		 "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
		 "clusters: [{name: here, cluster: {server: "
		 "'https://127.0.0.1:%u', certificate-authority: ca.pem}}]\n"
		 "users: [{name: me, user: {tokenFile: %s/token}}]\n"
		 "contexts: [{name: here, context: {cluster: here, user: "
		 "me}}]\n",
		 room_port("tls"), room_folder);
	snprintf(file, sizeof(file), "%s/config", room_folder);
	if (!write_file("config", text) || !write_file("token", "stale\n"))
		return false;
	if (kube_config_load(&config, file, NULL, &err) == 0 &&
	    kube_create(&kube, loop, config, &err) == 0)
		return true;
	note("no client", err.text);
	return false;
}

/* ---- bytes ---- */

static void bytes_go_to_a_pod_and_back(void)
{
	CHECK(start("echo"));
	CHECK(dial(programs, 10));
	while (programs[0].got < 10)
		CHECK(wait_for_it());
	CHECK(!programs[0].wrong);
	CHECK(!programs[0].ended);
	hang_up(programs);
	CHECK(n_troubles == 0);
}

static void megabytes_arrive_whole_and_in_order(void)
{
	const size_t size = (size_t)12 << 20;

	CHECK(start("echo"));
	CHECK(dial(programs, size));
	while (programs[0].got < size) {
		CHECK(wait_for_it());
		CHECK(!programs[0].ended);
	}
	CHECK(!programs[0].wrong);
	hang_up(programs);
	CHECK(n_troubles == 0);
}

static void each_connection_is_its_own(void)
{
	CHECK(start("echo"));
	for (size_t i = 0; i < LENGTH(programs); i++)
		CHECK(dial(&programs[i], 1000 * (i + 1)));
	for (size_t i = 0; i < LENGTH(programs); i++) {
		while (programs[i].got < programs[i].to_send)
			CHECK(wait_for_it());
		CHECK(!programs[i].wrong);
		hang_up(&programs[i]);
	}
	CHECK(n_troubles == 0);
}

static void a_program_that_is_through_is_answered_to_the_end(void)
{
	CHECK(start("echo"));
	CHECK(dial(programs, 10));
	while (programs[0].got < 10)
		CHECK(wait_for_it());
	shutdown(programs[0].fd, SHUT_WR);
	while (!programs[0].ended)
		CHECK(wait_for_it());
	hang_up(programs);
	CHECK(n_troubles == 0);
}

static void a_ping_is_answered(void)
{
	CHECK(start("asks"));
	CHECK(dial(programs, 0));
	while (!programs[0].ended)
		CHECK(wait_for_it());
	CHECK_TEXT(programs[0].text, "good");
	hang_up(programs);
}

static void a_slow_program_holds_back_the_pod(void)
{
	const size_t size = (size_t)32 << 20;

	CHECK(start("flood"));
	CHECK(dial(programs, 0));
	while (programs[0].got == 0)
		CHECK(wait_for_it());
	loop_fd_set(programs[0].source, EPOLLET);
	CHECK(ask_for("plain", "/drip", NULL) == 200);
	CHECK(ask_for("plain", "/flooded", NULL) == 200);
	CHECK_TEXT(got.body, "no");
	loop_fd_set(programs[0].source, EPOLLIN);
	while (!programs[0].ended)
		CHECK(wait_for_it());
	CHECK(programs[0].got == size);
	hang_up(programs);
	CHECK(n_troubles == 0);
}

/* ---- trouble ---- */

static void what_the_pod_has_against_it_is_told(void)
{
	provision_error_of("deaf");
	CHECK_TEXT(trouble, "port 7000 of pod deaf in namespace heat: nobody "
			    "listens there");
	CHECK(n_troubles == 1);
	CHECK_TEXT(provision_error_of("gone"), "no sandbox of that name");
	CHECK(n_troubles == 1);
}

static void a_refusal_names_the_verb_that_lacks(void)
{
	const char *text = provision_error_of("forbidden");

	CHECK(strstr(trouble, "get pods/portforward forbidden in namespace "
			      "heat: ") == trouble);
	CHECK(strstr(text, "forbidden for me; its role needs the verb \"get\" "
			   "on \"pods/portforward\""));
	text = provision_error_of("forbidden-since-1-35");
	CHECK(strstr(text, "its role needs the verb \"create\" on "
			   "\"pods/portforward\""));
}

static void a_pod_that_is_not_there_is_told(void)
{
	provision_error_of("missing");
	CHECK_TEXT(trouble, "get pods/portforward missing in namespace heat: "
			    "there is none");
}

static void what_is_no_forward_ends_the_connection(void)
{
	CHECK_TEXT(provision_error_of("other-key"),
		   "its answer is not one to our key");
	CHECK_TEXT(provision_error_of("text"),
		   "the API sends text where bytes belong");
	CHECK_TEXT(provision_error_of("channel-7"),
		   "the API speaks on channel 7, which nobody asked for");
}

static void a_token_that_is_refused_is_read_again(void)
{
	CHECK(start("echo"));
	CHECK(dial(programs, 1));
	while (programs[0].got < 1)
		CHECK(wait_for_it());
	hang_up(programs);
	CHECK(write_file("token", "fresh"));
	CHECK(start("strict"));
	CHECK(dial(programs, 1));
	while (programs[0].got < 1)
		CHECK(wait_for_it());
	hang_up(programs);
	CHECK(n_troubles == 0);
	CHECK(write_file("token", "stale again"));
	CHECK(start("strict"));
	CHECK(dial(programs, 1));
	while (programs[0].got < 1)
		CHECK(wait_for_it());
	hang_up(programs);
}

static void a_forward_may_be_stopped_by_its_trouble(void)
{
	CHECK(start("deaf"));
	stops = true;
	CHECK(dial(&programs[0], 1));
	CHECK(dial(&programs[1], 1));
	while (!programs[0].ended || !programs[1].ended)
		CHECK(wait_for_it());
	CHECK(n_troubles == 1);
	CHECK(!forward);
	hang_up(&programs[0]);
	hang_up(&programs[1]);
}

/* ---- the socket ---- */

static void the_socket_is_its_users_and_gone_with_the_forward(void)
{
	struct stat st;

	CHECK(start("echo"));
	CHECK(stat(path(), &st) == 0);
	CHECK((st.st_mode & 07777) == 0600);
	forward = kube_forward_stop(forward);
	CHECK(stat(path(), &st) < 0);
}

static const char *refusal_of(const char *at)
{
	static struct error err;
	struct kube_forward *none = NULL;

	return kube_forward_start(&none, kube, "heat", "echo", 7000, at,
				  on_trouble, NULL, &err) < 0
		       ? err.text
		       : "taken";
}

static void a_path_that_cannot_be_is_refused(void)
{
	char expected[256], at[200];

	CHECK(start("echo"));
	snprintf(expected, sizeof(expected),
		 "%s: cannot make a socket: Address already in use", path());
	CHECK_TEXT(refusal_of(path()), expected);
	memset(at, 'x', sizeof(at));
	at[0] = '/';
	at[120] = '\0';
	CHECK(strstr(refusal_of(at), "has at most 107 bytes, and '/xxx"));
	forward = kube_forward_stop(forward);
}

int main(void)
{
	const struct test tests[] = {
		TEST(bytes_go_to_a_pod_and_back),
		TEST(megabytes_arrive_whole_and_in_order),
		TEST(each_connection_is_its_own),
		TEST(a_program_that_is_through_is_answered_to_the_end),
		TEST(a_ping_is_answered),
		TEST(a_slow_program_holds_back_the_pod),
		TEST(what_the_pod_has_against_it_is_told),
		TEST(a_refusal_names_the_verb_that_lacks),
		TEST(a_pod_that_is_not_there_is_told),
		TEST(what_is_no_forward_ends_the_connection),
		TEST(a_token_that_is_refused_is_read_again),
		TEST(a_forward_may_be_stopped_by_its_trouble),
		TEST(the_socket_is_its_users_and_gone_with_the_forward),
		TEST(a_path_that_cannot_be_is_refused),
	};
	int r = 1;

	if (begin() && make_kube())
		r = run_tests(tests, LENGTH(tests));
	kube_forward_stop(forward);
	kube_destroy(kube);
	kube_config_destroy(config);
	end();
	return r;
}
