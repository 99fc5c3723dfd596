/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "coordinator/service/internal.h"
#include "tests/unit/desk_crew.h"

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, min: 1, max: 4}\n"
			  "checkpoint: {dir: ck}\n";

enum { MANY = MEMBERS_MAX + 900 };

static struct ledger *ledger(void)
{
	return members_ledger(desk->c->driver->members);
}

/* The answer to JobInit of an executor "x". */
static enum rpc_code joins(uint64_t incarnation, uint64_t served)
{
	Bellows__V1__JobInitRequest request =
		BELLOWS__V1__JOB_INIT_REQUEST__INIT;
	struct rpc_call *call = desk_call(desk, CALL_JOB_INIT);
	enum rpc_code code;

	request.name = (char *)"x";
	request.incarnation = incarnation;
	request.slots = 1;
	request.cores = 1;
	request.served = served;
	desk_tell(call, &request.base);
	code = desk_answer(call)->code;
	desk_hang_up(call);
	return code;
}

static void ends(const char *name, uint64_t incarnation)
{
	Bellows__V1__EndExecRequest request =
		BELLOWS__V1__END_EXEC_REQUEST__INIT;
	struct rpc_call *call = desk_call(desk, CALL_END_EXEC);

	request.name = (char *)name;
	request.incarnation = incarnation;
	desk_tell(call, &request.base);
	desk_hang_up(call);
}

static void many_come_and_go(uint64_t first)
{
	unsigned refused = 0;

	for (uint64_t i = first; i < first + MANY; i++) {
		refused += joins(i, 0) != RPC_OK;
		ends("x", i);
	}
	CHECK(refused == 0);
	CHECK(ledger()->n == MEMBERS_MAX);
}

static void more_than_fit(struct desk *at, void *user)
{
	starts(at, 2);
	many_come_and_go(100);
	CHECK_TEXT(ledger()->members[0].name, "w0");
	CHECK_TEXT(ledger()->members[1].name, "w1");
	CHECK(at->c->driver->job.state == JOB_RUNNING);
}

static void more_executors_come_in_a_job_s_life_than_the_ledger_holds(void)
{
	CHECK(desk_run(job, more_than_fit, NULL));
}

static void lost_in_a_start(struct desk *at, void *user)
{
	starts(at, 2);
	ends("w1", 11);
	CHECK(at->c->driver->job.state == JOB_STOPPING);
	many_come_and_go(100);
	CHECK_TEXT(ledger()->members[1].name, "w1");
	CHECK(!member_is_alive(&ledger()->members[1]));
}

static void an_entry_that_a_start_refers_to_is_not_given_away(void)
{
	CHECK(desk_run(job, lost_in_a_start, NULL));
}

static void given_up_and_forgotten(struct desk *at, void *user)
{
	uint64_t here;

	starts(at, 2);
	here = at->c->service->incarnation;
	CHECK(joins(50, 0) == RPC_OK);
	CHECK(joins(50, here) == RPC_OK);
	ends("x", 50);
	CHECK(joins(50, here) == RPC_FAILED_PRECONDITION);
	many_come_and_go(100);
	CHECK(joins(50, here) == RPC_FAILED_PRECONDITION);
	CHECK(joins(51, here + 1) == RPC_OK); /* another coordinator's */
}

static void an_executor_that_was_given_up_is_stale_for_ever(void)
{
	CHECK(desk_run(job, given_up_and_forgotten, NULL));
}

static void output_of_another(struct desk *at, void *user)
{
	Bellows__V1__OutputChunk chunk = BELLOWS__V1__OUTPUT_CHUNK__INIT;
	struct rpc_call *call;

	starts(at, 2);
	call = desk_call(desk, CALL_OUTPUT);
	chunk.name = (char *)"w0";
	chunk.incarnation = 10;
	chunk.epoch = 1;
	chunk.data.data = (uint8_t *)"a\n";
	chunk.data.len = 2;
	desk_tell(call, &chunk.base);
	CHECK(!desk_answer(call)->is_over && at->printed == 2);
	/* its entry is another executor's by now, with the same index */
	ledger()->members[0].incarnation = 99;
	desk_tell(call, &chunk.base);
	CHECK(desk_answer(call)->code == RPC_NOT_FOUND && at->printed == 2);
}

static void output_is_not_taken_for_that_of_the_next_one_in_an_entry(void)
{
	CHECK(desk_run(job, output_of_another, NULL));
}

RUN_TESTS(TEST(more_executors_come_in_a_job_s_life_than_the_ledger_holds),
	  TEST(an_entry_that_a_start_refers_to_is_not_given_away),
	  TEST(an_executor_that_was_given_up_is_stale_for_ever),
	  TEST(output_is_not_taken_for_that_of_the_next_one_in_an_entry))
