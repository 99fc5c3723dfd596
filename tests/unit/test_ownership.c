/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ownership.h"
#include "tests/check.h"

static const struct ownership_sight alive_here = {
	.readable = true,
	.same_boot = true,
	.same_host = true,
	.lock = OWNERSHIP_LOCK_HELD,
};

static void a_record_that_says_left_holds_nobody_up(void)
{
	struct ownership_sight sight = alive_here;

	for (int i = 0; i < 8; i++) {
		sight.left = true;
		sight.same_boot = i & 1;
		sight.same_host = i & 2;
		sight.lock =
			i & 4 ? OWNERSHIP_LOCK_HELD : OWNERSHIP_LOCK_UNKNOWN;
		sight.without_rank = true;
		CHECK(ownership_judge(&sight) == OWNERSHIP_BEGIN);
		sight.without_rank = false;
		CHECK(ownership_judge(&sight) == OWNERSHIP_FENCE);
	}
}

static void a_coordinator_that_lives_on_this_host_is_not_replaced(void)
{
	CHECK(ownership_judge(&alive_here) == OWNERSHIP_REFUSE);
}

static void one_that_was_killed_on_this_machine_costs_a_fence(void)
{
	struct ownership_sight sight = alive_here;

	sight.lock = OWNERSHIP_LOCK_FREE;
	CHECK(ownership_judge(&sight) == OWNERSHIP_FENCE);
	sight.same_host = false; /* in another container */
	CHECK(ownership_judge(&sight) == OWNERSHIP_FENCE);
}

static void whoever_may_live_elsewhere_is_waited_for(void)
{
	struct ownership_sight sight = alive_here;

	sight.same_boot = false;
	for (int lock = 0; lock <= OWNERSHIP_LOCK_UNKNOWN; lock++) {
		sight.lock = lock;
		CHECK(ownership_judge(&sight) == OWNERSHIP_WAIT);
	}
	sight.same_boot = true;
	CHECK(ownership_judge(&sight) == OWNERSHIP_WAIT);
	sight = alive_here;
	sight.same_host = false; /* the pod that this one replaces */
	CHECK(ownership_judge(&sight) == OWNERSHIP_WAIT);
}

static void a_record_that_cannot_be_read_may_be_of_anybody(void)
{
	struct ownership_sight sight = alive_here;

	sight.readable = false;
	sight.left = sight.without_rank = true;
	CHECK(ownership_judge(&sight) == OWNERSHIP_WAIT);
}

static void the_wait_ends_with_the_lease_and_the_slack(void)
{
	const msec_t longest = OWNERSHIP_LEASE + OWNERSHIP_SLACK;

	CHECK(ownership_after_claim(OWNERSHIP_BEGIN, 0) == OWNERSHIP_BEGIN);
	CHECK(ownership_after_claim(OWNERSHIP_FENCE, 0) == OWNERSHIP_FENCE);
	CHECK(ownership_after_claim(OWNERSHIP_WAIT, 0) == OWNERSHIP_WAIT);
	CHECK(ownership_after_claim(OWNERSHIP_WAIT, longest - 1) ==
	      OWNERSHIP_WAIT);
	CHECK(ownership_after_claim(OWNERSHIP_WAIT, longest) ==
	      OWNERSHIP_FENCE);
	/* it claimed the directory before we did, and has not looked yet */
	CHECK(ownership_after_claim(OWNERSHIP_REFUSE, 0) == OWNERSHIP_WAIT);
}

/* A claim is seen by a look that begins OWNERSHIP_SLACK after it, at the
 * latest.  One that looks no more lets its ranks compute until then. */
static void nothing_computes_twice_however_old_what_the_other_sees_is(void)
{
	const msec_t claimed = 1000, last_look = claimed + OWNERSHIP_SLACK - 1;
	msec_t until = ownership_valid_until(last_look);

	CHECK(until > claimed);
	CHECK(ownership_after_claim(OWNERSHIP_WAIT, until - claimed - 1) ==
	      OWNERSHIP_WAIT);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_record_that_says_left_holds_nobody_up),
		TEST(a_coordinator_that_lives_on_this_host_is_not_replaced),
		TEST(one_that_was_killed_on_this_machine_costs_a_fence),
		TEST(whoever_may_live_elsewhere_is_waited_for),
		TEST(a_record_that_cannot_be_read_may_be_of_anybody),
		TEST(the_wait_ends_with_the_lease_and_the_slack),
		TEST(nothing_computes_twice_however_old_what_the_other_sees_is),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
