/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/tree.h"
#include "proto/coordinator.h"
#include "runner/keys.h"
#include "runner/kube/secret.h"
#include "tests/check.h"

#include <errno.h>

static char root[] = "/tmp/bellows-keys-XXXXXX";
static struct error err;

static const char *at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void each_role_gets_its_own_of_one_authority(void)
{
	CLEANUP(keys_fini) struct keys keys = {0};

	CHECK(keys_make(&keys, "heat", 0, &err) == 0);
	for (enum role role = 0; role < ROLES; role++) {
		const struct tls_identity *id = &keys.of[role];
		bool serves = tls_identity_serves(id, COORDINATOR_TLS_NAME, "",
						  NULL) == 0;

		CHECK_TEXT(id->name, role_name(role));
		CHECK_TEXT(id->ca, keys.of[0].ca);
		CHECK(serves == (role == ROLE_COORDINATOR));
		CHECK(id->until > time(NULL) + 8759 * 3600);
		CHECK(id->until <= time(NULL) + 8760 * 3600);
	}
}

static void they_last_as_long_as_was_asked(void)
{
	CLEANUP(keys_fini) struct keys keys = {0};

	CHECK(keys_make(&keys, "heat", MINUTES(10), &err) == 0);
	CHECK(keys.of[0].until <= time(NULL) + 600);
}

static void what_was_written_is_read(void)
{
	CLEANUP(keys_fini) struct keys keys = {0}, again = {0};

	CHECK(keys_make(&keys, "heat", 0, &err) == 0);
	CHECK(keys_write(&keys, at("keys"), &err) == 0);
	CHECK(keys_read(&again, at("keys"), &err) == 0);
	for (enum role role = 0; role < ROLES; role++)
		CHECK_TEXT(again.of[role].key, keys.of[role].key);
	CHECK(keys_write(&keys, at("keys"), &err) == -EEXIST);
}

static void a_client_is_found_within_and_by_itself(void)
{
	CLEANUP(tls_identity_fini) struct tls_identity one = {0}, other = {0};

	CHECK(keys_read_client(&one, at("keys"), &err) == 0);
	CHECK(keys_read_client(&other, at("keys/client"), &err) == 0);
	CHECK_TEXT(one.name, "client");
	CHECK_TEXT(one.key, other.key);
}

static void one_that_is_missing_is_named(void)
{
	CLEANUP(keys_fini) struct keys keys = {0};
	char expected[128];

	CHECK(tree_remove_path(at("keys/monitor"), &err) == 0);
	CHECK(keys_read(&keys, at("keys"), &err) == -ENOENT);
	snprintf(expected, sizeof(expected),
		 "cannot read %s/keys/monitor/ca.crt: No such file or "
		 "directory",
		 root);
	CHECK_TEXT(err.text, expected);
	CHECK(!tls_identity_is_there(&keys.of[0]));
}

/* ---- Secrets ---- */

static int read_token(struct token *token, const char *base64)
{
	char text[1024];
	cJSON *secret;
	int r;

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"heat-token\"},"
		 "\"data\":{\"token\":\"%s\"}}",
		 base64);
	secret = cJSON_Parse(text);
	r = kube_secret_token(token, secret, &err);
	cJSON_Delete(secret);
	return r;
}

static void a_token_is_read_and_what_is_none_refused(void)
{
	struct token token;

	/* with the newline of a file at its end, and without */
	CHECK(read_token(&token, "MDEyMzQ1Njc4OWFiY2RlZgo=") == 0);
	CHECK_TEXT(token.text, "0123456789abcdef");
	CHECK(read_token(&token, "MDEyMzQ1Njc4OWFiY2RlZg==") == 0);
	CHECK_TEXT(token.text, "0123456789abcdef");
	CHECK(read_token(&token, "c2hvcnQ=") == -EBADMSG);
	CHECK_TEXT(err.text, "Secret heat-token has no token: its key "
			     "\"token\" is to hold 16 to 255 printable "
			     "characters");
	CHECK(read_token(&token, "MDEyMzQ1Njc4OWFiY2Rl*g==") == -EBADMSG);
	CHECK(read_token(&token, "MDEyMzQ1Njc4OWFi\\ncGRl") == -EBADMSG);
	CHECK(read_token(&token, "MDEyMzQ1Njc4OSBhYmNkZWY=") == -EBADMSG);
}

static void a_certificate_is_read_and_what_is_none_refused(void)
{
	cJSON *secret =
		cJSON_Parse("{\"metadata\":{\"name\":\"heat-client-tls\"},"
			    "\"data\":{\"ca.crt\":\"eA==\","
			    "\"tls.crt\":\"eA==\"}}");
	struct tls_identity identity = {0};

	CHECK(kube_secret_identity(&identity, secret, &err) == -EBADMSG);
	CHECK_TEXT(err.text, "Secret heat-client-tls is no certificate: it is "
			     "to have ca.crt, tls.crt and tls.key");
	cJSON_AddStringToObject(cJSON_GetObjectItem(secret, "data"), "tls.key",
				"eA==");
	CHECK(kube_secret_identity(&identity, secret, &err) == -EBADMSG);
	CHECK_TEXT(err.text, "Secret: heat-client-tls/ca.crt: no certificate "
			     "in PEM");
	cJSON_Delete(secret);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(each_role_gets_its_own_of_one_authority),
		TEST(they_last_as_long_as_was_asked),
		TEST(what_was_written_is_read),
		TEST(a_client_is_found_within_and_by_itself),
		TEST(one_that_is_missing_is_named),
		TEST(a_token_is_read_and_what_is_none_refused),
		TEST(a_certificate_is_read_and_what_is_none_refused),
	};
	int r = 1;

	if (mkdtemp(root))
		r = run_tests(tests, sizeof(tests) / sizeof(tests[0]));
	tree_remove_path(root, NULL);
	return r;
}
