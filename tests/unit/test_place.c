/* SPDX-License-Identifier: Apache-2.0 */
#include "core/place.h"
#include "tests/check.h"

enum { WORKERS = 64, NODES = 8 };

static struct place_worker workers[WORKERS];
static struct place_node nodes[NODES];
static struct place_count counts[NODES];
static unsigned order[WORKERS];
static struct place_request sums[WORKERS + 1];
static uint64_t millicores[WORKERS];

/* Nodes with whole cores free each. */
static void set_nodes(const unsigned *cores, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		nodes[i].free = (struct place_request){cores[i] * 1000u, 1000};
}

/* Workers of one rank that need a core and no memory. */
static void set_workers(unsigned n)
{
	place_share_out(workers, n, n, &(const struct place_request){1000, 0});
}

static bool bind_groups(unsigned n, unsigned n_nodes)
{
	return place_bind_groups(workers, n, nodes, n_nodes, counts, order,
				 sums);
}

static unsigned workers_on(int node, unsigned n)
{
	unsigned on = 0;

	for (unsigned i = 0; i < n; i++)
		on += workers[i].node == node;
	return on;
}

/* ---- Algorithm 1 ---- */

static void a_job_is_cut_by_its_profile_and_the_policy(void)
{
	static const struct {
		enum place_granularity granularity;
		enum place_profile profile;
		unsigned ranks, nodes, workers;
		struct place_grain grain;
	} cases[] = {
		{PLACE_SCALE, PLACE_NETWORK, 16, 4, 4, {1, 1, 1}},
		{PLACE_SCALE, PLACE_CPU, 16, 4, 1, {4, 4, 4}},
		{PLACE_SCALE, PLACE_MEMORY, 16, 4, 1, {4, 4, 4}},
		{PLACE_SCALE, PLACE_MEMORY, 3, 4, 1, {3, 3, 3}},
		{PLACE_GRANULARITY, PLACE_NETWORK, 16, 4, 4, {1, 1, 1}},
		{PLACE_GRANULARITY, PLACE_CPU, 16, 4, 1, {4, 16, 4}},
		{PLACE_GRANULARITY, PLACE_MEMORY, 16, 4, 1, {4, 16, 4}},
		{PLACE_GRANULARITY, PLACE_CPU, 3, 4, 1, {3, 3, 3}},
		{PLACE_AS_GIVEN, PLACE_NETWORK, 16, 4, 2, {1, 2, 1}},
		{PLACE_AS_GIVEN, PLACE_MEMORY, 16, 4, 5, {1, 5, 1}},
		{PLACE_AS_GIVEN, PLACE_CPU, 2, 4, 5, {1, 2, 1}},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct place_grain grain = place_cut(
			cases[i].granularity, cases[i].profile, cases[i].ranks,
			cases[i].nodes, cases[i].workers);

		CHECK(grain.nodes == cases[i].grain.nodes);
		CHECK(grain.workers == cases[i].grain.workers);
		CHECK(grain.groups == cases[i].grain.groups);
	}
}

/* ---- Algorithm 2 ---- */

static void the_first_workers_get_the_ranks_that_are_left(void)
{
	static const unsigned expected[] = {4, 4, 3, 3};

	place_share_out(workers, 4, 14, &(const struct place_request){1000, 5});
	for (unsigned i = 0; i < 4; i++) {
		CHECK(workers[i].ranks == expected[i]);
		CHECK(workers[i].request.millicores == 1000 * expected[i]);
		CHECK(workers[i].request.memory == 5 * expected[i]);
		CHECK(workers[i].node == PLACE_UNBOUND);
		CHECK(!workers[i].running);
	}
}

/* ---- Algorithm 3, step 1 ---- */

static void groups_in_ascending_order_become_alike(void)
{
	static const unsigned expected[] = {0, 1, 2, 0, 1, 2, 0};

	set_workers(7);
	place_group(workers, 7, 3, PLACE_ASCENDING, millicores);
	for (unsigned i = 0; i < 7; i++)
		CHECK(workers[i].group == expected[i]);
}

static void a_large_worker_leaves_the_next_ones_to_the_other_group(void)
{
	static const unsigned expected[] = {0, 1, 1, 0};

	set_workers(4);
	workers[0].request.millicores = 1500;
	place_group(workers, 4, 2, PLACE_ASCENDING, millicores);
	for (unsigned i = 0; i < 4; i++)
		CHECK(workers[i].group == expected[i]);
}

static void groups_in_descending_order_leave_all_to_the_first(void)
{
	set_workers(5);
	place_group(workers, 5, 3, PLACE_DESCENDING, millicores);
	for (unsigned i = 0; i < 5; i++)
		CHECK(workers[i].group == 0);
}

static void workers_that_run_on_one_node_are_of_one_group(void)
{
	set_workers(6);
	workers[1].running = workers[4].running = workers[5].running = true;
	workers[1].node = workers[5].node = 3;
	workers[4].node = 0;
	place_group(workers, 6, 2, PLACE_ASCENDING, millicores);
	CHECK(workers[1].group == 0 && workers[5].group == 0);
	CHECK(workers[4].group == 1);
	CHECK(workers[0].group == 1); /* 2 in group 0, 1 in group 1 */
	CHECK(workers[2].group == 0 && workers[3].group == 1);
}

/* ---- Algorithm 4 ---- */

static void a_score_counts_own_workers_others_and_those_that_fit(void)
{
	CHECK(place_score(0, 0, 4) == 4);
	CHECK(place_score(2, 0, 2) == 4);
	CHECK(place_score(0, 1, 4) == 3);
	CHECK(place_score(0, 3, 1) == -2);
}

/* ---- Algorithm 3, step 2 ---- */

static void each_group_gets_a_node_of_its_own(void)
{
	set_nodes((const unsigned[]){32, 32, 32, 32}, 4);
	set_workers(16);
	place_group(workers, 16, 4, PLACE_ASCENDING, millicores);
	CHECK(bind_groups(16, 4));
	for (unsigned i = 0; i < 16; i++)
		CHECK(workers[i].node == (int)(i % 4));
	for (unsigned j = 0; j < 4; j++)
		CHECK(nodes[j].free.millicores == 28000);
}

/* A Kubernetes without groups puts them where most is free. */
static void without_groups_the_freest_node_gets_more(void)
{
	set_nodes((const unsigned[]){16, 32, 16, 16}, 4);
	set_workers(16);
	CHECK(place_bind_spread(workers, 16, nodes, 4));
	CHECK(workers_on(1, 16) == 16);

	set_nodes((const unsigned[]){16, 32, 16, 16}, 4);
	set_workers(16);
	place_group(workers, 16, 4, PLACE_ASCENDING, millicores);
	CHECK(bind_groups(16, 4));
	for (int j = 0; j < 4; j++)
		CHECK(workers_on(j, 16) == 4);
}

static void a_group_goes_where_all_of_it_fits(void)
{
	set_nodes((const unsigned[]){3, 2, 4}, 3);
	set_workers(4);
	place_group(workers, 4, 1, PLACE_ASCENDING, millicores);
	CHECK(bind_groups(4, 3));
	CHECK(workers_on(2, 4) == 4);
}

static void a_group_that_fits_nowhere_is_in_as_few_nodes_as_possible(void)
{
	set_nodes((const unsigned[]){2, 3, 3, 2}, 4);
	set_workers(5);
	place_group(workers, 5, 1, PLACE_ASCENDING, millicores);
	CHECK(bind_groups(5, 4));
	CHECK(workers_on(1, 5) == 3);
	CHECK(workers_on(2, 5) == 2);
}

static void a_new_worker_joins_its_group_where_that_runs(void)
{
	set_nodes((const unsigned[]){4, 4}, 2);
	set_workers(4);
	workers[0].running = workers[1].running = true;
	workers[0].node = 1;
	workers[1].node = 0;
	place_group(workers, 4, 2, PLACE_ASCENDING, millicores);
	CHECK(bind_groups(4, 2));
	CHECK(workers[0].node == 1 && workers[1].node == 0);
	CHECK(workers[2].node == 1);             /* with worker 0 */
	CHECK(workers[3].node == 0);             /* with worker 1 */
	CHECK(nodes[0].free.millicores == 3000); /* what runs is not counted */
}

/* Two groups run on node 0; group 0 also has a place on node 1. */
static void other_groups_on_a_node_are_avoided(void)
{
	set_nodes((const unsigned[]){9, 9}, 2);
	set_workers(3);
	workers[0].running = workers[1].running = true;
	workers[0].node = workers[1].node = 0;
	workers[0].group = 1;
	workers[1].group = 2;
	workers[2].group = 0;
	CHECK(bind_groups(3, 2));
	CHECK(workers[2].node == 1);
}

static void memory_counts_as_much_as_processors(void)
{
	set_nodes((const unsigned[]){8, 4}, 2);
	nodes[0].free.memory = 3;
	place_share_out(workers, 2, 2, &(const struct place_request){1000, 2});
	place_group(workers, 2, 1, PLACE_ASCENDING, millicores);
	CHECK(bind_groups(2, 2));
	CHECK(workers_on(1, 2) == 2);
}

static void a_job_that_does_not_fit_changes_nothing(void)
{
	set_nodes((const unsigned[]){2, 1}, 2);
	set_workers(5);
	workers[4].running = true;
	workers[4].node = 1;
	place_group(workers, 5, 2, PLACE_ASCENDING, millicores);
	CHECK(!bind_groups(5, 2));
	CHECK(!place_bind_spread(workers, 5, nodes, 2));
	CHECK(nodes[0].free.millicores == 2000);
	CHECK(nodes[1].free.millicores == 1000);
	for (unsigned i = 0; i < 4; i++)
		CHECK(workers[i].node == PLACE_UNBOUND);
	CHECK(workers[4].node == 1);
}

static void what_is_released_is_free_again(void)
{
	set_nodes((const unsigned[]){2, 2}, 2);
	set_workers(4);
	place_group(workers, 4, 2, PLACE_ASCENDING, millicores);
	CHECK(bind_groups(4, 2));
	CHECK(nodes[0].free.millicores == 0);
	place_release(workers, 4, nodes);
	CHECK(nodes[0].free.millicores == 2000);
	CHECK(nodes[1].free.millicores == 2000);
	CHECK(workers[0].node == PLACE_UNBOUND);
}

RUN_TESTS(TEST(a_job_is_cut_by_its_profile_and_the_policy),
	  TEST(the_first_workers_get_the_ranks_that_are_left),
	  TEST(groups_in_ascending_order_become_alike),
	  TEST(a_large_worker_leaves_the_next_ones_to_the_other_group),
	  TEST(groups_in_descending_order_leave_all_to_the_first),
	  TEST(workers_that_run_on_one_node_are_of_one_group),
	  TEST(a_score_counts_own_workers_others_and_those_that_fit),
	  TEST(each_group_gets_a_node_of_its_own),
	  TEST(without_groups_the_freest_node_gets_more),
	  TEST(a_group_goes_where_all_of_it_fits),
	  TEST(a_group_that_fits_nowhere_is_in_as_few_nodes_as_possible),
	  TEST(a_new_worker_joins_its_group_where_that_runs),
	  TEST(other_groups_on_a_node_are_avoided),
	  TEST(memory_counts_as_much_as_processors),
	  TEST(a_job_that_does_not_fit_changes_nothing),
	  TEST(what_is_released_is_free_again))
