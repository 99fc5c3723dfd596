/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/benefit_bed.h"

static void begin_probing(unsigned size, double steps_left)
{
	begin(BENEFIT_SOONEST, size, steps_left);
	benefit.rules.probes = true;
	measured_well(size);
}

static void a_probe_takes_the_largest_size_that_it_can_afford(void)
{
	/* 20 s for two rescales, and 6 steps of 5 s that take up to 4 times as
	 * long: 3 % of 500 steps is 75 s, of 1000 it is 150 s */
	begin_probing(2, 500);
	CHECK(decide() == 5 && choice.reason == BENEFIT_PROBES);
	CHECK(fabs(choice.most - 65) < 1e-6);
	CHECK_TEXT(text, "2 -> 5 is a probe: it costs 65 s at most, and 2500 s "
			 "are left");
	begin_probing(2, 1000);
	CHECK(decide() == 8);
	begin_probing(2, 1000);
	meter.stride = 4;
	CHECK(decide() == 4);
}

static void a_probe_that_is_too_dear_is_not_made(void)
{
	begin_probing(2, 100);
	decide();
	CHECK(choice.reason != BENEFIT_PROBES);
	begin_probing(2, 1000);
	benefit.rules.probes = false;
	decide();
	CHECK(choice.reason != BENEFIT_PROBES);
}

static void a_probe_keeps_within_the_grant_and_waits_for_what_is_stated(void)
{
	begin_probing(2, 1000);
	facts.grant = 3;
	CHECK(decide() == 3 && choice.reason == BENEFIT_PROBES);
	begin_probing(2, 1000);
	facts.want = 4;
	decide();
	CHECK(choice.reason != BENEFIT_PROBES);
}

static void a_probe_does_not_make_the_job_miss_its_deadline(void)
{
	for (int spare = 0; spare <= 1; spare++) {
		begin_probing(4, 1000);
		benefit.rules.goal = BENEFIT_DEADLINE;
		benefit.rules.deadline =
			facts.now + SECONDS(spare ? 3200 : 3010);
		CHECK(decide() == (spare ? 1 : 0));
	}
}

static void from_the_largest_size_a_smaller_one_is_probed(void)
{
	begin_probing(8, 5000);
	CHECK(decide() == 1 && choice.reason == BENEFIT_PROBES);
}

static void the_cost_of_a_probe_is_told_when_its_size_is_measured(void)
{
	begin_probing(2, 1000);
	CHECK(decide() == 8);
	moved(8);
	CHECK(benefit.probe.number == 0 && benefit.probes == 1);
	measured_well(8);
	decide();
	CHECK(benefit.probe.number == 1 && benefit.probe.ranks == 8);
	CHECK(fabs(benefit.probe.seconds - (10 - 6 * 3)) < 1e-6);
	benefit_say_probe(&benefit.probe, text, sizeof(text));
	CHECK_TEXT(text, "the probe of 8 ranks cost -8 s: 2 s a step, not 5");
	decide();
	CHECK(benefit.probe.number == 1);
}

/* The way back from a probe is no change of mind. */
static void a_probe_that_was_slower_goes_back_at_once(void)
{
	begin_probing(2, 1000);
	price(1);
	CHECK(decide() == 8);
	moved(8);
	measured(8, 5.1, 20);
	CHECK(decide() == 2 && choice.reason == BENEFIT_GAINS);
}

static void one_curve_is_probed_a_few_times_and_another_one_again(void)
{
	begin_probing(2, 1000);
	benefit.probes = BENEFIT_PROBES_MAX;
	decide();
	CHECK(choice.reason != BENEFIT_PROBES);
	begin_probing(2, 1000);
	benefit.probes = BENEFIT_PROBES_MAX;
	benefit.last.to = 2;
	meter.change.number = 1;
	CHECK(decide() == 8 && choice.reason == BENEFIT_PROBES);
	CHECK(benefit.last.to == 0);
}

static void a_probe_has_to_let_hope_for_a_tenth(void)
{
	for (unsigned more = 1; more <= 4; more += 3) {
		const unsigned two[] = {20, 20 + more};

		begin_probing(20, 10000);
		benefit.rules.sizes = two;
		benefit.rules.n_sizes = 2;
		decide();
		CHECK((choice.reason == BENEFIT_PROBES) == (more == 4));
	}
}

RUN_TESTS(TEST(a_probe_takes_the_largest_size_that_it_can_afford),
	  TEST(a_probe_that_is_too_dear_is_not_made),
	  TEST(a_probe_keeps_within_the_grant_and_waits_for_what_is_stated),
	  TEST(a_probe_does_not_make_the_job_miss_its_deadline),
	  TEST(from_the_largest_size_a_smaller_one_is_probed),
	  TEST(the_cost_of_a_probe_is_told_when_its_size_is_measured),
	  TEST(a_probe_that_was_slower_goes_back_at_once),
	  TEST(one_curve_is_probed_a_few_times_and_another_one_again),
	  TEST(a_probe_has_to_let_hope_for_a_tenth))
