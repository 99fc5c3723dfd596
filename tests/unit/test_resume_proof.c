/* SPDX-License-Identifier: Apache-2.0 */
#include "core/resume_proof.h"
#include "core/save_choice.h"
#include "tests/check.h"

/* ---- resume ---- */

static const struct resume_proof known = {.step = 500, .seen = 480};
static const struct resume_proof ordered = {.seen = 480};
static const struct resume_proof unknown = {0};

static void a_step_not_before_the_checkpoints_proves_it(void)
{
	CHECK(resume_on_step(&known, 500) == RESUME_PROVEN);
	CHECK(resume_on_step(&known, 501) == RESUME_PROVEN);
	CHECK(resume_on_step(&ordered, 480) == RESUME_PROVEN);
}

static void a_step_before_it_refutes_it(void)
{
	CHECK(resume_on_step(&known, 0) == RESUME_REFUTED);
	CHECK(resume_on_step(&known, 499) == RESUME_REFUTED);
	CHECK(resume_on_step(&ordered, 1) == RESUME_REFUTED);
}

static void a_step_is_all_there_is_when_the_checkpoints_is_not_known(void)
{
	CHECK(resume_on_step(&unknown, 1) == RESUME_PROVEN);
}

static void saying_so_proves_it_if_the_step_is_right(void)
{
	CHECK(resume_on_said(&known, 500) == RESUME_PROVEN);
	CHECK(resume_on_said(&known, 100) == RESUME_REFUTED);
	CHECK(resume_on_said(&ordered, 490) == RESUME_PROVEN);
}

static void saying_so_without_a_step_is_enough_only_if_none_is_known(void)
{
	CHECK(resume_on_said(&known, 0) == RESUME_OPEN);
	CHECK(resume_on_said(&ordered, 0) == RESUME_PROVEN);
	CHECK(resume_on_said(&unknown, 0) == RESUME_PROVEN);
}

/* ---- cost ---- */

static struct save_choice choice(uint64_t newest, uint64_t step, uint64_t next)
{
	return (struct save_choice){.from = 2,
				    .to = 4,
				    .step = step,
				    .has_newest = newest > 0,
				    .newest = newest,
				    .next = next,
				    .step_time = 10,
				    .deadline = SECONDS(60)};
}

static void what_costs_less_is_chosen(void)
{
	struct save_choice near = choice(1000, 1900, 2000);
	struct save_choice far = choice(1000, 1100, 2000);

	CHECK(!save_takes_newest(&near));
	CHECK(save_takes_newest(&far));
}

static void where_both_cost_the_same_it_waits(void)
{
	struct save_choice half_way = choice(1000, 1500, 2000);

	CHECK(!save_takes_newest(&half_way));
}

static void a_checkpoint_of_this_very_step_is_taken(void)
{
	struct save_choice just_written = choice(1000, 1000, 2000);

	CHECK(save_takes_newest(&just_written));
}

static void a_small_change_is_worth_little_repeated_work(void)
{
	struct save_choice at = choice(1000, 1400, 2000);

	CHECK(save_takes_newest(&at)); /* 400 * 2 against 600 * 2 */
	at.to = 3;
	CHECK(!save_takes_newest(&at)); /* 600 * 1 */
	at.to = 1;
	CHECK(!save_takes_newest(&at));
	at.to = 0;
	CHECK(save_takes_newest(&at));
	at.from = 8;
	at.to = 2;
	CHECK(save_takes_newest(&at)); /* 400 * 8 against 600 * 6 */
	at.to = 4;
	CHECK(!save_takes_newest(&at));
}

static void a_checkpoint_that_would_come_too_late_is_not_waited_for(void)
{
	struct save_choice late = choice(1000, 9000, 16000);

	CHECK(save_takes_newest(&late));
	late.deadline = SECONDS(70); /* 7000 steps of 10 ms */
	CHECK(!save_takes_newest(&late));
	late.deadline = SECONDS(100);
	CHECK(!save_takes_newest(&late));
}

static void what_is_not_known_is_waited_for(void)
{
	struct save_choice none = choice(0, 1100, 2000);
	struct save_choice unsure = choice(1000, 1100, 0);
	struct save_choice stale = choice(1500, 1100, 2000);
	struct save_choice incomplete = choice(1000, 1100, 2000);
	struct save_choice unnumbered = choice(1000, 1100, 9000);

	incomplete.has_newest = false;
	unnumbered.newest = 0;
	CHECK(!save_takes_newest(&none));
	CHECK(!save_takes_newest(&unsure));
	CHECK(!save_takes_newest(&stale));
	CHECK(!save_takes_newest(&incomplete));
	CHECK(!save_takes_newest(&unnumbered));
}

RUN_TESTS(TEST(a_step_not_before_the_checkpoints_proves_it),
	  TEST(a_step_before_it_refutes_it),
	  TEST(a_step_is_all_there_is_when_the_checkpoints_is_not_known),
	  TEST(saying_so_proves_it_if_the_step_is_right),
	  TEST(saying_so_without_a_step_is_enough_only_if_none_is_known),
	  TEST(what_costs_less_is_chosen),
	  TEST(where_both_cost_the_same_it_waits),
	  TEST(a_checkpoint_of_this_very_step_is_taken),
	  TEST(a_small_change_is_worth_little_repeated_work),
	  TEST(a_checkpoint_that_would_come_too_late_is_not_waited_for),
	  TEST(what_is_not_known_is_waited_for))
