/* SPDX-License-Identifier: Apache-2.0 */
#include "core/layout.h"
#include "tests/check.h"

static struct ledger ledger;
static struct layout now, next;

/* Ready members, named by their index, with so many slots each; the digits say
 * on which node each of them is. */
static void members(const char *nodes, unsigned slots)
{
	ledger = (struct ledger){0};
	for (; *nodes; nodes++) {
		struct member *m = &ledger.members[ledger.n];

		*m = (struct member){.slots = slots, .state = MEMBER_READY};
		snprintf(m->name, sizeof(m->name), "w-%d", ledger.n++);
		snprintf(m->node, sizeof(m->node), "node-%c", *nodes);
	}
}

static bool make(struct layout *out, const struct layout *before,
		 unsigned ranks, enum layout_policy policy, unsigned price)
{
	return layout_make(out, &ledger, before, ranks,
			   &(const struct layout_wish){.policy = policy,
						       .per_member = 9,
						       .move_price = price});
}

/* The member of each rank. */
static const char *text(const struct layout *layout)
{
	static char line[256];
	int n = 0;

	line[0] = '\0';
	for (unsigned rank = 0; rank < layout->ranks; rank++)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "%s%d",
			      rank ? " " : "", layout_find(layout, rank));
	return line;
}

/* ---- spread ---- */

static void ranks_are_spread_evenly_over_the_nodes(void)
{
	members("aaaabbbbcccc", 1);
	CHECK(make(&now, NULL, 6, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&now), "0 1 4 5 8 9");
	CHECK(make(&now, NULL, 3, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&now), "0 4 8");
}

static void a_full_node_leaves_the_rest_to_the_others(void)
{
	members("abbbbcccc", 1);
	CHECK(make(&now, NULL, 7, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&now), "0 1 2 3 5 6 7");
}

static void a_grow_over_the_nodes_moves_no_rank(void)
{
	members("aaaabbbb", 1);
	CHECK(make(&now, NULL, 4, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&now), "0 1 4 5");
	CHECK(make(&next, &now, 7, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&next), "0 1 4 5 2 3 6");
	CHECK(layout_moves(&now, &next) == 0);
	CHECK(layout_is_in_order(&next));
}

static void a_shrink_takes_from_the_fullest_node_and_moves_least(void)
{
	members("aaabbb", 1);
	CHECK(make(&now, NULL, 6, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&now), "0 1 2 3 4 5");
	CHECK(make(&next, &now, 4, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&next), "0 1 4 3");
	CHECK(layout_moves(&now, &next) == 1);
	CHECK(layout_is_in_order(&next));
}

static void a_lost_executor_moves_its_own_ranks_only(void)
{
	members("aabbcc", 2);
	CHECK(make(&now, NULL, 6, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&now), "0 0 2 2 4 4");
	ledger.members[0].state = MEMBER_LOST;
	CHECK(make(&next, &now, 6, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&next), "1 1 2 2 4 4");
	CHECK(layout_moves(&now, &next) == 2);
}

static void ranks_of_an_executor_need_not_follow_each_other(void)
{
	members("abcd", 2);
	ledger.members[3].state = MEMBER_JOINED;
	CHECK(make(&now, NULL, 5, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&now), "0 0 1 1 2");
	ledger.members[1].state = MEMBER_LOST;
	ledger.members[3].state = MEMBER_READY;
	CHECK(make(&next, &now, 5, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&next), "0 0 2 3 2");
	CHECK(!layout_is_in_order(&next));
}

/* Four ranks were on node a, as node b had no executor then. */
static void ranks_move_to_a_node_that_has_come_back(void)
{
	members("aaaabbbb", 1);
	for (int i = 4; i < 8; i++)
		ledger.members[i].state = MEMBER_JOINED;
	CHECK(make(&now, NULL, 4, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&now), "0 1 2 3");
	for (int i = 4; i < 8; i++)
		ledger.members[i].state = MEMBER_READY;
	CHECK(make(&next, &now, 4, LAYOUT_SPREAD, 0));
	CHECK_TEXT(text(&next), "0 1 4 5");
	CHECK(layout_moves(&now, &next) == 2);
}

static void a_price_keeps_a_layout_that_is_not_even(void)
{
	static const struct {
		unsigned price, moves;
	} cases[] = {{0, 2}, {1, 1}, {2, 1}, {3, 0}, {9, 0}};

	members("aaaabbbb", 1);
	for (int i = 4; i < 8; i++)
		ledger.members[i].state = MEMBER_JOINED;
	CHECK(make(&now, NULL, 4, LAYOUT_SPREAD, 0));
	for (int i = 4; i < 8; i++)
		ledger.members[i].state = MEMBER_READY;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(make(&next, &now, 4, LAYOUT_SPREAD, cases[i].price));
		CHECK(layout_moves(&now, &next) == cases[i].moves);
	}
}

/* ---- pack ---- */

static void ranks_are_packed_on_the_smallest_node_that_holds_them(void)
{
	members("aabbbbbccc", 1);
	CHECK(make(&now, NULL, 3, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&now), "7 8 9");
	CHECK(make(&now, NULL, 4, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&now), "2 3 4 5");
}

static void ranks_of_no_single_node_are_on_as_few_as_can_be(void)
{
	members("aabbbbbccc", 1);
	CHECK(make(&now, NULL, 7, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&now), "0 1 2 3 4 5 6");
	CHECK(make(&now, NULL, 8, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&now), "2 3 4 5 6 7 8 9");
}

static void a_packed_job_grows_where_its_ranks_are(void)
{
	members("aaaabbbb", 1);
	CHECK(make(&now, NULL, 2, LAYOUT_PACK, 0));
	CHECK(make(&next, &now, 4, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&next), "0 1 2 3");
	CHECK(make(&now, &next, 6, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&now), "0 1 2 3 4 5");
}

static void a_shrink_leaves_the_node_with_the_fewest_ranks(void)
{
	members("aaaabbbb", 1);
	CHECK(make(&now, NULL, 6, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&now), "0 1 2 3 4 5");
	CHECK(make(&next, &now, 4, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&next), "0 1 2 3");
	CHECK(layout_moves(&now, &next) == 0);
}

/* One of four was on node b, as node a had three executors then. */
static void a_node_is_left_unless_that_costs_more_than_it_gains(void)
{
	members("aaaab", 1);
	ledger.members[3].state = MEMBER_JOINED;
	CHECK(make(&now, NULL, 4, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&now), "0 1 2 4");
	ledger.members[3].state = MEMBER_READY;
	CHECK(make(&next, &now, 4, LAYOUT_PACK, 2));
	CHECK_TEXT(text(&next), "0 1 2 3");
	CHECK(make(&next, &now, 4, LAYOUT_PACK, 3));
	CHECK_TEXT(text(&next), "0 1 2 4");
}

static void rank_0_stays_although_its_node_is_the_smaller_one(void)
{
	members("abbbb", 1);
	for (int i = 1; i < 5; i++)
		ledger.members[i].state = MEMBER_JOINED;
	CHECK(make(&now, NULL, 1, LAYOUT_PACK, 0));
	for (int i = 1; i < 5; i++)
		ledger.members[i].state = MEMBER_READY;
	CHECK(make(&next, &now, 4, LAYOUT_PACK, 0));
	CHECK_TEXT(text(&next), "0 1 2 3");
}

/* ---- both ---- */

static void what_no_executors_hold_is_refused(void)
{
	members("aabb", 2);
	CHECK(make(&now, NULL, 8, LAYOUT_SPREAD, 0));
	CHECK(!make(&now, NULL, 9, LAYOUT_SPREAD, 0));
	CHECK(now.n == 0 && now.ranks == 0);
	CHECK(!make(&now, NULL, 9, LAYOUT_PACK, 0));
	CHECK(!make(&now, NULL, LAYOUT_RANKS_MAX + 1, LAYOUT_FILL, 0));
}

/* Any change of sizes and members: whole, within bounds, rank 0 where it was,
 * and no more executors than the ranks need. */
static void any_layout_is_whole_and_rank_0_stays(void)
{
	unsigned dice = 1;

	members("aaabbbbccdaaab", 2);
	now = (struct layout){0};
	for (int run = 0; run < 20000; run++) {
		unsigned ranks, sum = 0;
		struct member *m;

		dice = dice * 1103515245 + 12345;
		ranks = 1 + (dice >> 16) % 28;
		m = &ledger.members[(dice >> 24) % 14];
		m->state = (dice >> 28) % 3 ? MEMBER_READY : MEMBER_LOST;
		if (!make(&next, &now, ranks, 1 + run % 2, (dice >> 20) % 3)) {
			CHECK(member_slots_ready(&ledger, 9) < ranks);
			continue;
		}
		for (int i = 0; i < next.n; i++) {
			const struct place *p = &next.places[i];

			CHECK(ledger.members[p->member].state == MEMBER_READY);
			CHECK(p->ranks > 0 && p->ranks <= 2);
			sum += p->ranks;
		}
		CHECK(sum == ranks && next.ranks == ranks);
		CHECK((unsigned)next.n == (ranks + 1) / 2);
		if (now.n > 0 &&
		    ledger.members[layout_find(&now, 0)].state == MEMBER_READY)
			CHECK(layout_find(&next, 0) == layout_find(&now, 0));
		now = next;
	}
}

RUN_TESTS(TEST(ranks_are_spread_evenly_over_the_nodes),
	  TEST(a_full_node_leaves_the_rest_to_the_others),
	  TEST(a_grow_over_the_nodes_moves_no_rank),
	  TEST(a_shrink_takes_from_the_fullest_node_and_moves_least),
	  TEST(a_lost_executor_moves_its_own_ranks_only),
	  TEST(ranks_of_an_executor_need_not_follow_each_other),
	  TEST(ranks_move_to_a_node_that_has_come_back),
	  TEST(a_price_keeps_a_layout_that_is_not_even),
	  TEST(ranks_are_packed_on_the_smallest_node_that_holds_them),
	  TEST(ranks_of_no_single_node_are_on_as_few_as_can_be),
	  TEST(a_packed_job_grows_where_its_ranks_are),
	  TEST(a_shrink_leaves_the_node_with_the_fewest_ranks),
	  TEST(a_node_is_left_unless_that_costs_more_than_it_gains),
	  TEST(rank_0_stays_although_its_node_is_the_smaller_one),
	  TEST(what_no_executors_hold_is_refused),
	  TEST(any_layout_is_whole_and_rank_0_stays))
