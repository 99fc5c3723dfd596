/* SPDX-License-Identifier: Apache-2.0 */
#include "core/member.h"
#include "tests/check.h"

static struct ledger ledger;
static int entry, lost;

static const struct introduction anna = {.name = "anna",
					 .address = "10.0.0.1:7000",
					 .machine = "node-1/7",
					 .node = "node-1",
					 .node_cores = 64,
					 .incarnation = 7,
					 .slots = 4,
					 .cores = 8,
					 .fast_network = true,
					 .silence = 500};

static enum join_result join(const char *name, uint64_t incarnation,
			     unsigned slots, msec_t now)
{
	struct introduction executor = anna;

	executor.name = name;
	executor.incarnation = incarnation;
	executor.slots = slots;
	return member_join(&ledger, &executor, now, &entry, &lost);
}

static void an_executor_is_enrolled_as_it_introduces_itself(void)
{
	const struct member *m;

	ledger.n = 0;
	CHECK(member_join(&ledger, &anna, 1000, &entry, &lost) == JOIN_NEW);
	CHECK(entry == 0 && lost == NO_MEMBER && ledger.n == 1);

	m = &ledger.members[entry];
	CHECK_TEXT(m->name, "anna");
	CHECK_TEXT(m->address, "10.0.0.1:7000");
	CHECK_TEXT(m->machine, "node-1/7");
	CHECK_TEXT(m->node, "node-1");
	CHECK(m->node_cores == 64);
	CHECK(m->incarnation == 7 && m->slots == 4 && m->cores == 8);
	CHECK(m->fast_network && m->heard == 1000 && m->ranks == 0);
	CHECK(m->state == MEMBER_JOINED);
}

static void without_a_node_its_machine_is_one(void)
{
	struct introduction executor = anna;

	executor.node = NULL;
	executor.node_cores = 0;
	ledger.n = 0;
	member_join(&ledger, &executor, 0, &entry, &lost);
	CHECK_TEXT(ledger.members[0].node, "node-1/7");
	CHECK(ledger.members[0].node_cores == 8);
	executor.name = "bert";
	executor.node = "";
	member_join(&ledger, &executor, 0, &entry, &lost);
	CHECK_TEXT(ledger.members[1].node, "node-1/7");
}

static void the_same_incarnation_changes_nothing_but_is_heard(void)
{
	struct introduction again = anna;
	struct member before;

	ledger.n = 0;
	join("bert", 1, 1, 1000);
	member_join(&ledger, &anna, 1000, &entry, &lost);
	ledger.members[1].state = MEMBER_READY;
	ledger.members[1].ranks = 3;
	before = ledger.members[1];

	again.slots = 9;
	CHECK(member_join(&ledger, &again, 2000, &entry, &lost) == JOIN_AGAIN);
	CHECK(entry == 1 && lost == NO_MEMBER && ledger.n == 2);
	CHECK(ledger.members[1].heard == 2000);
	ledger.members[1].heard = before.heard;
	CHECK(memcmp(&ledger.members[1], &before, sizeof(before)) == 0);
}

static void a_new_incarnation_replaces_the_former_one(void)
{
	ledger.n = 0;
	join("anna", 7, 4, 1000);
	ledger.members[0].state = MEMBER_READY;
	CHECK(join("anna", 3, 2, 2000) == JOIN_REPLACED);
	CHECK(entry == 1 && lost == 0);
	CHECK(ledger.members[0].incarnation == 7);
	CHECK(ledger.members[1].incarnation == 3);

	ledger.members[lost].state = MEMBER_LOST;
	CHECK(member_find(&ledger, "anna") == 1);
	CHECK(join("anna", 7, 4, 3000) == JOIN_STALE);
	CHECK(lost == NO_MEMBER && ledger.n == 2);
	CHECK(ledger.members[0].heard == 1000);
	CHECK(join("anna", 3, 2, 3000) == JOIN_AGAIN);
}

static void a_lost_or_gone_incarnation_does_not_return(void)
{
	static const enum member_state ends[] = {MEMBER_LOST, MEMBER_GONE};

	for (int i = 0; i < 2; i++) {
		ledger.n = 0;
		join("anna", 7, 4, 1000);
		ledger.members[0].state = ends[i];
		CHECK(join("anna", 7, 4, 2000) == JOIN_STALE);
		CHECK(ledger.n == 1 && ledger.members[0].heard == 1000);
		CHECK(member_find(&ledger, "anna") == NO_MEMBER);

		CHECK(join("anna", 8, 4, 2000) == JOIN_NEW);
		CHECK(entry == 1 && lost == NO_MEMBER);
		CHECK(ledger.members[0].state == ends[i]);
	}
}

static void names_are_short_and_plain(void)
{
	static const struct {
		const char *name;
		bool good;
	} rows[] = {
		{"a", true},
		{"Anna-2_x.example.org", true},
		{"012345678901234567890123456789"
		 "012345678901234567890123456789012",
		 true},
		{"012345678901234567890123456789"
		 "0123456789012345678901234567890123",
		 false},
		{"..a", true},
		{"", false},
		{".", false},
		{"..", false},
		{"...", false},
		{"an na", false},
		{"anna\n", false},
		{"anna/..", false},
		{"anna;ls", false},
		{"\303\244nna", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ledger.n = 0;
		CHECK((join(rows[i].name, 1, 1, 0) == JOIN_NEW) ==
		      rows[i].good);
		CHECK(ledger.n == rows[i].good);
		if (rows[i].good)
			CHECK_TEXT(ledger.members[0].name, rows[i].name);
	}
	CHECK(join("", 1, 1, 0) == JOIN_BAD_NAME);
	CHECK(entry == NO_MEMBER && lost == NO_MEMBER);
}

static void slots_are_at_least_one_and_not_without_end(void)
{
	ledger.n = 0;
	CHECK(join("anna", 1, 0, 0) == JOIN_BAD_SLOTS);
	CHECK(entry == NO_MEMBER);
	CHECK(join("anna", 1, 4097, 0) == JOIN_BAD_SLOTS);
	CHECK(join("anna", 1, -1u, 0) == JOIN_BAD_SLOTS);
	CHECK(ledger.n == 0);
	CHECK(join("anna", 1, 4096, 0) == JOIN_NEW);
}

static void long_texts_are_cut(void)
{
	char text[2 * MEMBER_TEXT_MAX];
	struct introduction executor = anna;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	executor.address = executor.machine = executor.node = text;
	ledger.n = 0;
	member_join(&ledger, &executor, 0, &entry, &lost);
	CHECK(strlen(ledger.members[0].address) == MEMBER_TEXT_MAX - 1);
	CHECK(strlen(ledger.members[0].machine) == MEMBER_TEXT_MAX - 1);
	CHECK(strlen(ledger.members[0].node) == MEMBER_TEXT_MAX - 1);
}

static void a_full_ledger_still_knows_its_members(void)
{
	ledger.n = 0;
	for (int i = 0; i < MEMBERS_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m%d", i);
		CHECK(join(name, 1, 1, 0) == JOIN_NEW);
	}
	CHECK(join("anna", 1, 1, 0) == JOIN_FULL);
	CHECK(entry == NO_MEMBER && lost == NO_MEMBER);
	CHECK(join("m17", 2, 1, 0) == JOIN_FULL);
	CHECK(lost == NO_MEMBER);
	CHECK(join("m4095", 1, 1, 9) == JOIN_AGAIN);
	CHECK(entry == 4095);
	CHECK(member_slots_ready(&ledger, 1) == 0);
}

static void one_after_the_other_more_join_than_fit(void)
{
	ledger.n = 0;
	CHECK(join("anna", 1, 1, 0) == JOIN_NEW);
	for (unsigned i = 0; i < 5000; i++) {
		enum join_result r = join("bert", i, 1, 0);

		if (r == JOIN_FULL) {
			for (int k = 1; k < ledger.n; k++)
				member_forget(&ledger, k);
			r = join("bert", i, 1, 0);
		}
		if (r != JOIN_NEW || lost != NO_MEMBER || entry == 0)
			break;
		ledger.members[entry].state = MEMBER_GONE;
	}
	CHECK(ledger.members[entry].incarnation == 4999);
	CHECK(ledger.n == MEMBERS_MAX);
	CHECK(member_find(&ledger, "anna") == 0);
}

static void a_forgotten_entry_is_nobody_until_it_is_given_away(void)
{
	struct introduction bert = anna;

	ledger.n = 0;
	member_join(&ledger, &anna, 1000, &entry, &lost);
	ledger.members[0].state = MEMBER_LOST;
	ledger.members[0].had_ranks = true;
	member_forget(&ledger, 0);
	CHECK(member_find(&ledger, "anna") == NO_MEMBER);
	CHECK(member_find(&ledger, "") == NO_MEMBER);
	CHECK(member_find_silent(&ledger, 9000) == NO_MEMBER);
	CHECK(member_slots_soon(&ledger, 9) == 0);

	ledger.n = MEMBERS_MAX;
	for (int i = 1; i < MEMBERS_MAX; i++)
		ledger.members[i] = (struct member){.name = "m"};
	bert.name = "bert";
	CHECK(member_join(&ledger, &bert, 9000, &entry, &lost) == JOIN_NEW);
	CHECK(entry == 0 && ledger.n == MEMBERS_MAX);
	CHECK(!ledger.members[0].had_ranks);
	ledger.n = 0;
}

static void one_that_was_served_and_is_not_known_is_stale(void)
{
	struct introduction again = anna;

	ledger.n = 0;
	member_join(&ledger, &anna, 1000, &entry, &lost);
	again.was_served = true;
	CHECK(member_join(&ledger, &again, 2000, &entry, &lost) == JOIN_AGAIN);
	ledger.members[0].state = MEMBER_LOST;
	CHECK(member_join(&ledger, &again, 3000, &entry, &lost) == JOIN_STALE);
	member_forget(&ledger, 0);
	CHECK(member_join(&ledger, &again, 3000, &entry, &lost) == JOIN_STALE);
	CHECK(entry == NO_MEMBER && lost == NO_MEMBER && ledger.n == 1);
}

static void only_the_living_are_found(void)
{
	static const bool alive[] = {
		[MEMBER_JOINED] = true,   [MEMBER_READY] = true,
		[MEMBER_DRAINING] = true, [MEMBER_LEAVING] = true,
		[MEMBER_GONE] = false,    [MEMBER_LOST] = false,
	};

	ledger.n = 0;
	join("bert", 1, 1, 1000);
	join("anna", 1, 1, 1000);
	for (int state = 0; state <= MEMBER_LOST; state++) {
		struct member *m = &ledger.members[1];

		m->state = (enum member_state)state;
		ledger.members[0].heard = 2000;
		CHECK(member_is_alive(m) == alive[state]);
		CHECK(member_find(&ledger, "anna") ==
		      (alive[state] ? 1 : NO_MEMBER));
		CHECK(member_find_silent(&ledger, 2000) ==
		      (alive[state] ? 1 : NO_MEMBER));
	}
	CHECK(member_find(&ledger, "ann") == NO_MEMBER);
}

static void the_silent_are_found_one_after_the_other(void)
{
	ledger.n = 0;
	join("anna", 1, 1, 1000);
	join("bert", 1, 1, 1500);
	join("cleo", 1, 1, 1000);

	CHECK(member_find_silent(&ledger, 1500) == NO_MEMBER);
	CHECK(member_find_silent(&ledger, 1501) == 0);
	ledger.members[0].state = MEMBER_LOST;
	CHECK(member_find_silent(&ledger, 1501) == 2);
	join("cleo", 1, 1, 1501);
	CHECK(member_find_silent(&ledger, 1501) == NO_MEMBER);
}

static void each_is_silent_in_its_own_time(void)
{
	struct introduction slow = anna;

	ledger.n = 0;
	slow.silence = 5000;
	member_join(&ledger, &slow, 1000, &entry, &lost);
	join("bert", 1, 1, 1000);
	CHECK(member_find_silent(&ledger, 1501) == 1);
	ledger.members[1].state = MEMBER_LOST;
	CHECK(member_find_silent(&ledger, 6000) == NO_MEMBER);
	CHECK(member_find_silent(&ledger, 6001) == 0);
}

static void the_first_to_join_decides_the_kind_of_all(void)
{
	struct introduction polled = anna;

	ledger.n = 0;
	CHECK(!member_all_polled(&ledger));
	join("bert", 1, 1, 1000);
	polled.polled = true;
	CHECK(member_join(&ledger, &polled, 1000, &entry, &lost) == JOIN_MIXED);
	CHECK(entry == NO_MEMBER && ledger.n == 1);
	CHECK(!member_all_polled(&ledger));

	ledger.n = 0;
	CHECK(member_join(&ledger, &polled, 1000, &entry, &lost) == JOIN_NEW);
	CHECK(ledger.members[entry].polled && member_all_polled(&ledger));
	CHECK(join("bert", 1, 1, 1000) == JOIN_MIXED);
	ledger.members[0].state = MEMBER_LOST;
	CHECK(join("bert", 1, 1, 1000) == JOIN_MIXED);

	ledger.n = 0;
	CHECK(!member_all_polled(&ledger));
	CHECK(join("bert", 1, 1, 1000) == JOIN_NEW);
}

static void only_the_ready_count(void)
{
	ledger.n = 0;
	for (int i = 0; i < 7; i++) {
		const char name[] = {(char)('a' + i), '\0'};

		join(name, 1, (unsigned)i + 1, 0);
		ledger.members[i].state =
			i < 6 ? (enum member_state)i : MEMBER_READY;
	}
	CHECK(member_slots_ready(&ledger, 100) == 2 + 7);
	CHECK(member_slots_ready(&ledger, 3) == 2 + 3);
	CHECK(member_slots_ready(&ledger, 0) == 0);
	ledger.n = 6;
	CHECK(member_slots_ready(&ledger, 100) == 2);
}

static void every_state_has_a_name(void)
{
	CHECK_TEXT(member_state_name(MEMBER_JOINED), "joined");
	CHECK_TEXT(member_state_name(MEMBER_READY), "ready");
	CHECK_TEXT(member_state_name(MEMBER_DRAINING), "draining");
	CHECK_TEXT(member_state_name(MEMBER_LEAVING), "leaving");
	CHECK_TEXT(member_state_name(MEMBER_GONE), "gone");
	CHECK_TEXT(member_state_name(MEMBER_LOST), "lost");
}

RUN_TESTS(TEST(an_executor_is_enrolled_as_it_introduces_itself),
	  TEST(without_a_node_its_machine_is_one),
	  TEST(the_same_incarnation_changes_nothing_but_is_heard),
	  TEST(a_new_incarnation_replaces_the_former_one),
	  TEST(a_lost_or_gone_incarnation_does_not_return),
	  TEST(names_are_short_and_plain),
	  TEST(slots_are_at_least_one_and_not_without_end),
	  TEST(long_texts_are_cut), TEST(a_full_ledger_still_knows_its_members),
	  TEST(one_after_the_other_more_join_than_fit),
	  TEST(a_forgotten_entry_is_nobody_until_it_is_given_away),
	  TEST(one_that_was_served_and_is_not_known_is_stale),
	  TEST(only_the_living_are_found),
	  TEST(the_silent_are_found_one_after_the_other),
	  TEST(each_is_silent_in_its_own_time),
	  TEST(the_first_to_join_decides_the_kind_of_all),
	  TEST(only_the_ready_count), TEST(every_state_has_a_name))
