/* SPDX-License-Identifier: Apache-2.0 */
#include "http/internal.h"
#include "tests/unit/http_ask.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* ---- requests ---- */

static void an_answer_has_its_status_and_body(void)
{
	CHECK(ask_for("plain", "/hello", NULL) == 200);
	CHECK_TEXT(got.body, "hello\n");
	CHECK(got.size == 6);
	CHECK(got.retry_after < 0);
	CHECK(ask_for("plain", "/status/404", NULL) == 404);
	CHECK_TEXT(got.body, "because");
}

static void method_headers_and_body_arrive(void)
{
	static const char *const headers[] = {
		"Authorization: Bearer abc",
		"Content-Type: application/merge-patch+json", NULL};
	const struct http_request request = {
		.method = "PATCH",
		.url = room_url("plain", "/echo/x?a=b%20c"),
		.headers = headers,
		.body = "{\"a\":1}tail",
		.size = 7,
	};

	CHECK(ask(&request) == 201);
	CHECK(strncmp(got.body, "PATCH /echo/x?a=b%20c\n", 22) == 0);
	CHECK(strstr(got.body, "\nAuthorization: Bearer abc\n"));
	CHECK(strstr(got.body,
		     "\nContent-Type: application/merge-patch+json\n"));
	CHECK(strstr(got.body, "\nUser-Agent: bellows/"));
	CHECK(!strstr(got.body, "Expect"));
	CHECK_TEXT(strstr(got.body, "\n\n"), "\n\n{\"a\":1}");
}

static void a_body_may_be_empty_or_missing(void)
{
	struct http_request request = {.method = "POST",
				       .url = room_url("plain", "/echo/")};

	CHECK(ask(&request) == 201);
	CHECK(strstr(got.body, "\nContent-Length: 0\n"));
	CHECK(!strstr(got.body, "Content-Type"));
	request.method = "DELETE";
	CHECK(ask(&request) == 201);
	CHECK(!strstr(got.body, "Content-Length"));
	request.method = "HEAD";
	request.url = room_url("plain", "/hello");
	CHECK(ask(&request) == 200);
	CHECK(got.size == 0);
}

static void no_redirection_is_followed(void)
{
	CHECK(ask_for("plain", "/redirect", NULL) == 302);
}

static void gathered_answers_may_be_compressed(void)
{
	CHECK(ask_for("plain", "/zipped/300000", NULL) == 200);
	CHECK(got.size == 300000);
	CHECK(strncmp(got.body, "xxx", 3) == 0);
}

static const char *refusal_of(const char *method, const char *url,
			      const char *header)
{
	const char *const headers[] = {header, NULL};
	const struct http_request request = {
		.method = method, .url = url, .headers = headers};
	struct http_call *call = NULL;
	static struct error err;

	return http_start(&call, http, &request, &whole, NULL, &err) == -EINVAL
		       ? err.text
		       : "taken";
}

static void what_is_no_request_is_refused(void)
{
	const char *url = room_url("plain", "/hello");

	CHECK_TEXT(refusal_of("GET /", url, NULL),
		   "'GET /' is no method of HTTP, such as GET");
	CHECK_TEXT(refusal_of("", url, NULL),
		   "'' is no method of HTTP, such as GET");
	CHECK_TEXT(refusal_of("GET", "ftp://x/", NULL),
		   "'ftp://x/' is no URL of http or https");
	CHECK_TEXT(refusal_of("GET", "https://a:b@x/", NULL),
		   "a URL names a user; a name and a password belong into "
		   "headers or "
		   "certificates");
	CHECK(strncmp(refusal_of("GET", "https://a b/", NULL),
		      "'https://a b/' is no URL: ", 25) == 0);
	CHECK(strncmp(refusal_of("GET", "https://a/\r\nX: y", NULL),
		      "'https://a/\r\nX: y' is no URL: ", 30) == 0);
	CHECK(strncmp(refusal_of("GET", "", NULL), "'' is no URL: ", 14) == 0);
}

static void headers_take_no_more_than_one_line(void)
{
	const char *url = room_url("plain", "/hello");

	CHECK_TEXT(refusal_of("GET", url, "Authorization: Bearer a\nb"),
		   "the value of the header Authorization has a control "
		   "character, such as the end of a line");
	CHECK(strstr(refusal_of("GET", url, "A: b\r"), "control"));
	CHECK_TEXT(refusal_of("GET", url, "A b: c"),
		   "a header is not of the form 'Name: value'");
	CHECK_TEXT(refusal_of("GET", url, "A\n: c"),
		   "a header is not of the form 'Name: value'");
	CHECK_TEXT(refusal_of("GET", url, "Host: "),
		   "the header Host has no value");
}

/* ---- failures ---- */

static unsigned closed_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	CLEANUP(close) int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&at, n) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &n) < 0)
		return 0;
	return ntohs(at.sin_port);
}

static void an_address_that_nobody_listens_at_is_named(void)
{
	char url[64], expected[128];
	const struct http_request request = {.method = "GET", .url = url};
	unsigned port = closed_port();

	snprintf(url, sizeof(url), "https://127.0.0.1:%u/", port);
	snprintf(expected, sizeof(expected),
		 "127.0.0.1 port %u: cannot connect: Connection refused", port);
	CHECK(ask(&request) == 0);
	CHECK_TEXT(got.failure, expected);
	CHECK_TEXT(got.body, "");
}

static void a_name_without_an_address_is_named(void)
{
	const struct http_request request = {
		.method = "GET", .url = "https://nobody.invalid:6443/"};

	CHECK(ask(&request) == 0);
	CHECK_TEXT(got.failure, "nobody.invalid port 6443: no address is known "
				"for that name");
}

static void an_answer_that_breaks_off_is_none(void)
{
	CHECK(ask_for("plain", "/cut", NULL) == 0);
	CHECK(strstr(got.failure, "127.0.0.1 port "));
	CHECK_TEXT(got.body, "");
	CHECK(ask_for("plain", "/nonsense", NULL) == 0);
}

static void an_answer_that_is_too_large_is_none(void)
{
	char expected[128];
	struct http_request request = {.method = "GET",
				       .url = room_url("plain", "/large/1001"),
				       .max = 1000};

	snprintf(expected, sizeof(expected),
		 "127.0.0.1 port %u: its answer is larger than 1000 bytes",
		 room_port("plain"));
	CHECK(ask(&request) == 0);
	CHECK_TEXT(got.failure, expected);
	request.url = room_url("plain", "/zipped/100000");
	CHECK(ask(&request) == 0);
	CHECK_TEXT(got.failure, expected);
	request.url = room_url("plain", "/large/1000");
	CHECK(ask(&request) == 200);
	CHECK(got.size == 1000);
}

static void headers_without_an_end_are_too_many(void)
{
	CHECK(ask_for("plain", "/headers", NULL) == 0);
	CHECK(strstr(got.failure, ": its answer is larger than 262144 bytes"));
}

static void a_late_answer_is_none(void)
{
	char expected[128];
	const struct http_request request = {
		.method = "GET",
		.url = room_url("plain", "/silent"),
		.timeout = 200};

	snprintf(expected, sizeof(expected),
		 "127.0.0.1 port %u: no whole answer within 200 ms",
		 room_port("plain"));
	CHECK(ask(&request) == 0);
	CHECK_TEXT(got.failure, expected);
}

static void silence_ends_a_call_but_slowness_does_not(void)
{
	char expected[128];
	struct http_request request = {.method = "GET",
				       .url = room_url("plain", "/silent"),
				       .idle = 300};

	snprintf(expected, sizeof(expected),
		 "127.0.0.1 port %u: silent for 300 ms", room_port("plain"));
	CHECK(ask(&request) == 0);
	CHECK_TEXT(got.failure, expected);
	request.url = room_url("plain", "/drip");
	request.idle = 600;
	CHECK(ask(&request) == 200);
	CHECK_TEXT(got.body, "........");
}

/* ---- when to come again ---- */

static void an_answer_says_when_to_come_again(void)
{
	CHECK(ask_for("plain", "/later/7", NULL) == 429);
	CHECK(got.retry_after == SECONDS(7));
	CHECK(ask_for("plain", "/later/0", NULL) == 429);
	CHECK(got.retry_after == 0);
	CHECK(ask_for("plain", "/later/soon", NULL) == 429);
	CHECK(got.retry_after < 0);
	CHECK(ask_for("plain", "/later/Fri,%2031%20Dec%202100%2023:59:59%20GMT",
		      NULL) == 429);
	CHECK(got.retry_after == SECONDS(86400));
}

static void times_to_come_again_are_seconds_or_dates(void)
{
	const time_t now = 784111777; /* Sun, 06 Nov 1994 08:49:37 GMT */

	CHECK(http_retry_after("120", now) == SECONDS(120));
	CHECK(http_retry_after("Sun, 06 Nov 1994 08:50:07 GMT", now) ==
	      SECONDS(30));
	CHECK(http_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now) == 0);
	CHECK(http_retry_after("99999999999999999999999", now) ==
	      SECONDS(86400));
	CHECK(http_retry_after("", now) == -1);
	CHECK(http_retry_after("-5", now) == -1);
	CHECK(http_retry_after("5 s", now) == -1);
}

RUN_TESTS_IN_ROOM(TEST(an_answer_has_its_status_and_body),
		  TEST(method_headers_and_body_arrive),
		  TEST(a_body_may_be_empty_or_missing),
		  TEST(no_redirection_is_followed),
		  TEST(gathered_answers_may_be_compressed),
		  TEST(what_is_no_request_is_refused),
		  TEST(headers_take_no_more_than_one_line),
		  TEST(an_address_that_nobody_listens_at_is_named),
		  TEST(a_name_without_an_address_is_named),
		  TEST(an_answer_that_breaks_off_is_none),
		  TEST(an_answer_that_is_too_large_is_none),
		  TEST(headers_without_an_end_are_too_many),
		  TEST(a_late_answer_is_none),
		  TEST(silence_ends_a_call_but_slowness_does_not),
		  TEST(an_answer_says_when_to_come_again),
		  TEST(times_to_come_again_are_seconds_or_dates))
