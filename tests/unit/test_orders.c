/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "tests/unit/desk_crew.h"

/*
 * What the coordinator sends to an executor whose stream has broken
 */

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, max: 4}\n"
			  "checkpoint: {dir: ck}\n";

/* Of w1, once it has a rank of start 1. */
enum { PROBE = 1, OPEN, SAVE };

static void stream_breaks(int number)
{
	desk_hang_up(streams[number]);
	streams[number] = NULL;
}

/* orders: of which it confirms that it has taken them; -1: an older executor,
 * which confirms none. */
static void beats(int number, int orders)
{
	Bellows__V1__Heartbeat heartbeat = BELLOWS__V1__HEARTBEAT__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	heartbeat.ranks = 1;
	if (orders >= 0) {
		heartbeat.taken_case = BELLOWS__V1__HEARTBEAT__TAKEN_ORDERS;
		heartbeat.orders = (uint64_t)orders;
	}
	r.what_case = BELLOWS__V1__REPORT__WHAT_HEARTBEAT;
	r.heartbeat = &heartbeat;
	report(number, &r);
}

static void has_begun_to_save(int number, unsigned epoch, uint64_t of_report)
{
	Bellows__V1__SaveBegun begun = BELLOWS__V1__SAVE_BEGUN__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	begun.epoch = epoch;
	r.number = of_report;
	r.what_case = BELLOWS__V1__REPORT__WHAT_SAVE_BEGUN;
	r.save_begun = &begun;
	report(number, &r);
}

/* The number of the last report of an executor that the last answer, which is a
 * lease, confirms. */
static uint64_t confirmed(int number)
{
	const struct desk_answer *answer = desk_answer(streams[number]);
	Bellows__V1__Order *order =
		bellows__v1__order__unpack(NULL, answer->size, answer->last);
	uint64_t reports = UINT64_MAX;

	if (order && order->what_case == BELLOWS__V1__ORDER__WHAT_LEASE)
		reports = order->lease->reports;
	bellows__v1__order__free_unpacked(order, NULL);
	return reports;
}

static unsigned answers(int number)
{
	return desk_answer(streams[number])->n;
}

/* w1 is away while its ranks are to save. */
static void begin(struct desk *at)
{
	starts(at, 2);
	scale(1);
	arrives(0, 2, 0);
	stream_breaks(1);
	has_begun_to_save(0, 1, 1);
}

static void away(struct desk *at, void *user)
{
	begin(at);
	CHECK(at->c->driver->job.state == JOB_SAVING);
	beats(1, OPEN);
	CHECK(answers(1) == 2); /* the order to save, and a lease */
	stream_breaks(1);
	beats(1, OPEN);
	CHECK(answers(1) == 2);
	beats(1, SAVE);
	CHECK(answers(1) == 3);
	stream_breaks(1);
	beats(1, SAVE);
	CHECK(answers(1) == 1);
}

static void an_order_is_sent_again_until_it_is_confirmed(void)
{
	CHECK(desk_run(job, away, NULL));
}

static void older(struct desk *at, void *user)
{
	begin(at);
	beats(1, -1);
	CHECK(answers(1) == 2);
	stream_breaks(1);
	beats(1, -1);
	CHECK(answers(1) == 1);
}

static void an_older_executor_gets_what_was_ordered_while_it_was_away(void)
{
	CHECK(desk_run(job, older, NULL));
}

static void repeated(struct desk *at, void *user)
{
	begin(at);
	beats(1, OPEN);
	has_begun_to_save(0, 1, 1);
	CHECK(answers(1) == 2);
	beats(0, 0);
	CHECK(confirmed(0) == 1);
	has_begun_to_save(0, 1, 2);
	CHECK(answers(1) == 3);
	beats(0, 0);
	CHECK(confirmed(0) == 2);
}

static void a_report_is_taken_once_and_confirmed(void)
{
	CHECK(desk_run(job, repeated, NULL));
}

/* Rank 0 has saved and left, the other one is there. */
static void begins_to_stop(struct desk *at)
{
	Bellows__V1__CancelRequest request = BELLOWS__V1__CANCEL_REQUEST__INIT;

	starts(at, 2);
	request.save = true;
	desk_tell(desk_call(desk, CALL_CANCEL), &request.base);
	has_begun_to_save(0, 1, 1);
	judges("w0", 10, 1);
	CHECK(at->c->driver->job.state == JOB_STOPPING);
}

static void is_in_no_need(struct desk *at, void *user)
{
	begins_to_stop(at);
	CHECK(is_stopped(1, true));
}

static void ranks_are_killed_once_the_one_that_writes_has_left(void)
{
	CHECK(desk_run("name: water\napp: gromacs\n"
		       "command: [gmx_mpi, mdrun]\nranks: {initial: 2}\n"
		       "checkpoint: {dir: ck}\n",
		       is_in_no_need, NULL));
}

static void may_write(struct desk *at, void *user)
{
	begins_to_stop(at);
	CHECK(is_stopped(1, false));
}

static void ranks_that_may_write_leave_by_themselves(void)
{
	CHECK(desk_run(job, may_write, NULL));
}

RUN_TESTS(TEST(an_order_is_sent_again_until_it_is_confirmed),
	  TEST(an_older_executor_gets_what_was_ordered_while_it_was_away),
	  TEST(a_report_is_taken_once_and_confirmed),
	  TEST(ranks_are_killed_once_the_one_that_writes_has_left),
	  TEST(ranks_that_may_write_leave_by_themselves))
