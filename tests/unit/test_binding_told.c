/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "coordinator/service/internal.h"
#include "tests/unit/desk_crew.h"

#define JOB(placement)                                                         \
	"name: heat\napp: parint\n"                                            \
	"command: [parint, --array-size, 64]\n"                                \
	"ranks: {initial: 2, min: 1, max: 4}\n"                                \
	"restarts: 0\n"                                                        \
	"checkpoint: {dir: ck}\n"                                              \
	"placement: {" placement "}\n"

static const char lenient[] = JOB("bind: core");
static const char strict[] = JOB("bind: core, strict: true");

/* On one machine, with the processors 0 to cores - 1. */
static void comes(int number, unsigned cores)
{
	static char *const processors[] = {"0", "1"};
	Bellows__V1__TopologyCore core[2], *at[2];
	Bellows__V1__TopologyDomain domain, *domains[] = {&domain};
	Bellows__V1__Topology topology = BELLOWS__V1__TOPOLOGY__INIT;
	Bellows__V1__JobInitRequest request =
		BELLOWS__V1__JOB_INIT_REQUEST__INIT;
	char name[] = "w0";

	bellows__v1__topology_domain__init(&domain);
	for (unsigned i = 0; i < cores; i++) {
		bellows__v1__topology_core__init(&core[i]);
		core[i].id = i;
		core[i].processors = processors[i];
		at[i] = &core[i];
	}
	domain.core = at;
	domain.n_core = cores;
	topology.cores = true;
	topology.domain = domains;
	topology.n_domain = 1;
	name[1] = (char)('0' + number);
	request.name = name;
	request.incarnation = 10 + (uint64_t)number;
	request.slots = request.cores = 1;
	request.topology = &topology;
	desk_tell(desk_call(desk, CALL_JOB_INIT), &request.base);
	is_probed(number, "", 0);
}

static void both_come(struct desk *at, unsigned cores)
{
	desk = at;
	memset(streams, 0, sizeof(streams));
	comes(0, cores);
	comes(1, cores);
}

static void arrives_on(int number, const char *processors)
{
	Bellows__V1__GateArrived gate = BELLOWS__V1__GATE_ARRIVED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	gate.epoch = 1;
	gate.rank = (unsigned)number;
	gate.processors = (char *)processors;
	r.what_case = BELLOWS__V1__REPORT__WHAT_GATE_ARRIVED;
	r.gate_arrived = &gate;
	report(number, &r);
}

static bool is_noticed(const char *text)
{
	const Bellows__V1__Job *now = get_job(desk);

	for (size_t i = 0; i < now->n_notices; i++)
		if (now->notices[i]->kind ==
			    BELLOWS__V1__NOTICE_KIND__NOTICE_UNBOUND &&
		    strcmp(now->notices[i]->text, text) == 0)
			return true;
	return false;
}

static void as_planned(struct desk *at, void *user)
{
	both_come(at, 2);
	CHECK_TEXT(get_job(at)->binding, "");
	arrives_on(0, "0");
	arrives_on(1, "1");
	CHECK_TEXT(get_job(at)->binding, "");
	is_up(0, 1, 0, 1);
	is_up(1, 1, 1, 1);
	CHECK(at->c->driver->job.state == JOB_RUNNING);
	CHECK_TEXT(get_job(at)->binding, "0=0 1=1");
	CHECK(get_job(at)->n_notices == 0);
}

static void ranks_that_are_bound_as_planned_are_shown(void)
{
	CHECK(desk_run(lenient, as_planned, NULL));
}

static void elsewhere(struct desk *at, void *user)
{
	both_come(at, 2);
	arrives_on(0, "0");
	arrives_on(1, "0-1");
	CHECK(at->c->driver->job.state == JOB_FAILED);
	CHECK_TEXT(get_job(at)->reason,
		   "rank 1 is bound to processors 0-1, planned was 1");
}

static void a_rank_that_is_bound_elsewhere_fails_its_start(void)
{
	CHECK(desk_run(lenient, elsewhere, NULL));
}

static void too_few(struct desk *at, void *user)
{
	both_come(at, 1);
	CHECK(is_noticed("some ranks are not bound to a core each: executor w0 "
			 "and those that share its processors: 2 ranks have 1 "
			 "core"));
	arrives_on(0, "0");
	arrives_on(1, "0");
	is_up(0, 1, 0, 1);
	is_up(1, 1, 1, 1);
	CHECK_TEXT(get_job(at)->binding, "0-1=0");
}

static void too_few_cores_are_told_and_the_job_runs(void)
{
	CHECK(desk_run(lenient, too_few, NULL));
}

static void refused(struct desk *at, void *user)
{
	both_come(at, 1);
	CHECK(at->c->driver->job.state == JOB_FAILED && at->runs == 0);
	CHECK_TEXT(
		get_job(at)->reason,
		"ranks cannot be bound to a core each: executor w0 and those "
		"that share its processors: 2 ranks have 1 core");
}

static void too_few_cores_are_no_start_where_it_is_strict(void)
{
	CHECK(desk_run(strict, refused, NULL));
}

static void no_list(struct desk *at, void *user)
{
	both_come(at, 2);
	arrives_on(1, "1;rm");
	CHECK(desk_answer(streams[1])->code == RPC_PERMISSION_DENIED);
	CHECK_TEXT(desk_answer(streams[1])->text,
		   "w1 speaks of processors \"1;rm\", which is no list of "
		   "numbers below 1024");
	CHECK(at->c->driver->job.state == JOB_STARTING);
}

static void what_is_no_list_of_processors_is_not_believed(void)
{
	CHECK(desk_run(lenient, no_list, NULL));
}

RUN_TESTS(TEST(ranks_that_are_bound_as_planned_are_shown),
	  TEST(a_rank_that_is_bound_elsewhere_fails_its_start),
	  TEST(too_few_cores_are_told_and_the_job_runs),
	  TEST(too_few_cores_are_no_start_where_it_is_strict),
	  TEST(what_is_no_list_of_processors_is_not_believed))
