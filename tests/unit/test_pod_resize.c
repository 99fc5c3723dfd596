/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/pod_resize.h"

#include "base/list.h"
#include "tests/check.h"

#include <stdlib.h>

#define SPEC(resources)                                                        \
	"\"spec\":{\"containers\":[{\"name\":\"executor\"," resources          \
	"},{\"name\":\"other\"}]}"
#define REQUESTS(cpu) "\"resources\":{\"requests\":{\"cpu\":\"" cpu "\"}}"
#define PATCH(resources)                                                       \
	"{\"spec\":{\"containers\":[{\"name\":\"executor\",\"resources\":"     \
	"{" resources "}}]}}"
#define HAS(cpu)                                                               \
	"\"containerStatuses\":[{\"resources\":{\"limits\":{\"cpu\":\"" cpu    \
	"\"}}}]"

static char *make(const char *text, unsigned shares)
{
	cJSON *pod = cJSON_Parse(text), *patch = pod_resize_make(pod, shares);
	char *printed = patch ? cJSON_PrintUnformatted(patch) : NULL;

	cJSON_Delete(patch);
	cJSON_Delete(pod);
	return printed;
}

static void only_what_has_to_be_different_is_patched(void)
{
	static const struct {
		const char *pod;
		unsigned shares;
		const char *patch;
	} cases[] = {
		{"{" SPEC(REQUESTS("250m")) "}", 1500,
		 PATCH("\"limits\":{\"cpu\":\"1500m\"}")},
		{"{" SPEC("\"image\":\"x\"") "}", 80,
		 PATCH("\"limits\":{\"cpu\":\"80m\"}")},
		/* a request is not more than the limit, nor as much */
		{"{" SPEC(REQUESTS("0.25")) "}", 200,
		 PATCH("\"limits\":{\"cpu\":\"200m\"},"
		       "\"requests\":{\"cpu\":\"199m\"}")},
		{"{" SPEC(REQUESTS("2")) "}", 2000,
		 PATCH("\"limits\":{\"cpu\":\"2000m\"},"
		       "\"requests\":{\"cpu\":\"1999m\"}")},
		{"{" SPEC(REQUESTS("250m")) ",\"status\":{\"qosClass\":"
					    "\"Guaranteed\"}}",
		 1500,
		 PATCH("\"limits\":{\"cpu\":\"1500m\"},"
		       "\"requests\":{\"cpu\":\"1500m\"}")},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		char *patch = make(cases[i].pod, cases[i].shares);

		CHECK_TEXT(patch ? patch : "none", cases[i].patch);
		free(patch);
	}
	CHECK(!make("{\"spec\":{}}", 100));
}

static const char *told(const char *status)
{
	static char why[POD_POOL_TEXT_MAX];
	char text[600];
	cJSON *pod;

	snprintf(text, sizeof(text), "{\"status\":{%s}}", status);
	pod = cJSON_Parse(text);
	if (!pod || pod_resize_is_done(pod, 1500, why))
		snprintf(why, sizeof(why), pod ? "done" : "no JSON");
	cJSON_Delete(pod);
	return why;
}

static void why_a_pod_is_not_resized_is_the_kubelets_word(void)
{
	CHECK_TEXT(told(HAS("1500m")), "done");
	CHECK_TEXT(told(HAS("1.5")), "done");
	CHECK_TEXT(told(HAS("1")),
		   "the kubelet of its node has not done it yet");
	CHECK_TEXT(told(HAS("1") ",\"conditions\":[{\"type\":\"Ready\","
				 "\"status\":\"True\"},"
				 "{\"type\":\"PodResizePending\","
				 "\"status\":\"True\",\"reason\":\"Deferred\","
				 "\"message\":\"not enough cpu\"}]"),
		   "Deferred: not enough cpu");
	CHECK_TEXT(told("\"conditions\":[{\"type\":\"PodResizeInProgress\","
			"\"status\":\"True\",\"reason\":\"Error\"}]"),
		   "Error");
	CHECK_TEXT(told(""), "the kubelet of its node has not done it yet");
}

RUN_TESTS(TEST(only_what_has_to_be_different_is_patched),
	  TEST(why_a_pod_is_not_resized_is_the_kubelets_word))
