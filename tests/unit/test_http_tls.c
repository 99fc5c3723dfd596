/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/http_ask.h"

/* The last error message without its prefix. */
static const char *failure(void)
{
	const char *colon = strstr(got.failure, ": ");

	return colon ? colon + 2 : got.failure;
}

/* ---- the server's certificate ---- */

static void a_server_of_the_authority_is_believed(void)
{
	const struct http_tls tls = {.ca = room_text("ca.pem")};

	CHECK(ask_for("tls", "/hello", &tls) == 200);
	CHECK_TEXT(got.body, "hello\n");
}

static void a_server_of_another_authority_is_not_believed(void)
{
	const struct http_tls tls = {.ca = room_text("own.pem")};

	CHECK(ask_for("tls", "/hello", &tls) == 0);
	CHECK(strstr(got.failure, "127.0.0.1 port ") == got.failure);
	CHECK(strncmp(failure(), "its certificate is not believed: ", 33) == 0);
	CHECK(ask_for("tls", "/hello", NULL) == 0);
	CHECK(strncmp(failure(), "its certificate is not believed: ", 33) == 0);
}

static void a_certificate_that_signs_itself_is_not_believed(void)
{
	const struct http_tls tls = {.ca = room_text("ca.pem")};

	CHECK(ask_for("own", "/hello", &tls) == 0);
	CHECK(strncmp(failure(), "its certificate is not believed: ", 33) == 0);
}

static void a_certificate_for_another_name_is_not_believed(void)
{
	const struct http_tls tls = {.ca = room_text("ca.pem")};

	CHECK(ask_for("other", "/hello", &tls) == 0);
	CHECK(strncmp(failure(), "its certificate is not believed: ", 33) == 0);
	CHECK(strstr(failure(), "127.0.0.1"));
}

static void another_name_may_be_expected(void)
{
	char expected[64];
	struct http_tls tls = {.ca = room_text("ca.pem"),
			       .name = "api.example.org"};

	CHECK(ask_for("other", "/hello", &tls) == 200);
	CHECK(ask_for("other", "/echo/", &tls) == 201);
	snprintf(expected, sizeof(expected), "\nHost: 127.0.0.1:%u\n",
		 room_port("other"));
	CHECK(strstr(got.body, expected));
	tls.name = "api.example.com";
	CHECK(ask_for("other", "/hello", &tls) == 0);
	CHECK(strstr(failure(), "api.example.com"));
}

static void insecure_skips_the_check_of_certificates(void)
{
	const struct http_tls tls = {.unverified = true};

	CHECK(ask_for("own", "/hello", &tls) == 200);
	CHECK(ask_for("other", "/hello", &tls) == 200);
}

static void a_connection_is_not_shared_with_another_authority(void)
{
	const struct http_tls any = {.unverified = true};
	const struct http_tls tls = {.ca = room_text("ca.pem")};

	CHECK(ask_for("own", "/hello", &any) == 200);
	CHECK(ask_for("own", "/hello", &tls) == 0);
}

static void a_server_without_tls_gives_no_answer(void)
{
	char url[64];
	const struct http_request request = {.method = "GET", .url = url};

	snprintf(url, sizeof(url), "https://127.0.0.1:%u/", room_port("plain"));
	CHECK(ask(&request) == 0);
	CHECK(strstr(got.failure, "127.0.0.1 port ") == got.failure);
}

/* ---- the client's certificate ---- */

static void a_client_certificate_is_shown(void)
{
	struct http_tls tls = {.ca = room_text("ca.pem"),
			       .cert = room_text("me.pem"),
			       .key = room_text("me.key")};

	CHECK(ask_for("client", "/who", &tls) == 200);
	CHECK_TEXT(got.body, "me");
	tls.cert = tls.key = NULL;
	CHECK(ask_for("client", "/who", &tls) == 0);
}

static const char *refusal_of(const char *ca, const char *cert, const char *key,
			      const char *name)
{
	const struct http_tls tls = {
		.ca = ca, .cert = cert, .key = key, .name = name};

	return ask_for("tls", "/hello", &tls) == -1 ? got.failure : "taken";
}

static void what_is_no_pem_is_refused_at_once(void)
{
	const char *cert = room_text("me.pem"), *key = room_text("me.key");

	CHECK(strstr(refusal_of("", NULL, NULL, NULL),
		     "the certificates of the authorities to believe are not "
		     "in PEM: \"-----BEGIN CERTIFICATE-----\" is expected"));
	CHECK(strstr(refusal_of("-----BEGIN CERTIFICATE-----\nAAAA\n"
				"-----END CERTIFICATE-----\n",
				NULL, NULL, NULL),
		     "are not in PEM"));
	CHECK(strstr(refusal_of(key, NULL, NULL, NULL), "are not in PEM"));
	CHECK(strstr(refusal_of(NULL, key, key, NULL),
		     "the client certificate is not in PEM"));
	CHECK(strstr(refusal_of(NULL, cert, cert, NULL),
		     "the key of the client certificate is not in PEM"));
	CHECK(strstr(refusal_of(NULL, NULL, NULL, "a b"),
		     "'a b' is no name that a certificate can be for"));
}

static void a_certificate_and_its_key_go_together(void)
{
	const char *cert = room_text("me.pem");

	CHECK_TEXT(refusal_of(NULL, cert, NULL, NULL),
		   "a client certificate and its key go together, but there is "
		   "only the certificate");
	CHECK_TEXT(refusal_of(NULL, NULL, room_text("me.key"), NULL),
		   "a client certificate and its key go together, but there is "
		   "only the key");
	CHECK_TEXT(refusal_of(NULL, cert, room_text("ca.key"), NULL),
		   "the key is not that of the client certificate");
	CHECK_TEXT(refusal_of(NULL, cert, room_text("locked.key"), NULL),
		   "the key of the client certificate has a password; one "
		   "without is needed");
}

/* ---- by which way ---- */

/* 0.0.0.0 is this machine too, but no proxy need know. */
static int ask_somebody(bool direct)
{
	char url[64];
	const struct http_tls tls = {.unverified = true};
	const struct http_request request = {
		.method = "GET", .url = url, .tls = &tls, .direct = direct};

	snprintf(url, sizeof(url), "https://0.0.0.0:%u/hello",
		 room_port("tls"));
	return ask(&request);
}

static void proxies_of_the_environment_are_used(void)
{
	const struct http_tls tls = {.ca = room_text("ca.pem")};
	char url[64];

	snprintf(url, sizeof(url), "http://127.0.0.1:%u", room_port("proxy"));
	setenv("HTTPS_PROXY", url, 1);
	unsetenv("https_proxy");
	setenv("NO_PROXY", "example.org", 1);
	unsetenv("no_proxy");
	CHECK(ask_somebody(false) == 0);
	CHECK(strstr(got.failure, "502"));
	CHECK(ask_somebody(true) == 200);
	CHECK(ask_for("tls", "/hello", &tls) == 200);
	setenv("NO_PROXY", "example.org,0.0.0.0", 1);
	CHECK(ask_somebody(false) == 200);
	unsetenv("HTTPS_PROXY");
	unsetenv("NO_PROXY");
}

RUN_TESTS_IN_ROOM(TEST(a_server_of_the_authority_is_believed),
		  TEST(a_server_of_another_authority_is_not_believed),
		  TEST(a_certificate_that_signs_itself_is_not_believed),
		  TEST(a_certificate_for_another_name_is_not_believed),
		  TEST(another_name_may_be_expected),
		  TEST(insecure_skips_the_check_of_certificates),
		  TEST(a_connection_is_not_shared_with_another_authority),
		  TEST(a_server_without_tls_gives_no_answer),
		  TEST(a_client_certificate_is_shown),
		  TEST(what_is_no_pem_is_refused_at_once),
		  TEST(a_certificate_and_its_key_go_together),
		  TEST(proxies_of_the_environment_are_used))
