/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "jobfile/exit.h"
#include "tests/check.h"
#include "tests/unit/desk_crew.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, max: 4}\n"
			  "checkpoint: {dir: ck}\n";

static void logs(int number, unsigned epoch, char *line)
{
	Bellows__V1__LogLines log = BELLOWS__V1__LOG_LINES__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	log.epoch = epoch;
	log.line = &line;
	log.n_line = 1;
	r.what_case = BELLOWS__V1__REPORT__WHAT_LOG_LINES;
	r.log_lines = &log;
	report(number, &r);
}

/* ---- the job ---- */

static bool was_refuted(int number, const char *sentence)
{
	const struct desk_answer *answer = desk_answer(streams[number]);

	if (answer->is_over && answer->code == RPC_PERMISSION_DENIED &&
	    strcmp(answer->text, sentence) == 0)
		return true;
	note("got", answer->is_over ? answer->text : "no end");
	note("expected", sentence);
	return false;
}

static bool is_refused(const struct desk_answer *answer, enum rpc_code code,
		       const char *sentence)
{
	if (answer->is_over && answer->code == code &&
	    strstr(answer->text, sentence))
		return true;
	note("got", answer->is_over ? answer->text : "no end");
	note("expected", sentence);
	return false;
}

/* Nothing has come of a lie. */
static bool computes(void)
{
	return desk->c->driver->job.state == JOB_RUNNING &&
	       desk->c->driver->job.epoch == 1 &&
	       !desk_answer(streams[0])->is_over;
}

/* The same without the stream of one of them. */
static bool computes_without(int number)
{
	return !streams[number] && desk->c->driver->job.state == JOB_RUNNING &&
	       desk->c->driver->job.epoch == 1;
}

/* w0 and w1 have ranks 0 and 1 of start 1, w2 has none. */
static void begin(struct desk *at)
{
	starts(at, 2);
	come(2);
}

/* ---- tests ---- */

static void others_ranks(struct desk *at, void *user)
{
	begin(at);
	CHECK(computes());
	is_up(2, 1, 1, 1);
	CHECK(was_refuted(2, "w2 speaks of its ranks of start 1, and has "
			     "none"));
	is_up(1, 1, 0, 1);
	CHECK(was_refuted(1, "w1 speaks of rank 0 of start 1, which is not "
			     "its own: it has 1 of 2 ranks"));
	CHECK(computes());
}

static void reports_about_ranks_of_others_are_refused(void)
{
	CHECK(desk_run(job, others_ranks, NULL));
}

static void others_gates(struct desk *at, void *user)
{
	begin(at);
	arrives(1, 1, 0);
	CHECK(was_refuted(1, "w1 speaks of rank 0 of start 1, which is not "
			     "its own: it has 1 of 2 ranks"));
	CHECK(computes());
}

static void a_gate_that_is_open_is_not_reached_again_elsewhere(void)
{
	CHECK(desk_run(job, others_gates, NULL));
}

static void no_such_start(struct desk *at, void *user)
{
	begin(at);
	is_gone(2, 9);
	CHECK(was_refuted(2, "w2 speaks of start 9, which never was: the "
			     "newest is 1"));
	is_gone(1, 0);
	CHECK(was_refuted(1, "w1 speaks of start 0, which never was: the "
			     "newest is 1"));
	CHECK(computes());
}

static void reports_about_starts_that_never_were_are_refused(void)
{
	CHECK(desk_run(job, no_such_start, NULL));
}

static void said_again(struct desk *at, void *user)
{
	begin(at);
	arrives(0, 1, 0);
	is_up(0, 1, 0, 1);
	is_up(0, 1, 0, 0); /* its rank has ended meanwhile */
	CHECK(computes());
	CHECK(!desk->c->driver->app_ended);
}

static void what_was_true_may_be_said_again(void)
{
	CHECK(desk_run(job, said_again, NULL));
}

static void others_output(struct desk *at, void *user)
{
	begin(at);
	CHECK(is_refused(prints("w2", 12, 1, 0), RPC_PERMISSION_DENIED,
			 "w2 speaks of rank 0 of start 1"));
	CHECK(is_refused(prints("w1", 11, 1, 0), RPC_PERMISSION_DENIED,
			 "w1 speaks of rank 0 of start 1"));
	CHECK(is_refused(prints("w1", 11, 7, 1), RPC_PERMISSION_DENIED,
			 "w1 speaks of start 7"));
	CHECK(is_refused(prints("w1", 99, 1, 1), RPC_NOT_FOUND,
			 "executor 'w1' has not joined"));
	CHECK(is_refused(prints("", 0, 1, 0), RPC_NOT_FOUND,
			 "executor '' has not joined"));
	CHECK(desk->printed == 0 && desk->c->driver->history->step == 0);
	CHECK(!prints("w1", 11, 1, 1)->is_over);
	CHECK(!prints("w0", 10, 1, 0)->is_over);
	CHECK(desk->printed == 50 && desk->c->driver->history->step == 1);
	CHECK(computes());
}

static void ranks_print_where_they_are(void)
{
	CHECK(desk_run(job, others_output, NULL));
}

static void others_log(struct desk *at, void *user)
{
	begin(at);
	logs(1, 1, "parint: iteration 1 of 2");
	CHECK(was_refuted(1, "w1 speaks of rank 0 of start 1, which is not "
			     "its own: it has 1 of 2 ranks"));
	CHECK(desk->c->driver->history->step == 0);
	logs(0, 1, "parint: iteration 1 of 2");
	CHECK(desk->c->driver->history->step == 1 && computes());
}

static void the_log_is_read_where_rank_0_is(void)
{
	CHECK(desk_run(job, others_log, NULL));
}

static void others_verdict(struct desk *at, void *user)
{
	begin(at);
	scale(1);
	arrives(0, 2, 0);
	CHECK(desk->c->driver->job.state == JOB_SAVING);
	CHECK(is_refused(judges("w1", 11, 1), RPC_PERMISSION_DENIED,
			 "w1 speaks of rank 0 of start 1"));
	CHECK(is_refused(judges("w0", 99, 1), RPC_NOT_FOUND,
			 "executor 'w0' has not joined"));
	CHECK(is_refused(judges("w0", 10, 3), RPC_PERMISSION_DENIED,
			 "w0 speaks of start 3"));
	CHECK(desk->c->driver->job.state == JOB_SAVING);
	CHECK(judges("w0", 10, 1)->code == RPC_OK);
	CHECK(desk->c->driver->job.state == JOB_STOPPING);
}

static void only_the_executor_of_rank_0_judges_a_checkpoint(void)
{
	CHECK(desk_run(job, others_verdict, NULL));
}

static void same_name(struct desk *at, void *user)
{
	begin(at);
	CHECK(is_refused(join("w0", 99, ""), RPC_ALREADY_EXISTS,
			 "name: another executor is called w0, and was heard"));
	CHECK(join("w0", 10, "")->code == RPC_OK);
	CHECK(computes());
}

static void an_executor_that_is_there_keeps_its_name(void)
{
	CHECK(desk_run(job, same_name, NULL));
}

/* ---- the name of an executor whose stream has broken ---- */

static void stream_breaks(int number)
{
	desk_hang_up(streams[number]);
	streams[number] = NULL;
}

/* From what was heard last, with what is added to the lease. */
static msec_t lease(void)
{
	return members_lease(desk->c->driver->members) + MSEC(250);
}

static struct member *w0(void)
{
	return &members_ledger(desk->c->driver->members)->members[0];
}

static void name_in_lease(struct desk *at, void *user)
{
	begin(at);
	stream_breaks(0);
	CHECK(is_refused(join("w0", 99, ""), RPC_ALREADY_EXISTS,
			 "the name w0 is still leased for 3 s: ranks of the "
			 "former executor may compute"));
	w0()->heard -= lease() - SECONDS(1);
	CHECK(is_refused(join("w0", 99, ""), RPC_ALREADY_EXISTS,
			 "the name w0 is still leased for 1 s"));
	CHECK(computes_without(0));
	w0()->heard -= SECONDS(1);
	CHECK(join("w0", 99, "")->code == RPC_OK);
	CHECK(at->c->driver->job.state == JOB_STOPPING);
	CHECK(is_refused(join("w0", 10, ""), RPC_FAILED_PRECONDITION,
			 "left the job or was given up"));
}

static void a_name_is_given_away_when_the_lease_of_its_holder_is_over(void)
{
	CHECK(desk_run(job, name_in_lease, NULL));
}

static void comes_back(struct desk *at, void *user)
{
	begin(at);
	stream_breaks(0);
	CHECK(join("w0", 10, "")->code == RPC_OK);
	CHECK(computes_without(0));
}

static void an_executor_that_comes_back_has_its_name_at_once(void)
{
	CHECK(desk_run(job, comes_back, NULL));
}

static void has_no_ranks(struct desk *at, void *user)
{
	begin(at);
	stream_breaks(2);
	CHECK(join("w2", 99, "")->code == RPC_OK);
	CHECK(computes());
}

static void the_name_of_an_executor_without_ranks_is_free_at_once(void)
{
	CHECK(desk_run(job, has_no_ranks, NULL));
}

static void claims(struct desk *at, void *user)
{
	begin(at);
	w0()->claim = 7;
	CHECK(is_refused(join_with_claim("w0", 99, 7), RPC_ALREADY_EXISTS,
			 "another executor is called w0"));
	stream_breaks(0);
	CHECK(is_refused(join_with_claim("w0", 99, 8), RPC_ALREADY_EXISTS,
			 "the name w0 is still leased"));
	CHECK(is_refused(join_with_claim("w0", 99, 0), RPC_ALREADY_EXISTS,
			 "the name w0 is still leased"));
	CHECK(computes_without(0));
	CHECK(join_with_claim("w0", 99, 7)->code == RPC_OK);
	CHECK(at->c->driver->job.state == JOB_STOPPING);
}

static void one_that_holds_the_claim_of_the_former_has_its_name_at_once(void)
{
	CHECK(desk_run(job, claims, NULL));
}

static void beats(struct desk *at, void *user)
{
	Bellows__V1__Heartbeat heartbeat = BELLOWS__V1__HEARTBEAT__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;
	const struct desk_answer *answer;
	Bellows__V1__Order *order;

	begin(at);
	heartbeat.sent = 4242;
	r.what_case = BELLOWS__V1__REPORT__WHAT_HEARTBEAT;
	r.heartbeat = &heartbeat;
	report(0, &r);
	answer = desk_answer(streams[0]);
	order = bellows__v1__order__unpack(NULL, answer->size, answer->last);
	CHECK(order && order->what_case == BELLOWS__V1__ORDER__WHAT_LEASE);
	CHECK(order->lease->sent == 4242);
	bellows__v1__order__free_unpacked(order, NULL);
}

static void a_heartbeat_is_answered_with_its_own_time(void)
{
	CHECK(desk_run(job, beats, NULL));
}

static void bad_addresses(struct desk *at, void *user)
{
	static const char *const wrong[] = {
		"10.0.0.1\n127.1.0.1 slots=9",
		"10.0.0.1 -oProxyCommand=x",
		"\x1b[2J",
		"\xc3\xa4",
		"0123456789012345678901234567890123456789012345678901234567890"
		"123456789012345678901234567890123456789012345678901234567890"
		"1234567890",
	};

	desk = at;
	for (size_t i = 0; i < COUNT(wrong); i++)
		CHECK(is_refused(join("w0", 1, wrong[i]), RPC_INVALID_ARGUMENT,
				 "address: at most 127 printable characters "
				 "without blanks"));
	CHECK(members_ledger(desk->c->driver->members)->n == 0);
}

static void addresses_are_words(void)
{
	CHECK(desk_run(job, bad_addresses, NULL));
}

static void bad_exit_code(struct desk *at, void *user)
{
	desk = at;
	memset(streams, 0, sizeof(streams));
	join("w0", 10, "");
	is_probed(0, "no such program", *(unsigned *)user);
	CHECK(desk->c->driver->job.state == JOB_FAILED);
	CHECK(desk->c->driver->exit_code == EXIT_INTERNAL);
}

static void an_exit_code_is_none_that_would_read_as_success(void)
{
	unsigned codes[] = {0, 256, 512, 1u << 31, UINT32_MAX};

	for (size_t i = 0; i < COUNT(codes); i++)
		CHECK(desk_run(job, bad_exit_code, &codes[i]));
}

RUN_TESTS(TEST(reports_about_ranks_of_others_are_refused),
	  TEST(a_gate_that_is_open_is_not_reached_again_elsewhere),
	  TEST(reports_about_starts_that_never_were_are_refused),
	  TEST(what_was_true_may_be_said_again),
	  TEST(ranks_print_where_they_are),
	  TEST(the_log_is_read_where_rank_0_is),
	  TEST(only_the_executor_of_rank_0_judges_a_checkpoint),
	  TEST(an_executor_that_is_there_keeps_its_name),
	  TEST(a_name_is_given_away_when_the_lease_of_its_holder_is_over),
	  TEST(an_executor_that_comes_back_has_its_name_at_once),
	  TEST(the_name_of_an_executor_without_ranks_is_free_at_once),
	  TEST(one_that_holds_the_claim_of_the_former_has_its_name_at_once),
	  TEST(a_heartbeat_is_answered_with_its_own_time),
	  TEST(addresses_are_words),
	  TEST(an_exit_code_is_none_that_would_read_as_success))
