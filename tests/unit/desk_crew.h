/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_DESK_CREW_H
#define TESTS_UNIT_DESK_CREW_H

/*
 * What executors w0, w1 and w2 say to a desk
 */

#include "proto/coordinator.h"
#include "tests/check.h"
#include "tests/unit/desk.h"

static struct desk *desk;
static struct rpc_call *streams[3]; /* of w0, w1 and w2 */

static UNUSED const struct desk_answer *introduce(const char *name,
						  uint64_t incarnation,
						  const char *address,
						  uint64_t claim)
{
	Bellows__V1__JobInitRequest request =
		BELLOWS__V1__JOB_INIT_REQUEST__INIT;
	struct rpc_call *call = desk_call(desk, CALL_JOB_INIT);

	request.name = (char *)name;
	request.incarnation = incarnation;
	request.address = (char *)address;
	request.slots = 1;
	request.cores = 1;
	request.claim = claim;
	desk_tell(call, &request.base);
	return desk_answer(call);
}

static UNUSED const struct desk_answer *
join(const char *name, uint64_t incarnation, const char *address)
{
	return introduce(name, incarnation, address, 0);
}

static UNUSED const struct desk_answer *
join_with_claim(const char *name, uint64_t incarnation, uint64_t claim)
{
	return introduce(name, incarnation, "", claim);
}

static UNUSED void report(int number, Bellows__V1__Report *what)
{
	char name[] = "w0";

	name[1] = (char)('0' + number);
	what->name = name;
	what->incarnation = 10 + (uint64_t)number;
	if (!streams[number])
		streams[number] = desk_call(desk, CALL_ACTIVE_SERVER);
	desk_tell(streams[number], &what->base);
}

static UNUSED void is_probed(int number, const char *failure,
			     unsigned exit_code)
{
	Bellows__V1__Probed probed = BELLOWS__V1__PROBED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	probed.token = (uint64_t)number + 1;
	probed.failure = (char *)failure;
	probed.exit_code = exit_code;
	r.what_case = BELLOWS__V1__REPORT__WHAT_PROBED;
	r.probed = &probed;
	report(number, &r);
}

static UNUSED void arrives(int number, unsigned epoch, unsigned rank)
{
	Bellows__V1__GateArrived gate = BELLOWS__V1__GATE_ARRIVED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	gate.epoch = epoch;
	gate.rank = rank;
	r.what_case = BELLOWS__V1__REPORT__WHAT_GATE_ARRIVED;
	r.gate_arrived = &gate;
	report(number, &r);
}

static UNUSED void is_up(int number, unsigned epoch, unsigned rank,
			 unsigned ranks)
{
	Bellows__V1__RanksUp up = BELLOWS__V1__RANKS_UP__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	up.epoch = epoch;
	up.rank = &rank;
	up.n_rank = ranks;
	r.what_case = BELLOWS__V1__REPORT__WHAT_RANKS_UP;
	r.ranks_up = &up;
	report(number, &r);
}

static UNUSED void is_gone(int number, unsigned epoch)
{
	Bellows__V1__RanksGone gone = BELLOWS__V1__RANKS_GONE__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	gone.epoch = epoch;
	r.what_case = BELLOWS__V1__REPORT__WHAT_RANKS_GONE;
	r.ranks_gone = &gone;
	report(number, &r);
}

static UNUSED const struct desk_answer *
prints_text(const char *name, uint64_t incarnation, unsigned epoch,
	    unsigned rank, const char *text)
{
	Bellows__V1__OutputChunk chunk = BELLOWS__V1__OUTPUT_CHUNK__INIT;
	struct rpc_call *call = desk_call(desk, CALL_OUTPUT);

	chunk.name = (char *)name;
	chunk.incarnation = incarnation;
	chunk.epoch = epoch;
	chunk.rank = rank;
	chunk.data.data = (uint8_t *)text;
	chunk.data.len = strlen(text);
	desk_tell(call, &chunk.base);
	return desk_answer(call);
}

/* The first step of parint, as one of its ranks prints it. */
static UNUSED const struct desk_answer *
prints(const char *name, uint64_t incarnation, unsigned epoch, unsigned rank)
{
	return prints_text(name, incarnation, epoch, rank,
			   "parint: iteration 1 of 2\n");
}

static UNUSED const struct desk_answer *
judges(const char *name, uint64_t incarnation, unsigned epoch)
{
	Bellows__V1__CheckpointReport verdict =
		BELLOWS__V1__CHECKPOINT_REPORT__INIT;
	struct rpc_call *call = desk_call(desk, CALL_CHECKPOINTING);

	verdict.name = (char *)name;
	verdict.incarnation = incarnation;
	verdict.epoch = epoch;
	verdict.complete = verdict.newer = true;
	desk_tell(call, &verdict.base);
	return desk_answer(call);
}

static UNUSED void come(int number)
{
	char name[] = "w0";

	name[1] = (char)('0' + number);
	join(name, 10 + (uint64_t)number, "");
	is_probed(number, "", 0);
}

/* w0 and as many as there are to be come, and have a rank of start 1 each. */
static UNUSED void starts(struct desk *at, unsigned n)
{
	desk = at;
	memset(streams, 0, sizeof(streams));
	for (unsigned i = 0; i < n; i++)
		come((int)i);
	for (unsigned i = 0; i < n; i++)
		arrives((int)i, 1, i);
	for (unsigned i = 0; i < n; i++)
		is_up((int)i, 1, i, 1);
}

/* The last order on its stream is to stop start 1, by SIGKILL or not. */
static UNUSED bool is_stopped(int number, bool kill)
{
	const struct desk_answer *answer = desk_answer(streams[number]);
	Bellows__V1__Order *order =
		bellows__v1__order__unpack(NULL, answer->size, answer->last);
	bool is = order && order->what_case == BELLOWS__V1__ORDER__WHAT_STOP &&
		  order->stop->epoch == 1 && order->stop->kill == kill;

	bellows__v1__order__free_unpacked(order, NULL);
	return is;
}

/* Somebody asks for that size. */
static UNUSED void scale(unsigned ranks)
{
	Bellows__V1__ScaleRequest request = BELLOWS__V1__SCALE_REQUEST__INIT;

	request.size_case = BELLOWS__V1__SCALE_REQUEST__SIZE_RANKS;
	request.ranks = ranks;
	desk_tell(desk_call(desk, CALL_SCALE), &request.base);
}

/* The message of the job, which lives until the next call; NULL: there is none.
 */
static UNUSED const Bellows__V1__Job *get_job(struct desk *at)
{
	Bellows__V1__GetJobRequest request = BELLOWS__V1__GET_JOB_REQUEST__INIT;
	struct rpc_call *call = desk_call(at, CALL_GET_JOB);
	static Bellows__V1__Job *job;
	const struct desk_answer *answer;

	desk_tell(call, &request.base);
	answer = desk_answer(call);
	bellows__v1__job__free_unpacked(job, NULL);
	job = bellows__v1__job__unpack(NULL, answer->size, answer->last);
	return job;
}

#endif
