/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/fake_coordinator.h"

#define RUNNING BELLOWS__V1__STATE__RUNNING
#define GROWING BELLOWS__V1__STATE__GROWING

#define JOB                                                                    \
	"name: heat\n"                                                         \
	"app: generic\n"                                                       \
	"command: [sleep, '1000']\n"                                           \
	"checkpoint: {dir: ckpt}\n"                                            \
	"generic: {files: ['*'], proof: none}\n"                               \
	"ranks: {initial: 2, min: 1, max: 8}\n"

#define SCHEDULE                                                               \
	JOB "scale:\n"                                                         \
	    "  schedule:\n"                                                    \
	    "    - {at: 30%, ranks: 4}\n"                                      \
	    "    - {at: 60%, ranks: 2}\n"

#define BY_TIME                                                                \
	JOB "scale:\n"                                                         \
	    "  schedule:\n"                                                    \
	    "    - {at: 500ms, ranks: 4}\n"

static const char *const nothing[] = {NULL};

static void the_executors_wanted_are_held_and_leave_with_the_job(void)
{
	CHECK(begin(JOB));
	CHECK(run_monitor(nothing));
	tell(BELLOWS__V1__STATE__WAITING, 0, -1, 2);
	CHECK(UNTIL(count("alive") == 2));
	tell(GROWING, 2, -1, 3);
	CHECK(UNTIL(count("alive") == 3));
	CHECK(count("tmp") == 1);

	tell(BELLOWS__V1__STATE__DONE, 3, 1, 0);
	pass(300);
	CHECK(monitor > 0 && count("alive") == 3);
	write_file(at("over"), "", 0644);
	CHECK(UNTIL(monitor == 0));
	CHECK(monitor_status == 0);
	CHECK(count("alive") == 0 && count("tmp") == 0);
	end();
}

static void a_stream_that_ends_with_ok_is_the_end_of_the_job(void)
{
	CHECK(begin(JOB));
	CHECK(run_monitor(nothing));
	tell(RUNNING, 1, -1, 1);
	CHECK(UNTIL(count("alive") == 1 && watcher));
	rpc_call_end(watcher, RPC_OK, "%s", "");
	write_file(at("over"), "", 0644);
	CHECK(UNTIL(monitor == 0) && monitor_status == 0);
	CHECK(count("tmp") == 0);
	end();
}

static void a_broken_stream_is_opened_again_and_the_wish_stands(void)
{
	CHECK(begin(JOB));
	CHECK(run_monitor(nothing));
	tell(RUNNING, 2, -1, 2);
	CHECK(UNTIL(count("alive") == 2 && watcher));
	for (int i = 0; i < 3; i++) {
		struct rpc_call *broken = watcher;

		rpc_call_end(broken, RPC_UNAVAILABLE, "again");
		watcher = NULL;
		CHECK(UNTIL(watcher));
	}
	CHECK_TEXT(trace, "watch watch watch watch ");
	CHECK(count("alive") == 2);
	tell(RUNNING, 3, -1, 3);
	CHECK(UNTIL(count("alive") == 3));
	end();
}

static void a_coordinator_that_comes_back_in_time_is_found(void)
{
	CHECK(begin(JOB));
	CHECK(run_monitor(nothing));
	tell(RUNNING, 2, -1, 2);
	CHECK(UNTIL(count("alive") == 2));
	server = rpc_server_destroy(server);
	pass(700);
	CHECK(count("alive") == 2);
	CHECK(serve());
	tell(RUNNING, 3, -1, 3);
	CHECK(UNTIL(count("alive") == 3));
	end();
}

static void a_coordinator_that_stays_away_ends_the_monitor(void)
{
	CHECK(begin(JOB));
	CHECK(run_monitor(nothing));
	tell(RUNNING, 2, -1, 2);
	CHECK(UNTIL(count("alive") == 2));
	server = rpc_server_destroy(server);
	CHECK(UNTIL(monitor == 0));
	CHECK(monitor_status == 69);
	CHECK(count("alive") == 0 && count("tmp") == 0);
	end();
}

static void a_coordinator_that_never_came_ends_the_monitor(void)
{
	CHECK(begin(JOB));
	server = rpc_server_destroy(server);
	CHECK(run_monitor(nothing));
	CHECK(UNTIL(monitor == 0) && monitor_status == 69);
	CHECK(count("tmp") == 0);
	end();
}

static void sigterm_ends_the_executors_too(void)
{
	const char *more[] = {"--state", NULL, NULL};

	CHECK(begin(JOB));
	more[1] = at("state");
	CHECK(run_monitor(more));
	tell(RUNNING, 2, -1, 2);
	CHECK(UNTIL(count("alive") == 2 && count("state") == 2));
	kill(monitor, SIGTERM);
	CHECK(UNTIL(monitor == 0) && monitor_status == 128 + SIGTERM);
	CHECK(count("alive") == 0 && access(at("state"), F_OK) != 0);
	end();
}

static void a_step_of_the_schedule_is_asked_for_when_it_is_reached(void)
{
	CHECK(begin(SCHEDULE));
	CHECK(run_monitor(nothing));
	tell(RUNNING, 2, 0.1, 2);
	CHECK(UNTIL(count("alive") == 2));
	tell(RUNNING, 2, 0.29, 2);
	pass(100);
	CHECK_TEXT(trace, "watch ");
	tell(RUNNING, 2, 0.3, 2);
	CHECK(UNTIL(strcmp(trace, "watch scale=4 ") == 0));
	CHECK_TEXT(last_reason, "schedule: 30 % reached");
	CHECK_TEXT(last_id, "schedule-0-4-0");
	job.want = 4;
	tell(GROWING, 2, 0.61, 4);
	CHECK(UNTIL(strcmp(trace, "watch scale=4 scale=2 ") == 0));
	CHECK_TEXT(last_reason, "schedule: 60 % reached");
	end();
}

static void a_step_by_time_needs_no_message_of_the_job(void)
{
	msec_t began;

	CHECK(begin(BY_TIME));
	span.from = 4000;
	span.ranks = 2;
	job.spans = spans;
	job.n_spans = 1;
	job.age = 4200;
	CHECK(run_monitor(nothing));
	tell(RUNNING, 2, -1, 2);
	CHECK(UNTIL(watcher));
	began = loop_now();
	CHECK(UNTIL(strcmp(trace, "watch scale=4 ") == 0));
	CHECK(asked_at - began >= 250);
	CHECK_TEXT(last_reason, "schedule: 0.5 s computed");
	end();
}

static void a_size_that_is_declined_is_not_asked_for_again(void)
{
	CHECK(begin(SCHEDULE));
	answer = DECLINE;
	CHECK(run_monitor(nothing));
	tell(RUNNING, 2, 0.3, 2);
	CHECK(UNTIL(strcmp(trace, "watch scale=4 ") == 0));
	tell(RUNNING, 3, 0.32, 3);
	pass(700);
	CHECK_TEXT(trace, "watch scale=4 ");
	answer = ACCEPT;
	tell(RUNNING, 3, 0.6, 3);
	CHECK(UNTIL(strcmp(trace, "watch scale=4 scale=2 ") == 0));
	end();
}

static void a_size_that_an_older_coordinator_declined_is_asked_for_again(void)
{
	char first_id[128];

	CHECK(begin(SCHEDULE));
	answer = POSTPONE;
	CHECK(run_monitor(nothing));
	tell(RUNNING, 2, 0.3, 2);
	CHECK(UNTIL(strcmp(trace, "watch scale=4 ") == 0));
	memcpy(first_id, last_id, sizeof(first_id));
	answer = ACCEPT;
	CHECK(UNTIL(strcmp(trace, "watch scale=4 scale=4 ") == 0));
	CHECK(strcmp(first_id, last_id) != 0);
	end();
}

static void a_monitor_that_is_started_again_asks_with_the_same_id(void)
{
	char first_id[128];

	for (int life = 0; life < 2; life++) {
		CHECK(begin(SCHEDULE));
		CHECK(run_monitor(nothing));
		tell(RUNNING, 2, 0.3, 2);
		CHECK(UNTIL(strcmp(trace, "watch scale=4 ") == 0));
		if (life > 0)
			CHECK_TEXT(last_id, first_id);
		memcpy(first_id, last_id, sizeof(first_id));
		end();
	}
}

static void a_question_without_answer_is_repeated_with_the_same_id(void)
{
	char first_id[128];
	msec_t first_at;

	CHECK(begin(SCHEDULE));
	answer = BREAK;
	CHECK(run_monitor(nothing));
	tell(RUNNING, 2, 0.3, 2);
	CHECK(UNTIL(strcmp(trace, "watch scale=4 ") == 0));
	first_at = asked_at;
	memcpy(first_id, last_id, sizeof(first_id));
	answer = ACCEPT;
	CHECK(UNTIL(strcmp(trace, "watch scale=4 scale=4 ") == 0));
	CHECK_TEXT(last_id, first_id);
	CHECK(asked_at - first_at >= 490);
	end();
}

/* An executor that fails: given up after five starts. */
static void why_executors_do_not_come_is_told_until_it_is_heard(void)
{
	CHECK(begin(JOB));
	write_file(at("bellows-executor"), "#!/bin/sh\nexit 3\n", 0755);
	CHECK(run_monitor(nothing));
	tell(BELLOWS__V1__STATE__WAITING, 0, -1, 1);
	CHECK(UNTIL(troubles == 1));
	CHECK_TEXT(trouble, "5 starts of executors in a row failed, the last "
			    "one: exit code 3");
	job.trouble = trouble;
	tell(BELLOWS__V1__STATE__WAITING, 0, -1, 1);
	pass(300);
	CHECK(troubles == 1);

	/* a coordinator that forgot it hears it again */
	job.trouble = (char *)"";
	tell(BELLOWS__V1__STATE__WAITING, 0, -1, 1);
	CHECK(UNTIL(troubles == 2));
	job.trouble = trouble;
	tell(BELLOWS__V1__STATE__WAITING, 0, -1, 2);
	CHECK(UNTIL(troubles == 3) && *trouble == '\0');
	end();
}

static void what_is_wrong_at_the_start_has_a_status_of_its_own(void)
{
	const char *bad_option[] = {"--frobnicate", NULL};
	const char *bad_number[] = {"--patience", "soon", NULL};
	const char *bad_provider[] = {"--provider", "cloud", NULL};
	const struct {
		const char *job;
		const char *const *more;
		int status;
	} table[] = {
		{JOB, bad_option, 64},
		{JOB, bad_number, 64},
		{JOB, bad_provider, 64},
		{"name: [", nothing, 65},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		CHECK(begin(table[i].job));
		CHECK(run_monitor(table[i].more));
		CHECK(UNTIL(monitor == 0));
		CHECK(monitor_status == table[i].status);
	}
	CHECK(begin(JOB));
	unlink(at("bellows-executor"));
	CHECK(run_monitor(nothing));
	CHECK(UNTIL(monitor == 0) && monitor_status == 71);
	CHECK(count("tmp") == 0);
	end();
}

RUN_TESTS(TEST(the_executors_wanted_are_held_and_leave_with_the_job),
	  TEST(a_stream_that_ends_with_ok_is_the_end_of_the_job),
	  TEST(a_broken_stream_is_opened_again_and_the_wish_stands),
	  TEST(a_coordinator_that_comes_back_in_time_is_found),
	  TEST(a_coordinator_that_stays_away_ends_the_monitor),
	  TEST(a_coordinator_that_never_came_ends_the_monitor),
	  TEST(sigterm_ends_the_executors_too),
	  TEST(a_step_of_the_schedule_is_asked_for_when_it_is_reached),
	  TEST(a_step_by_time_needs_no_message_of_the_job),
	  TEST(a_size_that_is_declined_is_not_asked_for_again),
	  TEST(a_size_that_an_older_coordinator_declined_is_asked_for_again),
	  TEST(a_monitor_that_is_started_again_asks_with_the_same_id),
	  TEST(a_question_without_answer_is_repeated_with_the_same_id),
	  TEST(why_executors_do_not_come_is_told_until_it_is_heard),
	  TEST(what_is_wrong_at_the_start_has_a_status_of_its_own))
