/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/limit.h"
#include "rpc/token.h"
#include "tests/check.h"
#include "tests/unit/rpc_room.h"

#include <sys/stat.h>

#define SECRET "0123456789abcdef0123456789abcdef"

static char path[] = "/tmp/bellows-token-XXXXXX";

static bool begin_open(const char *token, const char *open)
{
	struct rpc_server_config config = room_at("127.0.0.1:0");

	config.token = token;
	config.open = open;
	return begin_server(&config, NULL) &&
	       rpc_channel_create(&channel, rpc, rpc_server_address(server),
				  NULL, NULL) == 0;
}

static bool begin_with(const char *token)
{
	return begin_open(token, NULL);
}

static void give(const char *header)
{
	rpc_channel_set_metadata(channel, "authorization", header);
}

static bool is_answered(const char *with)
{
	forget();
	call("/test.room.Room/Echo", "hello");
	return await(with);
}

static void a_call_without_the_token_is_unauthenticated(void)
{
	CHECK(begin_with(SECRET));
	CHECK(is_answered("UNAUTHENTICATED"));
	CHECK_TEXT(last.message, "a token is needed here, and none or another "
				 "was given");
	finish();
}

static void a_call_with_it_is_answered(void)
{
	const struct token token = {SECRET};

	CHECK(begin_with(SECRET));
	CHECK(token_use(channel, &token, NULL) == 0);
	CHECK(is_answered("OK:hello"));
	finish();
}

/* Fewer than a limit counts, see test_rpc_limit.c. */
static void nothing_that_resembles_it_will_do(void)
{
	static const char *const wrong[] = {
		"Bearer " SECRET "0",
		"Bearer 0123456789abcdef0123456789abcde",
		"Bearer 0123456789abcdef0123456789abcdeF",
		"Bearer ",
		"Bearer",
		SECRET,
		"Basic " SECRET,
	};

	CHECK(begin_with(SECRET));
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		give(wrong[i]);
		CHECK(is_answered("UNAUTHENTICATED"));
	}
	finish();
}

static void an_address_with_many_wrong_tokens_has_to_wait(void)
{
	CHECK(begin_with(SECRET));
	for (int i = 0; i < LIMIT_BURST; i++)
		CHECK(is_answered("UNAUTHENTICATED"));
	give("Bearer " SECRET);
	CHECK(is_answered("RESOURCE_EXHAUSTED"));
	CHECK_TEXT(last.message,
		   "too many calls without the token came from this address; "
		   "wait a few seconds");
	finish();
}

static void a_stream_without_it_is_ended_and_never_seen(void)
{
	CHECK(begin_with(SECRET));
	CHECK(open_stream("/test.room.Room/Chat", NULL, 0));
	send_note("x");
	CHECK(await("end:UNAUTHENTICATED"));
	CHECK(strstr(trace, "heard") == NULL && strstr(trace, "gone") == NULL);
	CHECK(strstr(trace, "open") == NULL);
	finish();
}

static void health_needs_none(void)
{
	CHECK(begin_with(SECRET));
	call("/grpc.health.v1.Health/Check", "");
	/* an answer came; that it is no note is this room's want */
	CHECK(await("INTERNAL"));
	CHECK(strstr(last.message, "not a test.room.Note") != NULL);
	finish();
}

static void an_open_service_needs_none_and_another_does(void)
{
	CHECK(begin_open(SECRET, "/test.room.Room/"));
	CHECK(is_answered("OK:hello"));
	finish();
	CHECK(begin_open(SECRET, "/test.room.Roo/"));
	CHECK(is_answered("UNAUTHENTICATED"));
	finish();
}

static void without_a_token_nobody_is_asked(void)
{
	CHECK(begin_with(NULL));
	give("Bearer whatever");
	CHECK(is_answered("OK:hello"));
	finish();
}

/* ---- files ---- */

static const char *refusal(const char *text, size_t n, mode_t mode)
{
	static struct error err;
	struct token token;
	FILE *f = fopen(path, "we");

	fwrite(text, 1, n, f);
	fclose(f);
	chmod(path, mode);
	strcpy(err.text, "taken: ");
	if (token_read(&token, path, &err) == 0)
		strcat(err.text, token.text);
	return strncmp(err.text, path, strlen(path)) ? err.text
						     : err.text + strlen(path);
}

static void a_token_is_one_line_of_a_file_that_others_cannot_read(void)
{
	char long_one[TOKEN_MAX];
	const char *not_one = ": a token is one line of 16 to 255 printable "
			      "characters without blanks";

	memset(long_one, 'x', sizeof(long_one));
	CHECK_TEXT(refusal(SECRET "\n", 33, 0600), "taken: " SECRET);
	CHECK_TEXT(refusal(SECRET, 32, 0400), "taken: " SECRET);
	CHECK_TEXT(refusal(SECRET, 32, 0640),
		   ": others can read it (mode 0640); chmod 600");
	CHECK_TEXT(refusal("short\n", 6, 0600), not_one);
	CHECK_TEXT(refusal("", 0, 0600), not_one);
	CHECK_TEXT(refusal(SECRET "\n\n", 34, 0600), not_one);
	CHECK_TEXT(refusal("0123456789 bcdef0", 17, 0600), not_one);
	CHECK_TEXT(refusal(long_one, TOKEN_MAX, 0600), not_one);
}

static void a_token_of_a_secret_is_read_through_its_links(void)
{
	char dir[] = "/tmp/bellows-secret-XXXXXX", data[64], file[64];
	struct token token = {""};
	struct error err = {0};
	bool lent = geteuid() == 0; /* nobody else can make such a file */

	CHECK(mkdtemp(dir));
	snprintf(data, sizeof(data), "%s/..data", dir);
	snprintf(file, sizeof(file), "%s/token", dir);
	CHECK_TEXT(refusal(SECRET, 32, lent ? 0440 : 0600), "taken: " SECRET);
	CHECK(symlink(path, data) == 0 && symlink("..data", file) == 0);
	CHECK(token_read(&token, file, &err) == 0);
	CHECK_TEXT(token.text, SECRET);
	CHECK(!lent || chown(path, 0, 12345) == 0);
	CHECK(!lent || token_read(&token, file, &err) == -EPERM);
	unlink(file);
	unlink(data);
	rmdir(dir);
}

static void no_token_is_read_from_what_is_no_file(void)
{
	struct token token;
	struct error err;

	CHECK(token_read(&token, "/tmp", &err) < 0);
	CHECK_TEXT(err.text, "/tmp: no file with a token");
	CHECK(token_read(&token, "/none/token", &err) < 0);
	CHECK_TEXT(err.text, "/none/token: No such file or directory");
}

/* What token_read() makes of these parts on standard input. */
static int read_parts(struct token *token, const char *first,
		      const char *second, struct error *err)
{
	int pipes[2];

	if (pipe(pipes) < 0 || dup2(pipes[0], STDIN_FILENO) < 0)
		return -errno;
	if (write(pipes[1], first, strlen(first)) < 0 ||
	    write(pipes[1], second, strlen(second)) < 0)
		return -errno;
	close(pipes[0]);
	close(pipes[1]);
	return token_read(token, "-", err);
}

static void a_token_may_come_by_standard_input(void)
{
	struct token token;
	char rest[16];
	struct error err;

	CHECK(read_parts(&token, "0123456789", "abcdef\n", &err) == 0);
	CHECK_TEXT(token.text, "0123456789abcdef");
	CHECK(read_parts(&token, "0123456789abcdef", "", &err) == 0);
	CHECK_TEXT(token.text, "0123456789abcdef");
	CHECK(read_parts(&token, "0123456789abcdef\n", "the next", &err) == 0);
	CHECK_TEXT(token.text, "0123456789abcdef");
	CHECK(read(STDIN_FILENO, rest, sizeof(rest)) == 8);
	CHECK(memcmp(rest, "the next", 8) == 0);
	CHECK(read_parts(&token, "short", "\n", &err) == -EINVAL);
	CHECK(strncmp(err.text, "standard input: a token is one line", 35) ==
	      0);
	CHECK(read_parts(&token, "", "", &err) == -EINVAL);
}

static void no_two_tokens_are_the_same(void)
{
	struct token one, other;

	CHECK(token_make(&one, NULL) == 0 && token_make(&other, NULL) == 0);
	CHECK(strlen(one.text) == 64 && strcmp(one.text, other.text) != 0);
}

static void loopback_and_unix_sockets_are_local(void)
{
	static const char *const local[] = {"unix:/x", "127.0.0.1:0",
					    "127.9.9.9:7", "[::1]:0",
					    "localhost:7"};
	static const char *const far[] = {
		"0.0.0.0:7",     "[::]:7", "10.0.0.5:7",  "127.example.org:7",
		"localhost.x:7", "node:7", "[fe80::1]:7", ""};

	for (size_t i = 0; i < LENGTH(local); i++)
		CHECK(rpc_is_local(local[i]));
	for (size_t i = 0; i < LENGTH(far); i++)
		CHECK(!rpc_is_local(far[i]));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_call_without_the_token_is_unauthenticated),
		TEST(a_call_with_it_is_answered),
		TEST(nothing_that_resembles_it_will_do),
		TEST(an_address_with_many_wrong_tokens_has_to_wait),
		TEST(a_stream_without_it_is_ended_and_never_seen),
		TEST(health_needs_none),
		TEST(an_open_service_needs_none_and_another_does),
		TEST(without_a_token_nobody_is_asked),
		TEST(a_token_is_one_line_of_a_file_that_others_cannot_read),
		TEST(a_token_of_a_secret_is_read_through_its_links),
		TEST(no_token_is_read_from_what_is_no_file),
		TEST(a_token_may_come_by_standard_input),
		TEST(no_two_tokens_are_the_same),
		TEST(loopback_and_unix_sockets_are_local),
	};
	int fd = mkstemp(path), r;

	close(fd);
	r = run_tests(tests, LENGTH(tests));
	unlink(path);
	return r;
}
