/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/commands/instant.h"
#include "cli/views/explain.h"
#include "tests/check.h"
#include "tests/unit/queue_bed.h"

#include <errno.h>

#define NOON ((time_t)(NOW / 1000))

static Bellows__V1__Alternative alternatives[3], *list[3];
static Bellows__V1__Decision decision, *decisions[] = {&decision};
static Bellows__V1__ExplainReply reply;

static void begin(void)
{
	static const struct {
		uint32_t size;
		double seconds, sd;
	} rows[] = {{2, 58, -1}, {4, 31, 2}, {8, -1, -1}};

	setenv("TZ", "UTC", 1);
	fill_queue();
	for (int i = 0; i < 3; i++) {
		bellows__v1__alternative__init(&alternatives[i]);
		alternatives[i].size = rows[i].size;
		alternatives[i].seconds = rows[i].seconds;
		alternatives[i].sd = rows[i].sd;
		alternatives[i].chosen = i == 1;
		list[i] = &alternatives[i];
	}
	bellows__v1__decision__init(&decision);
	decision.at = NOW + 191000;
	decision.kind = "resize";
	decision.rule = "free slots save most time there";
	decision.policy = "bellows";
	decision.from = 2;
	decision.to = 4;
	decision.size = 2;
	decision.free = 3;
	decision.queued = 2;
	decision.running = 1;
	decision.price = 0.2;
	decision.alternatives = list;
	decision.n_alternatives = 3;
	bellows__v1__explain_reply__init(&reply);
	reply.job = queue.jobs[0];
	reply.decisions = decisions;
	reply.n_decisions = 1;
}

static void a_decision_has_its_numbers_and_alternatives(void)
{
	CLEANUP(free) char *text = NULL;

	begin();
	PRINTED(text, explain_print, &reply, NOON);
	CHECK_TEXT(
		text,
		"heat (job 1) is running: it wants 6 ranks, is granted 4, "
		"and runs on 2\n"
		"\n"
		"12:03:11 grant 2 -> 4: free slots save most time there "
		"(policy bellows; 3 slots free, 2 jobs wait, 1 runs); on 4 "
		"ranks it would end in 31 s +- 2.0 s, on 2 in 58 s; a rescale "
		"costs 0.2 s\n");
}

static void what_a_program_says_cannot_move_the_cursor(void)
{
	CLEANUP(free) char *text = NULL;

	begin();
	decision.kind = "\033[2J";
	decision.rule = "\033[2J";
	decision.policy = "\033[2J";
	decision.other = "\033[2J";
	reply.job->name = "\033[2J";
	reply.job->reason = "\033[2J";
	PRINTED(text, explain_print, &reply, NOON);
	CHECK(!strchr(text, '\033') &&
	      strstr(text, " in favour of ?[2J: ?[2J"));
}

static void a_job_that_waits_is_explained_too(void)
{
	CLEANUP(free) char *text = NULL;

	begin();
	reply.job = queue.jobs[1];
	reply.forgotten = 3;
	decision.at = NOW - MINUTES(60) * 24;
	decision.kind = "wait";
	decision.rule = "a job before it waits for slots";
	decision.other = "heat";
	decision.n_alternatives = 0;
	decision.price = 0;
	decision.step = 0.125;
	decision.left = 300;
	PRINTED(text, explain_print, &reply, NOON);
	CHECK_TEXT(
		text,
		"cold (job 2) is waiting: it is granted 0 ranks, and runs on "
		"0; 2 of "
		"the 4 slots that it needs are free\n"
		"\n"
		"3 older decisions are not kept\n"
		"2026-11-26 12:00:00 waits in favour of heat: a job before it "
		"waits for slots (policy bellows; 3 slots free, 2 jobs wait, 1 "
		"runs); a step takes 0.125 s on 2 ranks and 300 are left\n");
}

static void a_job_that_is_over_has_no_grant(void)
{
	CLEANUP(free) char *text = NULL;

	begin();
	reply.job->state = STATE(CANCELLED);
	reply.job->reason = "cancelled by hand";
	PRINTED(text, explain_print, &reply, NOON);
	CHECK(strncmp(text, "heat (job 1) is cancelled: cancelled by hand\n\n",
		      46) == 0);
}

static void a_job_without_decisions_says_so(void)
{
	CLEANUP(free) char *text = NULL;

	begin();
	reply.n_decisions = 0;
	PRINTED(text, explain_print, &reply, NOON);
	CHECK(strstr(text, "nothing was decided about it by then\n"));
}

static void an_instant_has_three_forms(void)
{
	static const struct {
		const char *text;
		uint64_t at;
	} right[] = {
		{"12:03:11", NOW + 191999},
		{"12:03", NOW + 180999},
		{"2026-11-27T12:03:11", NOW + 191999},
		{"2026-11-26 12:00:00", NOW - MINUTES(60) * 24 + 999},
		{"-10min", NOW - MINUTES(10)},
		{"-500ms", NOW - 500},
	};
	static const char *const wrong[] = {
		"",          "noon",    "25:00:00",
		"12:03:11x", "10min",   "2026-02-30 10:00:00",
		"-10",       "--10min",
	};
	struct error err;
	uint64_t at;

	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		if (instant_read(&at, right[i].text, NOON, &err) < 0 ||
		    at != right[i].at)
			note("read wrong", right[i].text);
		CHECK(instant_read(&at, right[i].text, NOON, &err) == 0);
		CHECK(at == right[i].at);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(instant_read(&at, wrong[i], NOON, &err) == -EINVAL);
	CHECK_TEXT(err.text, "'--10min' is no time such as 12:03:11, "
			     "2026-11-27T12:03:11 or -10min");
}

RUN_TESTS(TEST(a_decision_has_its_numbers_and_alternatives),
	  TEST(what_a_program_says_cannot_move_the_cursor),
	  TEST(a_job_that_waits_is_explained_too),
	  TEST(a_job_that_is_over_has_no_grant),
	  TEST(a_job_without_decisions_says_so),
	  TEST(an_instant_has_three_forms))
