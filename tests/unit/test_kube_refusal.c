/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/internal.h"
#include "tests/check.h"

#include <errno.h>

static char text[KUBE_TEXT_MAX];

/* r of an answer to the verb on a kind, whose sentence is in text. */
static int r_of(const char *verb, const struct kube_kind *kind,
		const char *name, int code, const char *body)
{
	const struct kube_act act = {
		.verb = verb,
		.target = {.kind = kind, .namespace = "heat", .name = name},
		.origin = "/etc/config, context heat",
	};
	const struct http_answer answer = {
		.status = code,
		.body = body,
		.size = strlen(body),
		.failure = code ? NULL : "k port 1: refused",
	};
	cJSON *status = cJSON_Parse(body);
	int r = kube_refusal(text, &act, &answer, status);

	cJSON_Delete(status);
	return r;
}

#define STATUS(reason, message)                                                \
	"{\"kind\":\"Status\",\"reason\":\"" reason                            \
	"\",\"message\":\"" message "\"}"

static void a_missing_permission_names_user_verb_and_resource(void)
{
	CHECK(r_of("create", &kube_pods, NULL, 403,
		   STATUS("Forbidden",
			  "pods is forbidden: User "
			  "\\\"system:serviceaccount:heat:m\\\" cannot create "
			  "resource \\\"pods\\\" in API group \\\"\\\" in the "
			  "namespace \\\"heat\\\"")) == -EACCES);
	CHECK_TEXT(text, "create pods in namespace heat: forbidden for "
			 "system:serviceaccount:heat:m; its role needs the "
			 "verb \"create\" on \"pods\"");
	CHECK(r_of("patch", &kube_vcjobs, "heat", 403,
		   STATUS("Forbidden", "User \\\"me\\\" cannot patch")) ==
	      -EACCES);
	CHECK_TEXT(text, "patch jobs heat in namespace heat: forbidden for me; "
			 "its role needs the verb \"patch\" on \"jobs\" of "
			 "batch.volcano.sh");
	CHECK(r_of("get", &kube_pods, "a", 403, "no") == -EACCES);
	CHECK_TEXT(text, "get pods a in namespace heat: forbidden for us; its "
			 "role needs the verb \"get\" on \"pods\"");
}

static void a_quota_that_is_used_up_is_told_from_it(void)
{
	CHECK(r_of("create", &kube_pods, "a", 403,
		   STATUS("Forbidden",
			  "pods \\\"a\\\" is forbidden: exceeded quota: q, "
			  "requested: pods=1, used: pods=2, limited: "
			  "pods=2")) == -EDQUOT);
	CHECK_TEXT(text, "create pods a in namespace heat: exceeded quota: q, "
			 "requested: pods=1, used: pods=2, limited: pods=2; a "
			 "larger quota, or less that uses it");
}

static void what_admission_refuses_is_no_matter_of_permission(void)
{
	CHECK(r_of("create", &kube_pods, "a", 403,
		   STATUS("Forbidden",
			  "pods \\\"a\\\" is forbidden: violates PodSecurity "
			  "\\\"restricted:latest\\\": runAsNonRoot != true")) ==
	      -EINVAL);
	CHECK_TEXT(text,
		   "create pods a in namespace heat: the API refuses it: pods "
		   "\"a\" is forbidden: violates PodSecurity "
		   "\"restricted:latest\": runAsNonRoot != true");
	CHECK(r_of("create", &kube_pods, "a", 403,
		   STATUS("Forbidden",
			  "pods \\\"a\\\" is forbidden: cannot set "
			  "blockOwnerDeletion")) == -EINVAL);
	CHECK(r_of("create", &kube_pods, "a", 422,
		   STATUS("Invalid", "Pod \\\"a\\\" is invalid: spec")) ==
	      -EINVAL);
	CHECK(r_of("patch", &kube_pods, "a", 415, "") == -EINVAL);
	CHECK_TEXT(text, "patch pods a in namespace heat: the API refuses it: "
			 "it does not say why");
}

static void a_taken_name_is_told_from_a_change_by_somebody_else(void)
{
	CHECK(r_of("create", &kube_pods, "a", 409,
		   STATUS("AlreadyExists", "pods \\\"a\\\" already exists")) ==
	      -EEXIST);
	CHECK_TEXT(text, "create pods a in namespace heat: one of this name is "
			 "there");
	CHECK(r_of("patch", &kube_vcjobs, "heat", 409,
		   STATUS("Conflict", "the object has been modified")) ==
	      -EAGAIN);
	CHECK_TEXT(text, "patch jobs heat in namespace heat: it was changed "
			 "meanwhile: the object has been modified");
}

static void a_missing_object_is_told_from_a_missing_kind(void)
{
	CHECK(r_of("get", &kube_pods, "a", 404,
		   "{\"reason\":\"NotFound\",\"message\":\"pods \\\"a\\\" not "
		   "found\",\"details\":{\"name\":\"a\",\"kind\":\"pods\"}}") ==
	      -ENOENT);
	CHECK_TEXT(text, "get pods a in namespace heat: there is none");
	CHECK(r_of("get", &kube_vcjobs, "heat", 404, "404 page not found\n") ==
	      -ENOENT);
	CHECK_TEXT(
		text,
		"get jobs heat in namespace heat: the server has no \"jobs\" "
		"of batch.volcano.sh/v1alpha1; what defines them must be "
		"installed");
	CHECK(r_of("create", &kube_pods, "a", 404,
		   "{\"reason\":\"NotFound\",\"message\":\"namespaces "
		   "\\\"heat\\\" not found\",\"details\":{\"name\":\"heat\","
		   "\"kind\":\"namespaces\"}}") == -ENOENT);
	CHECK_TEXT(text, "create pods a in namespace heat: namespaces \"heat\" "
			 "not found");
}

static void an_unknown_user_is_told_where_the_credentials_come_from(void)
{
	CHECK(r_of("list", &kube_pods, NULL, 401,
		   STATUS("Unauthorized", "Unauthorized")) == -EACCES);
	CHECK_TEXT(text, "list pods in namespace heat: the API does not know "
			 "us; a valid token or certificate is needed in "
			 "/etc/config, context heat");
}

static void provision_error_of_the_server_is_passed_on(void)
{
	CHECK(r_of("get", &kube_pods, "a", 503,
		   STATUS("ServiceUnavailable", "etcd is\\nleaderless")) ==
	      -EIO);
	CHECK_TEXT(text, "get pods a in namespace heat: the API answers with "
			 "503: etcd is leaderless");
	CHECK(r_of("get", &kube_pods, "a", 502,
		   "<html>\x01 Bad Gateway\nmore") == -EIO);
	CHECK_TEXT(text, "get pods a in namespace heat: the API answers with "
			 "502: <html>? Bad Gateway");
	CHECK(r_of("get", &kube_pods, "a", 429, "slow down") == -EIO);
	CHECK_TEXT(text, "get pods a in namespace heat: the API has too much "
			 "to do: slow down");
	CHECK(r_of("get", &kube_pods, "a", 0, "") == -ECONNREFUSED);
	CHECK_TEXT(text, "get pods a in namespace heat: no answer: k port 1: "
			 "refused");
}

static void a_long_message_is_cut_between_two_characters(void)
{
	static char body[8000];
	size_t n = (size_t)sprintf(body, "{\"message\":\"");

	while (n < sizeof(body) - 8)
		n += (size_t)sprintf(body + n, "\xc3\xa4");
	sprintf(body + n, "\"}");
	CHECK(r_of("get", &kube_pods, "a", 422, body) == -EINVAL);
	n = strlen(text);
	CHECK(n < KUBE_TEXT_MAX && n > KUBE_TEXT_MAX - 4);
	CHECK((unsigned char)text[n - 1] == 0xa4);
}

RUN_TESTS(TEST(a_missing_permission_names_user_verb_and_resource),
	  TEST(a_quota_that_is_used_up_is_told_from_it),
	  TEST(what_admission_refuses_is_no_matter_of_permission),
	  TEST(a_taken_name_is_told_from_a_change_by_somebody_else),
	  TEST(a_missing_object_is_told_from_a_missing_kind),
	  TEST(an_unknown_user_is_told_where_the_credentials_come_from),
	  TEST(provision_error_of_the_server_is_passed_on),
	  TEST(a_long_message_is_cut_between_two_characters))
