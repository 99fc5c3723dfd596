/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/unit/jobfile_parse.h"

#include <errno.h>
#include <string.h>

#define JOB                                                                    \
	"name: heat\n"                                                         \
	"app: parint\n"                                                        \
	"command: [parint]\n"                                                  \
	"checkpoint: {dir: ckpt}\n"                                            \
	"ranks: {initial: 2, max: 6}\n"                                        \
	"scale: {"
#define SERVER "prometheus: 'http://p:9090'"
#define WHOLE  "policy: threshold, query: up, above: 10, below: 2"
#define OUT    "; with that, or leave it out"

static void it_has_the_keys_and_defaults_that_are_told(void)
{
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;
	static const char text[] =
		JOB "policy: threshold, query: 'avg(x{y=\"z\"})', above: 1e1,\n"
		    "  below: -0.5, prometheus: 'https://[::1]:90/a/b',\n"
		    "  token_file: keys/token, ca_file: /etc/ca.pem}\n";
	const struct scale_threshold *threshold;

	CHECK(jobfile_parse(&job, "t.yaml", text, strlen(text), "/home/me",
			    &err) == 0);
	threshold = &job->threshold;
	CHECK(job->policy == SCALE_THRESHOLD);
	CHECK_TEXT(threshold->query, "avg(x{y=\"z\"})");
	CHECK_TEXT(threshold->server, "https://[::1]:90/a/b");
	CHECK_TEXT(threshold->token_file, "/home/me/keys/token");
	CHECK_TEXT(threshold->ca_file, "/etc/ca.pem");
	CHECK(threshold->above == 10 && threshold->below == -0.5);
	CHECK(threshold->lasts == SECONDS(30));
	CHECK(threshold->every == SECONDS(15));
	CHECK(threshold->step == 1);
}

static void what_does_not_fit_together_is_refused(void)
{
	static const struct {
		const char *keys, *refusal;
	} rows[] = {
		{"policy: threshold, query: up, above: 10, below: 2",
		 "policy: there is no scale.prometheus; threshold with "
		 "scale.prometheus, query, above and below, or another policy"},
		{"policy: threshold, above: 10, below: 2, " SERVER,
		 "policy: there is no scale.query; threshold with "
		 "scale.prometheus, query, above and below, or another policy"},
		{"policy: threshold, query: up, below: 2, " SERVER,
		 "policy: there is no scale.above; threshold with "
		 "scale.prometheus, query, above and below, or another policy"},
		{"policy: threshold, query: up, above: 2, " SERVER,
		 "policy: there is no scale.below; threshold with "
		 "scale.prometheus, query, above and below, or another policy"},
		{"policy: threshold, query: up, above: 2, below: 2, " SERVER,
		 "above: 2 is not above scale.below, which is 2; a larger "
		 "number"},
		{"policy: threshold, query: up, above: -3, below: 2.5, " SERVER,
		 "above: -3 is not above scale.below, which is 2.5; a larger "
		 "number"},
		{"query: up", "query: is for scale.policy: threshold" OUT},
		{"policy: benefit, for: 5s",
		 "for: is for scale.policy: threshold" OUT},
		{"policy: manual, token_file: a",
		 "token_file: is for scale.policy: threshold" OUT},
		{WHOLE ", " SERVER ", goal: soonest",
		 "goal: is for scale.policy: benefit" OUT},
		{WHOLE ", " SERVER ", token_file: token",
		 "token_file: is for a URL of https in scale.prometheus" OUT},
		{WHOLE ", " SERVER ", ca_file: ca.pem",
		 "ca_file: is for a URL of https in scale.prometheus" OUT},
	};
	char text[1024];

	for (size_t i = 0; i < LENGTH(rows); i++) {
		snprintf(text, sizeof(text), JOB "%s}\n", rows[i].keys);
		CHECK(parse(text, strlen(text)) == -EINVAL);
		snprintf(text, sizeof(text), "t.yaml:6: scale.%s",
			 rows[i].refusal);
		CHECK_TEXT(err.text, text);
	}
}

static void what_is_no_url_of_a_server_is_refused(void)
{
	static const char none[] =
		"is no URL of http or https; as http://prometheus:9090";
	static const char more[] = "has more than a path behind the host; as "
				   "http://prometheus:9090";
	static const char user[] =
		"names a user; without, and a token in scale.token_file";
	static const struct {
		const char *url, *refusal;
	} rows[] = {
		{"p:9090", none},           {"ftp://p", none},
		{"http://", none},          {"https://:9090", none},
		{"http:///api", none},      {"http://p q", none},
		{"http://p\xc3\xa4", none}, {"http://me:secret@p", user},
		{"http://p/?a=b", more},    {"http://p#a", more},
		{"http://p/a@b", NULL},
	};
	char text[1024];

	for (size_t i = 0; i < LENGTH(rows); i++) {
		snprintf(text, sizeof(text), JOB WHOLE ", prometheus: '%s'}\n",
			 rows[i].url);
		CHECK(parse(text, strlen(text)) ==
		      (rows[i].refusal ? -EINVAL : 0));
		if (!rows[i].refusal)
			continue;
		snprintf(text, sizeof(text), "t.yaml:6: scale.prometheus: %s",
			 rows[i].refusal);
		CHECK_TEXT(err.text, text);
	}
}

static void a_query_has_4096_bytes_at_most(void)
{
	char query[4098] = "", text[8192];

	memset(query, 'a', 4096);
	snprintf(text, sizeof(text),
		 JOB "policy: threshold, above: 2, below: 1, query: %s, " SERVER
		     "}\n",
		 query);
	CHECK(parse(text, strlen(text)) == 0);
	query[4096] = 'a';
	snprintf(text, sizeof(text),
		 JOB "policy: threshold, above: 2, below: 1, query: %s, " SERVER
		     "}\n",
		 query);
	CHECK(parse(text, strlen(text)) == -EINVAL);
	CHECK_TEXT(err.text,
		   "t.yaml:6: scale.query: has 4097 bytes; at most 4096");
}

RUN_TESTS(TEST(it_has_the_keys_and_defaults_that_are_told),
	  TEST(what_does_not_fit_together_is_refused),
	  TEST(what_is_no_url_of_a_server_is_refused),
	  TEST(a_query_has_4096_bytes_at_most))
