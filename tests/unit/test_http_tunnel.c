/* SPDX-License-Identifier: Apache-2.0 */
#include "http/tunnel.h"
#include "tests/unit/http_ask.h"

#include <dirent.h>

static struct http_tunnel *tunnel;
static struct {
	char head[256];
	char bytes[256];
	size_t n_bytes, awaited;
	unsigned drained, ended;
	int status;
	char body[256];
	int r;
	char text[600];
	bool closes; /* at the first bytes */
	bool holds;  /* once it is open */
} seen;

static void on_open(void *user, const char *answer)
{
	snprintf(seen.head, sizeof(seen.head), "%s", answer);
	if (seen.holds)
		http_tunnel_hold(tunnel, true);
	loop_stop(loop, 0);
}

static void on_bytes(void *user, const void *bytes, size_t n)
{
	size_t size = strlen(seen.bytes);

	snprintf(seen.bytes + size, sizeof(seen.bytes) - size, "%.*s", (int)n,
		 (const char *)bytes);
	seen.n_bytes += n;
	if (seen.closes)
		tunnel = http_tunnel_close(tunnel);
	if (seen.n_bytes >= seen.awaited)
		loop_stop(loop, 0);
}

static void on_drained(void *user)
{
	seen.drained++;
	loop_stop(loop, 0);
}

static void on_refused(void *user, int status, const char *body)
{
	seen.status = status;
	snprintf(seen.body, sizeof(seen.body), "%s", body);
}

static void on_ended(void *user, int r, const char *text)
{
	seen.ended++;
	seen.r = r;
	snprintf(seen.text, sizeof(seen.text), "%s", text);
	tunnel = NULL;
	loop_stop(loop, 0);
}

static const struct http_tunnel_events events = {
	.open = on_open,
	.bytes = on_bytes,
	.drained = on_drained,
	.refused = on_refused,
	.ended = on_ended,
};

static bool start(const char *server, const char *path, msec_t timeout)
{
	static const char *const headers[] = {"Connection: Upgrade",
					      "Upgrade: bytes", NULL};
	const struct http_tls tls = {.ca = room_text("ca.pem")};
	const struct http_request request = {
		.method = "GET",
		.url = room_url(server, path),
		.headers = headers,
		.tls = &tls,
		.timeout = timeout,
	};

	memset(&seen, 0, sizeof(seen));
	return http_tunnel_start(&tunnel, http, &request, &events, NULL,
				 NULL) == 0;
}

static void close_it(void)
{
	tunnel = http_tunnel_close(tunnel);
}

/* ---- open ---- */

static bool bytes_come_back(const char *server)
{
	bool same = start(server, "/upgrade/", SECONDS(10)) && wait_for_it() &&
		    strncmp(seen.head, "HTTP/1.1 101 Switching", 22) == 0 &&
		    strstr(seen.head, "\r\nUpgrade: bytes\r\n");

	seen.awaited = 12;
	same = same && http_tunnel_send(tunnel, "hello", 5) == 0 &&
	       http_tunnel_send(tunnel, "!", 1) == 0;
	while (same && seen.n_bytes < 12)
		same = wait_for_it();
	close_it();
	return same && strcmp(seen.bytes, "early,hello!") == 0;
}

static void bytes_go_both_ways(void)
{
	CHECK(bytes_come_back("plain"));
	CHECK(bytes_come_back("tls"));
	CHECK(seen.ended == 0);
}

static void calls_go_on_beside_a_tunnel(void)
{
	CHECK(start("tls", "/upgrade/", SECONDS(10)));
	CHECK(wait_for_it());
	CHECK(ask_for("plain", "/hello", NULL) == 200);
	CHECK(tunnel);
	close_it();
}

/* ---- the queue ---- */

static void on_still(void *user)
{
	loop_stop(loop, 0);
}

/* Half a second, or less if the queue is drained. */
static bool drains(void)
{
	struct loop_timer still = {0};

	seen.drained = 0;
	loop_timer_set(loop, &still, 500, on_still, NULL);
	loop_run(loop);
	loop_timer_clear(&still);
	return seen.drained > 0;
}

static void a_full_queue_is_drained(void)
{
	static char block[64 * 1024];
	size_t sent = 0;
	char expected[32];
	int r;

	memset(block, 'x', sizeof(block));
	CHECK(start("tls", "/upgrade_sink/", 0));
	CHECK(wait_for_it());
	/* the network takes some megabytes before it is full too */
	do {
		while ((r = http_tunnel_send(tunnel, block, sizeof(block))) ==
		       0)
			sent += sizeof(block);
		CHECK(r == -EAGAIN);
		CHECK(sent < (size_t)64 << 20);
	} while (drains());
	CHECK(ask_for("plain", "/go", NULL) == 200);
	while (seen.drained == 0)
		CHECK(wait_for_it());
	CHECK(http_tunnel_send(tunnel, ".", 1) == 0);
	seen.awaited = 1;
	while (seen.n_bytes == 0)
		CHECK(wait_for_it());
	snprintf(expected, sizeof(expected), "%zu", sent + 1);
	CHECK(strncmp(expected, seen.bytes, strlen(seen.bytes)) == 0);
	close_it();
}

static void a_held_tunnel_hands_on_no_bytes(void)
{
	size_t before;

	CHECK(start("tls", "/upgrade_flood/8000000", 0));
	CHECK(wait_for_it());
	http_tunnel_hold(tunnel, true);
	before = seen.n_bytes;
	CHECK(ask_for("plain", "/drip", NULL) == 200);
	CHECK(seen.n_bytes == before);
	CHECK(seen.ended == 0);
	http_tunnel_hold(tunnel, false);
	seen.awaited = (size_t)-1;
	CHECK(wait_for_it());
	CHECK(seen.n_bytes == 8000000);
	CHECK(seen.ended == 1);
	CHECK(seen.r == 0);
	CHECK_TEXT(seen.text, "");
}

/* ---- ends ---- */

static void a_tunnel_may_be_closed_by_its_bytes(void)
{
	CHECK(start("plain", "/upgrade_flood/1000000", 0));
	seen.closes = true;
	CHECK(wait_for_it());
	while (tunnel)
		CHECK(wait_for_it());
	CHECK(seen.ended == 0);
}

/* Held, so that only a failure to send can tell. */
static bool is_lost(const char *server)
{
	bool good = start(server, "/upgrade_leave/", SECONDS(10));

	seen.holds = true;
	good = good && wait_for_it() && !seen.ended;
	for (int i = 0; good && i < 100 && !seen.ended; i++) {
		http_tunnel_send(tunnel, "hello", 5);
		good = ask_for("plain", "/hello", NULL) == 200;
	}
	return good && seen.ended == 1 && seen.r == -EPIPE &&
	       seen.n_bytes == 0 &&
	       strstr(seen.text, ": the connection is lost: ");
}

static void a_server_that_left_is_noticed_by_sending(void)
{
	CHECK(is_lost("plain"));
	CHECK(is_lost("tls"));
}

static bool is_refused(const char *path)
{
	return start("plain", path, SECONDS(10)) && wait_for_it() &&
	       seen.ended == 1 && seen.status == 403 &&
	       strstr(seen.body, "you may not");
}

static void a_refusal_has_its_status_and_body(void)
{
	char expected[128];

	CHECK(is_refused("/upgrade_refuse/whole"));
	CHECK_TEXT(seen.body, "you may not");
	snprintf(expected, sizeof(expected),
		 "127.0.0.1 port %u: answers 'HTTP/1.1 403 Forbidden', and 101 "
		 "was expected",
		 room_port("plain"));
	CHECK_TEXT(seen.text, expected);
	CHECK(seen.r == -EPROTO);
	CHECK(is_refused("/upgrade_refuse/chunks"));
	CHECK(is_refused("/upgrade_refuse/endless"));
}

static const char *end_of(const char *server, const char *path, msec_t timeout)
{
	if (!start(server, path, timeout))
		return "not started";
	while (!seen.ended)
		if (!wait_for_it())
			return "no end";
	return strchr(seen.text, ':') ? strchr(seen.text, ':') + 2 : seen.text;
}

static void a_server_that_does_not_answer_times_out(void)
{
	CHECK_TEXT(end_of("plain", "/upgrade_mute/", 200),
		   "no connection within 200 ms");
	CHECK(seen.r == -ETIMEDOUT);
	CHECK_TEXT(end_of("plain", "/upgrade_never/", 10000),
		   "it closed without an answer");
	CHECK(seen.r == -ECONNRESET);
}

static void what_is_no_answer_ends_it(void)
{
	CHECK_TEXT(end_of("plain", "/headers", 10000),
		   "the head of its answer is larger than 64 KiB");
	CHECK(seen.r == -EPROTO);
	CHECK_TEXT(end_of("plain", "/nonsense", 10000),
		   "it does not speak HTTP");
	CHECK(strncmp(end_of("own", "/upgrade/", 10000),
		      "its certificate is not believed: ", 33) == 0);
}

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void a_tunnel_leaves_no_descriptor(void)
{
	int before;

	http = http_destroy(http);
	CHECK(http_create(&http, loop, NULL) == 0);
	before = count_descriptors();
	CHECK(bytes_come_back("tls"));
	CHECK(count_descriptors() == before);
	CHECK(start("tls", "/upgrade/", 0));
	CHECK(wait_for_it());
	http = http_destroy(http);
	CHECK(count_descriptors() <= before);
	CHECK(http_create(&http, loop, NULL) == 0);
}

RUN_TESTS_IN_ROOM(TEST(bytes_go_both_ways), TEST(calls_go_on_beside_a_tunnel),
		  TEST(a_full_queue_is_drained),
		  TEST(a_held_tunnel_hands_on_no_bytes),
		  TEST(a_tunnel_may_be_closed_by_its_bytes),
		  TEST(a_server_that_left_is_noticed_by_sending),
		  TEST(a_refusal_has_its_status_and_body),
		  TEST(a_server_that_does_not_answer_times_out),
		  TEST(what_is_no_answer_ends_it),
		  TEST(a_tunnel_leaves_no_descriptor))
