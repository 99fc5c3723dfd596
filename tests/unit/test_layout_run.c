/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "sim/layout_run.h"
#include "tests/check.h"

#include <errno.h>
#include <math.h>

enum { JOBS_MAX = 16, SOCKETS_MAX = 8 };

/* Numbers by which times can be told in the head. */
static struct layout_program programs[] = {
	{.name = "net",
	 .profile = PLACE_NETWORK,
	 .seconds = 100,
	 .of_4 = 1,
	 .of_16 = 1,
	 .floating = 2,
	 .apart = 50},
	{.name = "cpu",
	 .profile = PLACE_CPU,
	 .seconds = 100,
	 .of_4 = 1.5,
	 .of_16 = 2,
	 .floating = 3,
	 .apart = 1},
	/* four of 16 ranks have what a socket has */
	{.name = "mem",
	 .profile = PLACE_MEMORY,
	 .seconds = 100,
	 .of_4 = 1,
	 .of_16 = 1,
	 .floating = 1,
	 .apart = 1,
	 .bandwidth = 1,
	 .slowing = 0.5},
};
enum { NET, CPU, MEM };

static const struct layout_pace pace = {.launch = 5,
					.release = 20,
					.bandwidth = 4,
					.programs = programs,
					.n = LENGTH(programs)};

struct seen {
	double start;
	unsigned workers, container, on[SOCKETS_MAX];
	bool apart;
};

static struct layout_job jobs[JOBS_MAX];
static struct layout_workload workload = {.path = "jobs.csv", .jobs = jobs};
static struct layout_outcome outcomes[JOBS_MAX];
static struct seen seen[JOBS_MAX];
static struct layout_shape shape;
static struct error err;

static void on_place(void *user, unsigned job, double start,
		     const struct layout_place *place)
{
	struct seen *at = &seen[job];

	*at = (struct seen){.start = start,
			    .workers = place->workers,
			    .container = place->containers.ranks,
			    .apart = place->containers.apart};
	memcpy(at->on, place->on,
	       shape.nodes * shape.sockets * sizeof(*at->on));
}

static void begin(unsigned nodes, unsigned cores)
{
	shape = (struct layout_shape){nodes, 2, cores};
	workload.n = 0;
}

static void submit(unsigned program, unsigned ranks, double at)
{
	jobs[workload.n] =
		(struct layout_job){.program = program,
				    .submit = at,
				    .ranks = ranks,
				    .profile = programs[program].profile,
				    .line = workload.n + 2};
	workload.n++;
}

static int run(const char *policy)
{
	const struct layout_settings settings = {
		.shape = shape,
		.pace = &pace,
		.policy = layout_policy_find(policy),
		.on_place = on_place,
	};

	return layout_run(&workload, &settings, outcomes, &err);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static bool takes(unsigned job, double seconds)
{
	return is_near(outcomes[job].end - outcomes[job].start, seconds);
}

/* ---- where ranks are ---- */

static void each_policy_has_its_layout(void)
{
	static const struct {
		const char *policy;
		unsigned program, workers, container, on[SOCKETS_MAX];
	} cases[] = {
		/* a container of all ranks, on one socket */
		{"cm", NET, 1, 16, {16}},
		{"cm", MEM, 1, 16, {16}},
		/* without cores of their own they are counted by node */
		{"none", MEM, 1, 16, {16}},
		/* a container a node */
		{"cm_s", CPU, 4, 4, {4, 0, 4, 0, 4, 0, 4, 0}},
		{"cm_s", NET, 1, 16, {16}},
		/* a container a rank */
		{"cm_g", MEM, 16, 1, {4, 0, 4, 0, 4, 0, 4, 0}},
		{"cm_g", NET, 1, 16, {16}},
		{"cm_s_tg", MEM, 4, 4, {4, 0, 4, 0, 4, 0, 4, 0}},
		{"cm_g_tg", CPU, 16, 1, {4, 0, 4, 0, 4, 0, 4, 0}},
		{"bellows", MEM, 16, 1, {2, 2, 2, 2, 2, 2, 2, 2}},
		{"bellows", NET, 1, 16, {8, 8}},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		begin(4, 16);
		submit(cases[i].program, 16, 0);
		CHECK(run(cases[i].policy) == 0);
		CHECK(seen[0].workers == cases[i].workers);
		CHECK(seen[0].container == cases[i].container);
		CHECK(memcmp(seen[0].on, cases[i].on, sizeof(seen[0].on)) == 0);
		CHECK(seen[0].apart == (cases[i].workers > 1));
	}
}

static void a_worker_has_cores_of_one_socket_if_it_fits_there(void)
{
	begin(1, 8);
	submit(NET, 4, 0);
	submit(NET, 3, 1); /* beside it, where less is free */
	submit(NET, 6, 2);
	submit(NET, 3, 3); /* nowhere but on both */
	CHECK(run("cm") == 0);
	CHECK(seen[0].on[0] == 4 && seen[0].on[1] == 0);
	CHECK(seen[1].on[0] == 3 && seen[1].on[1] == 0);
	CHECK(seen[2].on[0] == 0 && seen[2].on[1] == 6);
	CHECK(seen[3].on[0] == 1 && seen[3].on[1] == 2);
}

static void groups_keep_a_job_even_where_a_node_is_fuller(void)
{
	static const unsigned spread[] = {0, 6, 5, 5}, even[] = {4, 4, 4, 4};

	begin(4, 16);
	submit(NET, 16, 0);
	submit(MEM, 16, 1);
	for (unsigned tg = 0; tg < 2; tg++) {
		CHECK(run(tg ? "cm_g_tg" : "cm_g") == 0);
		for (unsigned node = 0; node < 4; node++)
			CHECK(seen[1].on[2 * node] + seen[1].on[2 * node + 1] ==
			      (tg ? even : spread)[node]);
	}
}

/* ---- how fast they are ---- */

static void containers_cost_a_program_what_the_pace_says(void)
{
	static const struct {
		const char *policy;
		unsigned program, ranks;
		double seconds;
	} cases[] = {
		{"none", NET, 16, 200}, {"none", CPU, 16, 300},
		{"cm", NET, 16, 100},   {"cm", CPU, 16, 200},
		{"cm", CPU, 32, 200},   {"cm", CPU, 8, 175},
		{"cm", CPU, 4, 150},    {"cm", CPU, 2, 125},
		{"cm", CPU, 1, 100},    {"cm_s", CPU, 16, 150},
		{"cm_g", CPU, 16, 100}, {"bellows", CPU, 16, 100},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		begin(4, 16);
		submit(cases[i].program, cases[i].ranks, 0);
		CHECK(run(cases[i].policy) == 0);
		CHECK(outcomes[0].start == 5 && takes(0, cases[i].seconds));
	}
}

static void a_network_program_that_is_split_pays_for_it(void)
{
	begin(4, 16);
	submit(NET, 16, 0);
	jobs[0].profile = PLACE_MEMORY;
	CHECK(run("cm_g_tg") == 0 && seen[0].apart && takes(0, 5000));
	jobs[0].profile = PLACE_NETWORK;
	CHECK(run("cm_g_tg") == 0 && !seen[0].apart && takes(0, 100));
}

static void the_fullest_socket_slows_a_job_down(void)
{
	static const struct {
		const char *policy;
		double seconds;
	} cases[] = {
		{"cm", 250},      /* 16 on a socket that serves 4 */
		{"none", 150},    /* 8 on each of a node's two */
		{"cm_g_tg", 100}, /* 4 */
		{"bellows", 100}, /* 2 */
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		begin(4, 16);
		submit(MEM, 16, 0);
		CHECK(run(cases[i].policy) == 0);
		CHECK(takes(0, cases[i].seconds));
	}
}

/* Both take half as long again while they share the sockets: the second comes
 * 60 s behind the first, whose last 40 s become 60; its own last 60 do not. */
static void the_pace_changes_when_a_job_begins_or_ends(void)
{
	begin(1, 16);
	submit(MEM, 4, 0);
	submit(MEM, 4, 60);
	CHECK(run("cm_g_tg") == 0);
	CHECK(seen[1].on[0] == 4 && outcomes[0].start == 5);
	CHECK(is_near(outcomes[0].end, 125) && outcomes[1].start == 65);
	CHECK(is_near(outcomes[1].end, 185));
}

/* ---- when they begin ---- */

static void a_job_waits_for_cores_and_lets_others_pass(void)
{
	struct layout_totals totals;

	begin(2, 4);
	submit(NET, 5, 10);
	submit(NET, 5, 11);
	submit(NET, 5, 12); /* no node has 5 cores until one is released */
	submit(CPU, 5, 13); /* but both together have them */
	CHECK(run("cm_g") == 0);
	CHECK(outcomes[0].start == 15 && outcomes[1].start == 16);
	CHECK(is_near(outcomes[2].start, 15 + 100 + 20 + 5));
	CHECK(outcomes[3].start == 18);
	totals = layout_total(&workload, outcomes);
	CHECK(is_near(totals.makespan, 230));
	CHECK(is_near(totals.wait, 5 + 5 + 128 + 5));
	CHECK(is_near(totals.run, 400));
	CHECK(is_near(totals.response, totals.wait + totals.run));
}

static void a_job_that_has_room_nowhere_is_refused(void)
{
	begin(4, 16);
	submit(MEM, 16, 0);
	submit(MEM, 40, 1);
	CHECK(run("cm_g_tg") == 0 && run("bellows") == 0);
	CHECK(run("cm") == -EINVAL);
	CHECK_TEXT(err.text, "jobs.csv:3: under the policy cm 40 ranks of mem "
			     "have no room on 4 nodes of 32 cores");
}

/* All cores are free at the end, or a job would wait for ever. */
static void cores_come_back_under_each_policy(void)
{
	for (const struct layout_policy *at = layout_policies; at->name; at++) {
		begin(1, 4);
		for (unsigned i = 0; i < JOBS_MAX; i++)
			submit(i % 3, 8 - i % 2, 0);
		CHECK(run(at->name) == 0);
		for (unsigned i = 1; i < JOBS_MAX; i++)
			CHECK(outcomes[i].start > outcomes[i - 1].start);
	}
}

RUN_TESTS(TEST(each_policy_has_its_layout),
	  TEST(a_worker_has_cores_of_one_socket_if_it_fits_there),
	  TEST(groups_keep_a_job_even_where_a_node_is_fuller),
	  TEST(containers_cost_a_program_what_the_pace_says),
	  TEST(a_network_program_that_is_split_pays_for_it),
	  TEST(the_fullest_socket_slows_a_job_down),
	  TEST(the_pace_changes_when_a_job_begins_or_ends),
	  TEST(a_job_waits_for_cores_and_lets_others_pass),
	  TEST(a_job_that_has_room_nowhere_is_refused),
	  TEST(cores_come_back_under_each_policy))
