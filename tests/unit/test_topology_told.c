/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "coordinator/job/internal.h"
#include "coordinator/service/internal.h"
#include "tests/unit/desk_crew.h"

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, min: 1, max: 4}\n"
			  "checkpoint: {dir: ck}\n";

/* Two domains of two cores each; a row changes one of them. */
struct machine {
	Bellows__V1__TopologyCore cores[4], *at[4];
	Bellows__V1__TopologyDomain domains[2], *domain[2];
	Bellows__V1__Topology topology;
};

static void make(struct machine *m)
{
	static char *const processors[] = {"0,4", "1,5", "2,6", "3,7"};

	bellows__v1__topology__init(&m->topology);
	for (unsigned i = 0; i < 4; i++) {
		bellows__v1__topology_core__init(&m->cores[i]);
		m->cores[i].id = i;
		m->cores[i].processors = processors[i];
		m->at[i] = &m->cores[i];
	}
	for (unsigned i = 0; i < 2; i++) {
		bellows__v1__topology_domain__init(&m->domains[i]);
		m->domains[i].package = m->domains[i].node = i;
		m->domains[i].memory = 1000;
		m->domains[i].n_core = 2;
		m->domains[i].core = &m->at[2 * i];
		m->domain[i] = &m->domains[i];
	}
	m->topology.packages = m->topology.cores = true;
	m->topology.l3 = 4096;
	m->topology.n_domain = 2;
	m->topology.domain = m->domain;
}

static const struct desk_answer *tell(const char *name,
				      Bellows__V1__Topology *topology)
{
	Bellows__V1__JobInitRequest request =
		BELLOWS__V1__JOB_INIT_REQUEST__INIT;
	struct rpc_call *call = desk_call(desk, CALL_JOB_INIT);

	request.name = (char *)name;
	request.incarnation = 7;
	request.slots = request.cores = 1;
	request.topology = topology;
	desk_tell(call, &request.base);
	return desk_answer(call);
}

static Bellows__V1__Job *job_now(void)
{
	struct rpc_call *call = desk_call(desk, CALL_GET_JOB);
	const struct desk_answer *answer;

	desk_say(call, NULL, 0);
	answer = desk_answer(call);
	return bellows__v1__job__unpack(NULL, answer->size, answer->last);
}

static void two_machines(struct desk *at, void *user)
{
	const Bellows__V1__MachineSummary *machine;
	struct machine m;
	Bellows__V1__Job *now;

	desk = at;
	make(&m);
	CHECK(tell("x", &m.topology)->code == RPC_OK);
	CHECK(tell("y", NULL)->code == RPC_OK);
	now = job_now();
	CHECK(now && now->n_members == 2);
	machine = now->members[0]->machine;
	CHECK(machine && machine->sockets == 2 && machine->numa_nodes == 2);
	CHECK(machine->cores == 4 && machine->memory == 2000);
	CHECK(machine->l2 == 0 && machine->l3 == 4096);
	CHECK_TEXT(machine->processors, "0-7");
	CHECK(!now->members[1]->machine);
	bellows__v1__job__free_unpacked(now, NULL);
}

static void what_an_executor_says_of_its_machine_is_shown(void)
{
	CHECK(desk_run(job, two_machines, NULL));
}

/* w0 says that it has this machine from now on. */
static void changes_to(struct machine *m)
{
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	r.what_case = BELLOWS__V1__REPORT__WHAT_TOPOLOGY;
	r.topology = &m->topology;
	report(0, &r);
}

static void a_smaller_machine(struct desk *at, void *user)
{
	static const char told[] =
		"executor w0 may use other processors now: 1 socket, 1 NUMA "
		"node, 2 cores, processors 0-1,4-5; a core with several "
		"processors counts once";
	const struct member *w0;
	struct machine m;
	Bellows__V1__Job *now;

	desk = at;
	make(&m);
	streams[0] = NULL;
	join("w0", 10, "");
	w0 = &members_ledger(at->c->driver->members)->members[0];
	CHECK(!w0->topology);
	m.topology.n_domain = 1;
	changes_to(&m);
	CHECK(w0->topology && w0->topology->n_cores == 2);
	now = job_now();
	CHECK(now && now->n_notices == 1);
	CHECK(now->notices[0]->kind ==
	      BELLOWS__V1__NOTICE_KIND__NOTICE_MACHINE);
	CHECK_TEXT(now->notices[0]->text, told);
	bellows__v1__job__free_unpacked(now, NULL);
}

static void processors_that_change_are_told_and_kept(void)
{
	CHECK(desk_run(job, a_smaller_machine, NULL));
}

static void a_lie(struct desk *at, void *user)
{
	const struct desk_answer *answer;
	struct machine m;

	desk = at;
	make(&m);
	streams[0] = NULL;
	join("w0", 10, "");
	m.topology.n_domain = 0;
	changes_to(&m);
	answer = desk_answer(streams[0]);
	CHECK(answer->code == RPC_PERMISSION_DENIED);
	CHECK_TEXT(answer->text, "topology: it has no domain");
}

static void a_change_that_cannot_be_ends_the_stream(void)
{
	CHECK(desk_run(job, a_lie, NULL));
}

static void no_list(struct machine *m)
{
	m->cores[3].processors = (char *)"3,x";
}

static void too_large(struct machine *m)
{
	m->cores[3].processors = (char *)"1024";
}

static void no_processor(struct machine *m)
{
	m->cores[2].processors = (char *)"";
}

static void of_another_core(struct machine *m)
{
	m->cores[3].processors = (char *)"3,4";
}

static void below_its_id(struct machine *m)
{
	m->cores[1].id = 4000000000;
}

static void no_domain(struct machine *m)
{
	m->topology.n_domain = 0;
}

static void no_core(struct machine *m)
{
	m->domains[1].n_core = 0;
}

static void twice(struct machine *m)
{
	m->domains[1].package = m->domains[1].node = 0;
}

static void in_part(struct machine *m)
{
	m->topology.partial = 5;
}

static void hostile(struct desk *at, void *user)
{
	static const struct {
		void (*change)(struct machine *m);
		const char *answer;
	} rows[] = {
		{no_list, "topology: domain 1: core 1: processors: \"3,x\" is "
			  "no list of numbers below 1024"},
		{too_large, "topology: domain 1: core 1: processors: \"1024\" "
			    "is no list of numbers below 1024"},
		{no_processor, "topology: domain 1: core 0: core 2 has no "
			       "processor"},
		{of_another_core, "topology: domain 1: core 1: core 3 has a "
				  "processor of another core"},
		{below_its_id, "topology: domain 0: core 1: core 4000000000 "
			       "has processor 1; it is named by its lowest"},
		{in_part, "topology: partial: 5 cores, of 4 that are there"},
		{no_domain, "topology: it has no domain"},
		{no_core, "topology: domain 1 has no core"},
		{twice, "topology: domain 1: package 0 with NUMA node 0 is "
			"there twice"},
	};

	desk = at;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct desk_answer *answer;
		struct machine m;

		make(&m);
		rows[i].change(&m);
		answer = tell("x", &m.topology);
		CHECK_TEXT(answer->text, rows[i].answer);
		CHECK(answer->code == RPC_INVALID_ARGUMENT);
	}
	CHECK(members_ledger(at->c->driver->members)->n == 0);
}

static void a_machine_that_cannot_be_is_refused_with_a_sentence(void)
{
	CHECK(desk_run(job, hostile, NULL));
}

static void many_domains(struct desk *at, void *user)
{
	static Bellows__V1__TopologyDomain domains[65], *all[65];
	const struct desk_answer *answer;
	struct machine m;

	desk = at;
	make(&m);
	for (unsigned i = 0; i < 65; i++) {
		domains[i] = m.domains[0];
		domains[i].package = i;
		domains[i].n_core = 0;
		all[i] = &domains[i];
	}
	m.topology.domain = all;
	m.topology.n_domain = 65;
	answer = tell("x", &m.topology);
	CHECK_TEXT(answer->text, "topology: domain 64: at most 64 domains");
	CHECK(answer->code == RPC_INVALID_ARGUMENT);
}

static void more_domains_than_fit_are_refused(void)
{
	CHECK(desk_run(job, many_domains, NULL));
}

RUN_TESTS(TEST(what_an_executor_says_of_its_machine_is_shown),
	  TEST(processors_that_change_are_told_and_kept),
	  TEST(a_change_that_cannot_be_ends_the_stream),
	  TEST(a_machine_that_cannot_be_is_refused_with_a_sentence),
	  TEST(more_domains_than_fit_are_refused))
