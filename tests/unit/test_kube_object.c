/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/internal.h"
#include "tests/check.h"

#include <errno.h>

/* ---- reading ---- */

static void a_path_leads_through_objects_and_lists(void)
{
	cJSON *pod = cJSON_Parse(
		"{\"metadata\":{\"name\":\"a\",\"labels\":{\"x/"
		"y\":\"z\",\"b.io/k\":\"v\"}},"
		"\"status\":{\"conditions\":[{\"reason\":\"R\"},{\"n\":7}]}}");

	CHECK_TEXT(kube_text(pod, "metadata.name"), "a");
	CHECK_TEXT(kube_text(pod, "metadata.labels.x/y"), "z");
	CHECK_TEXT(kube_text_in(pod, "metadata.labels", "b.io/k"), "v");
	CHECK(!kube_text(pod, "metadata.labels.b.io/k"));
	CHECK(!kube_text_in(pod, "metadata.none", "b.io/k"));
	CHECK_TEXT(kube_text(pod, "status.conditions.0.reason"), "R");
	CHECK(kube_number(pod, "status.conditions.1.n", 0) == 7);
	CHECK(kube_at(pod, "") == pod);
	cJSON_Delete(pod);
}

static void what_is_not_there_is_none(void)
{
	static const char *const paths[] = {
		"b",    "a.b",   "l.2",
		"l.-1", "l.x",   "l.",
		"l.0",  "a.b.c", "l.99999999999999999999",
		"."};
	cJSON *tree = cJSON_Parse("{\"a\":1,\"l\":[1,2],\"big\":1e300}");

	for (size_t i = 0; i < LENGTH(paths); i++)
		CHECK(!kube_text(tree, paths[i]));
	CHECK(kube_number(tree, "l", 3) == 3);
	CHECK(kube_number(tree, "big", 3) == 3);
	CHECK(kube_number(NULL, "a", 3) == 3);
	CHECK(!kube_at(NULL, "a"));
	cJSON_Delete(tree);
}

/* ---- URLs ---- */

static const char *url_of(const struct kube_target *target, const char *query)
{
	static char text[512];
	char *url = kube_url("https://k:1", target, query);

	snprintf(text, sizeof(text), "%s", url ? url : "");
	free(url);
	return text;
}

static void a_url_is_made_of_a_target(void)
{
	struct kube_target target = {.kind = &kube_pods, .namespace = "heat"};

	CHECK_TEXT(url_of(&target, NULL),
		   "https://k:1/api/v1/namespaces/heat/pods");
	target.query = "labelSelector=a%3Db";
	CHECK_TEXT(url_of(&target, "limit=5"),
		   "https://k:1/api/v1/namespaces/heat/pods?"
		   "labelSelector=a%3Db&limit=5");
	target = (struct kube_target){.kind = &kube_vcjobs,
				      .namespace = "heat",
				      .name = "md",
				      .subresource = "status"};
	CHECK_TEXT(url_of(&target, "a=b"),
		   "https://k:1/apis/batch.volcano.sh/v1alpha1/namespaces/heat/"
		   "jobs/md/status?a=b");
	target = (struct kube_target){.kind = &kube_events};
	CHECK_TEXT(url_of(&target, NULL),
		   "https://k:1/apis/events.k8s.io/v1/events");
}

static void no_name_leads_elsewhere(void)
{
	struct kube_target target = {
		.kind = &kube_pods, .namespace = "..", .name = "a/../b?c#d e"};

	CHECK_TEXT(url_of(&target, NULL),
		   "https://k:1/api/v1/namespaces/%2E%2E/pods/"
		   "a%2F..%2Fb%3Fc%23d%20e");
}

/* ---- base64 ---- */

static void base64_is_read_back(void)
{
	static const char *const texts[] = {"",    "a",    "ab",
					    "abc", "abcd", "\xff\xfe?>"};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		char *code = kube_encode(texts[i]), *text = NULL;

		CHECK(code && kube_decode(&text, code, NULL) == 0);
		CHECK_TEXT(text, texts[i]);
		free(code);
		free(text);
	}
}

static void what_is_no_base64_is_refused(void)
{
	static const char *const texts[] = {
		"YQ",   "YQ=",      "Y===", "YR==", "Y=Q=",
		"YQ-_", "YQ==YQ==", "AA==", "====", "\xff\xff\xff\xff"};
	struct error err;
	char *text;

	for (size_t i = 0; i < LENGTH(texts); i++)
		CHECK(kube_decode(&text, texts[i], &err) == -EINVAL);
	CHECK_TEXT(err.text, "it is not a text in base64");
	CHECK(kube_decode(&text, "Y\nQ =\t=", NULL) == 0);
	CHECK_TEXT(text, "a");
	free(text);
}

/* ---- credentials of a plugin ---- */

#define V1 "client.authentication.k8s.io/v1"
#define SAYS(status)                                                           \
	"{\"apiVersion\":\"" V1                                                \
	"\",\"kind\":\"ExecCredential\",\"status\":{" status "}}"

static struct kube_credential credential;

/* The sentence; "" if it was read. */
static const char *refusal_of(const char *text)
{
	static struct error err;

	kube_credential_fini(&credential);
	*err.text = '\0';
	if (kube_credential_read(&credential, text, strlen(text), V1,
				 1000000000, 5000, &err) == 0)
		*err.text = '\0';
	return err.text;
}

static void a_plugin_gives_a_token_or_a_certificate(void)
{
	CHECK_TEXT(refusal_of(SAYS("\"token\":\"t\"")), "");
	CHECK_TEXT(credential.token, "t");
	CHECK(credential.until == 0);
	CHECK_TEXT(refusal_of(SAYS("\"clientCertificateData\":\"c\","
				   "\"clientKeyData\":\"k\"")),
		   "");
	CHECK(!credential.token);
	CHECK_TEXT(credential.cert, "c");
	CHECK_TEXT(credential.key, "k");
	kube_credential_fini(&credential);
}

/* 1000000000 is 2001-09-09T01:46:40Z */
static void they_are_of_use_until_they_say(void)
{
#define AT(when) SAYS("\"token\":\"t\",\"expirationTimestamp\":\"" when "\"")
	CHECK_TEXT(refusal_of(AT("2001-09-09T01:47:40Z")), "");
	CHECK(credential.until == 5000 + SECONDS(50));
	CHECK_TEXT(refusal_of(AT("2001-09-09T03:46:45.123+02:00")), "");
	CHECK(credential.until == 5000 + SECONDS(5));
	CHECK_TEXT(refusal_of(AT("2001-09-08T23:47:40-02:00")), "");
	CHECK(credential.until == 5000 + SECONDS(50));
	CHECK_TEXT(refusal_of(AT("2001-09-09T01:46:40Z")),
		   "what it gives has expired at 2001-09-09T01:46:40Z");
	CHECK_TEXT(refusal_of(AT("tomorrow")),
		   "its expirationTimestamp is 'tomorrow'; as in "
		   "2030-01-02T15:04:05Z");
	CHECK(*refusal_of(AT("2001-09-09T01:47:40+2")));
	CHECK(*refusal_of(AT("2001-09-09T01:47:40Zx")));
#undef AT
}

static void what_a_plugin_may_not_say_is_refused(void)
{
	CHECK_TEXT(refusal_of("hello"), "it does not print an ExecCredential");
	CHECK_TEXT(refusal_of(""), "it does not print an ExecCredential");
	CHECK_TEXT(refusal_of("{\"kind\":\"ExecCredential\",\"apiVersion\":"
			      "\"x/v1\"}"),
		   "it prints one of x/v1; the configuration says " V1);
	CHECK_TEXT(refusal_of(SAYS("")),
		   "it gives neither a token nor a certificate");
	CHECK_TEXT(refusal_of(SAYS("\"clientKeyData\":\"k\",\"token\":\"t\"")),
		   "it gives only one of certificate and key");
	CHECK_TEXT(refusal_of(SAYS("\"token\":\"a\\r\\nX: b\"")),
		   "its token has signs that no token has");
	CHECK(!credential.token);
}

RUN_TESTS(TEST(a_path_leads_through_objects_and_lists),
	  TEST(what_is_not_there_is_none), TEST(a_url_is_made_of_a_target),
	  TEST(no_name_leads_elsewhere), TEST(base64_is_read_back),
	  TEST(what_is_no_base64_is_refused),
	  TEST(a_plugin_gives_a_token_or_a_certificate),
	  TEST(they_are_of_use_until_they_say),
	  TEST(what_a_plugin_may_not_say_is_refused))
