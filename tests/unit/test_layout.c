/* SPDX-License-Identifier: Apache-2.0 */
#include "core/layout.h"

#include "base/list.h"
#include "tests/check.h"

static struct ledger ledger;
static struct layout now, next;

/* One ready member for each digit, with that many slots. */
static void members(const char *slots)
{
	ledger.n = 0;
	/* nameless, so they stay as they joined */
	for (; *slots; slots++)
		ledger.members[ledger.n++] =
			(struct member){.slots = (unsigned)(*slots - '0'),
					.state = MEMBER_READY};
}

static bool fill(struct layout *out, const struct layout *before,
		 unsigned ranks, unsigned per_member)
{
	return layout_make(
		out, &ledger, before, ranks,
		&(const struct layout_wish){.per_member = per_member});
}

/* "member:first+ranks" of each place; they are filled in order. */
static const char *text(const struct layout *layout)
{
	static char line[256];
	unsigned first = 0;
	int n = 0;

	line[0] = '\0';
	if (!layout_is_in_order(layout))
		return "not in order";
	for (int i = 0; i < layout->n; i++) {
		n += snprintf(line + n, sizeof(line) - (size_t)n, "%s%d:%u+%u",
			      i ? " " : "", layout->places[i].member, first,
			      layout->places[i].ranks);
		first += layout->places[i].ranks;
	}
	return line;
}

static void ranks_fill_the_executors_one_after_the_other(void)
{
	members("423");
	CHECK(fill(&now, NULL, 7, 9));
	CHECK(now.ranks == 7);
	CHECK_TEXT(text(&now), "0:0+4 1:4+2 2:6+1");
}

static void nobody_runs_more_than_is_allowed_on_one(void)
{
	members("423");
	CHECK(fill(&now, NULL, 5, 2));
	CHECK_TEXT(text(&now), "0:0+2 1:2+2 2:4+1");
}

static void what_cannot_be_held_is_refused(void)
{
	members("22");
	CHECK(fill(&now, NULL, 4, 9));
	CHECK(!fill(&now, NULL, 5, 9));
	CHECK(now.n == 0 && now.ranks == 0);
	CHECK(!fill(&now, NULL, 3, 1));
	CHECK(now.n == 0 && now.ranks == 0);
}

static void only_the_ready_run_ranks(void)
{
	members("11111111");
	for (int state = 0; state <= MEMBER_LOST; state++)
		ledger.members[state].state = (enum member_state)state;
	CHECK(fill(&now, NULL, 3, 1));
	CHECK_TEXT(text(&now), "1:0+1 6:1+1 7:2+1");
	CHECK(!fill(&now, NULL, 4, 1));
}

static void a_grow_moves_nobody(void)
{
	members("2222");
	ledger.members[0].state = MEMBER_JOINED;
	CHECK(fill(&now, NULL, 4, 9));
	CHECK_TEXT(text(&now), "1:0+2 2:2+2");

	ledger.members[0].state = MEMBER_READY;
	CHECK(fill(&next, &now, 8, 9));
	CHECK_TEXT(text(&next), "1:0+2 2:2+2 0:4+2 3:6+2");
}

static void name(int member, const char *text)
{
	snprintf(ledger.members[member].name, MEMBER_NAME_MAX, "%s", text);
}

static void the_highest_number_is_the_first_to_be_free(void)
{
	members("1111");
	name(0, "w-10");
	name(1, "w-9");
	ledger.members[2].state = ledger.members[3].state = MEMBER_JOINED;
	CHECK(fill(&now, NULL, 2, 1));
	CHECK_TEXT(text(&now), "1:0+1 0:1+1");

	ledger.members[2].state = ledger.members[3].state = MEMBER_READY;
	name(2, "w-12");
	name(3, "w-11");
	CHECK(fill(&next, &now, 4, 1));
	CHECK_TEXT(text(&next), "1:0+1 0:1+1 3:2+1 2:3+1");
	CHECK(fill(&now, &next, 3, 1));
	CHECK(layout_ranks(&now, 2) == 0);
}

static const char *const ordered[] = {
	"a",    "a-1-9", "a-2-1", "a-2-10", "a-3",
	"a-10", "a-10x", "a-b",   "a-x9",   "b-0",
};
enum { ORDERED = LENGTH(ordered) };

static void names_are_in_the_order_of_their_numbers(void)
{
	members("1111111111");
	for (int i = 0; i < ORDERED; i++)
		name(ORDERED - 1 - i, ordered[i]);
	CHECK(fill(&now, NULL, ORDERED, 1));
	CHECK_TEXT(text(&now), "9:0+1 8:1+1 7:2+1 6:3+1 5:4+1 4:5+1 3:6+1 "
			       "2:7+1 1:8+1 0:9+1");
}

static void the_order_of_joining_does_not_change_the_layout(void)
{
	for (int i = 0; i < ORDERED; i++)
		for (int j = 0; j < ORDERED; j++) {
			if (i == j)
				continue;
			members("11");
			name(0, ordered[i]);
			name(1, ordered[j]);
			CHECK(fill(&now, NULL, 1, 1));
			CHECK_TEXT(text(&now), i < j ? "0:0+1" : "1:0+1");
		}
}

static void a_place_that_was_not_full_is_filled_first(void)
{
	members("44");
	CHECK(fill(&now, NULL, 3, 9));
	CHECK(fill(&next, &now, 6, 9));
	CHECK_TEXT(text(&next), "0:0+4 1:4+2");
}

static void a_shrink_leaves_the_last_ones_free(void)
{
	members("2222");
	ledger.members[0].state = MEMBER_JOINED;
	fill(&now, NULL, 4, 9);
	ledger.members[0].state = MEMBER_READY;
	fill(&next, &now, 8, 9);

	CHECK(fill(&now, &next, 3, 9));
	CHECK_TEXT(text(&now), "1:0+2 2:2+1");
	CHECK(layout_ranks(&now, 0) == 0 && layout_ranks(&now, 3) == 0);
}

static void survivors_keep_their_order(void)
{
	members("2222");
	CHECK(fill(&now, NULL, 6, 9));
	ledger.members[0].state = MEMBER_LOST;
	CHECK(fill(&next, &now, 6, 9));
	CHECK_TEXT(text(&next), "1:0+2 2:2+2 3:4+2");
	CHECK(!fill(&next, &now, 7, 9));
}

static void every_rank_is_found_where_it_runs(void)
{
	members("312");
	CHECK(fill(&now, NULL, 5, 9));
	for (unsigned rank = 0; rank < 8; rank++)
		CHECK(layout_find(&now, rank) == (rank < 3    ? 0
						  : rank == 3 ? 1
						  : rank == 4 ? 2
							      : NO_MEMBER));
	CHECK(layout_find(&now, -1u) == NO_MEMBER);
	CHECK(layout_ranks(&now, 0) == 3);
	CHECK(layout_ranks(&now, 2) == 1);
	CHECK(layout_ranks(&now, 3) == 0);
	CHECK(layout_ranks(&now, NO_MEMBER) == 0);
}

static void nothing_of_a_former_layout_is_found(void)
{
	members("22");
	CHECK(fill(&now, NULL, 4, 9));
	CHECK(layout_find(&now, 2) == 1 && layout_ranks(&now, 1) == 2);
	CHECK(fill(&now, NULL, 2, 9));
	CHECK(layout_find(&now, 2) == NO_MEMBER);
	CHECK(layout_ranks(&now, 1) == 0);
}

/* Any change of size, members and limits: whole, in order, within bounds. */
static void any_layout_is_whole_and_within_bounds(void)
{
	unsigned dice = 1;

	members("12345123");
	now = (struct layout){0};
	for (int run = 0; run < 20000; run++) {
		unsigned ranks, limit, first = 0;
		int i;

		dice = dice * 1103515245u + 12345u;
		ranks = (dice >> 16) % 24;
		limit = 1 + (dice >> 21) % 5;
		i = (int)((dice >> 24) % 8);
		ledger.members[i].state =
			(dice >> 28) % 3 ? MEMBER_READY : MEMBER_LOST;

		if (!fill(&next, &now, ranks, limit)) {
			CHECK(member_slots_ready(&ledger, limit) < ranks);
			CHECK(next.n == 0 && next.ranks == 0);
			continue;
		}
		CHECK(member_slots_ready(&ledger, limit) >= ranks);
		for (i = 0; i < next.n; i++) {
			const struct place *p = &next.places[i];
			const struct member *m = &ledger.members[p->member];

			CHECK(m->state == MEMBER_READY);
			CHECK(p->ranks > 0);
			CHECK(p->ranks <= m->slots && p->ranks <= limit);
			CHECK(layout_ranks(&next, p->member) == p->ranks);
			first += p->ranks;
		}
		CHECK(first == ranks && next.ranks == ranks);
		CHECK(layout_is_in_order(&next));
		if (now.n > 0 && ranks > 0 &&
		    ledger.members[now.places[0].member].state == MEMBER_READY)
			CHECK(next.places[0].member == now.places[0].member);
		now = next;
	}
}

RUN_TESTS(TEST(ranks_fill_the_executors_one_after_the_other),
	  TEST(nobody_runs_more_than_is_allowed_on_one),
	  TEST(what_cannot_be_held_is_refused), TEST(only_the_ready_run_ranks),
	  TEST(a_grow_moves_nobody),
	  TEST(the_highest_number_is_the_first_to_be_free),
	  TEST(names_are_in_the_order_of_their_numbers),
	  TEST(the_order_of_joining_does_not_change_the_layout),
	  TEST(a_place_that_was_not_full_is_filled_first),
	  TEST(a_shrink_leaves_the_last_ones_free),
	  TEST(survivors_keep_their_order),
	  TEST(every_rank_is_found_where_it_runs),
	  TEST(nothing_of_a_former_layout_is_found),
	  TEST(any_layout_is_whole_and_within_bounds))
