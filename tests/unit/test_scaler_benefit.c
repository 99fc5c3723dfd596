/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/benefit_bed.h"

/* ---- goals ---- */

static void each_goal_has_its_best_size(void)
{
	static const struct {
		enum benefit_goal goal;
		unsigned size;
		double steps, deadline, efficiency;
		unsigned want; /* 0: none */
	} rows[] = {
		{BENEFIT_SOONEST, 2, 100, 0, 0, 8},
		{BENEFIT_SOONEST, 8, 100, 0, 0, 0},
		{BENEFIT_SOONEST, 2, 2, 0, 0, 0},
		/* 8 + n rank-seconds a step; the price counts the larger size
		 */
		{BENEFIT_CHEAPEST, 8, 100, 0, 0, 1},
		{BENEFIT_CHEAPEST, 8, 10, 0, 0, 0},
		{BENEFIT_CHEAPEST, 1, 100, 0, 0, 0},
		/* 500 s on 2 ranks; 367 on 3, 300 on 4 */
		{BENEFIT_DEADLINE, 2, 100, 350, 0, 4},
		{BENEFIT_DEADLINE, 2, 100, 306, 0, 5},
		{BENEFIT_DEADLINE, 8, 100, 600, 0, 2},
		{BENEFIT_DEADLINE, 8, 100, 210, 0, 0},
		{BENEFIT_DEADLINE, 2, 100, 100, 0, 8},
		/* 9 / (8 + n): 0.75 on 4 ranks, 0.69 on 5, 0.56 on 8 */
		{BENEFIT_EFFICIENCY, 2, 100, 0, 0.72, 4},
		{BENEFIT_EFFICIENCY, 8, 100, 0, 0.72, 4},
		{BENEFIT_EFFICIENCY, 4, 100, 0, 0.72, 0},
		{BENEFIT_EFFICIENCY, 2, 100, 0, 0.5, 8},
		/* what is short by less than is known is efficient enough */
		{BENEFIT_EFFICIENCY, 4, 100, 0, 0.752, 0},
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		begin_known(rows[i].goal, rows[i].size, rows[i].steps);
		benefit.rules.deadline =
			facts.now + SECONDS((msec_t)rows[i].deadline);
		benefit.rules.efficiency = rows[i].efficiency;
		if (decide() != rows[i].want)
			printf("# row %zu: %u, %s\n", i, choice.ranks, text);
		CHECK(choice.ranks == rows[i].want);
	}
}

static void a_goal_chooses_among_the_sizes_that_the_application_accepts(void)
{
	static const unsigned few[] = {1, 2, 4};

	begin_known(BENEFIT_SOONEST, 2, 100);
	benefit.rules.sizes = few;
	benefit.rules.n_sizes = LENGTH(few);
	CHECK(decide() == 4);
}

/* ---- gain, price and margin ---- */

static void an_acceptance_says_its_numbers(void)
{
	begin_known(BENEFIT_SOONEST, 2, 100);
	CHECK(decide() == 8 && choice.reason == BENEFIT_GAINS);
	CHECK(fabs(choice.gain.seconds - 300) < 1 && choice.gain.sd > 0);
	CHECK(fabs(choice.price.seconds - 10) < 1e-9);
	CHECK(fabs(choice.left - 500) < 1);
	CHECK(strncmp(text, "2 -> 8: 500 s are left, gain 300 +- ", 36) == 0);
	CHECK(strstr(text, " s, price 10 s"));
}

static void a_decline_says_its_numbers(void)
{
	begin_known(BENEFIT_SOONEST, 2, 2);
	CHECK(stays(BENEFIT_NOT_WORTH));
	CHECK(strncmp(text, "not 2 -> 8: 10 s are left, gain 6 +- ", 37) == 0);
	CHECK(strstr(text, " s, price 10 s"));
	begin_known(BENEFIT_SOONEST, 8, 100);
	CHECK(stays(BENEFIT_BEST));
	CHECK_TEXT(text, "no size is predicted to be better than 8 ranks, and "
			 "200 s are left");
}

static void work_is_said_in_rank_seconds(void)
{
	begin_known(BENEFIT_CHEAPEST, 8, 100);
	CHECK(decide() == 1);
	CHECK(strstr(text, "rank-seconds, price 80 rank-seconds"));
}

/* 100 s are gained by what was seen twice, and 30 s paid. */
static void a_gain_that_is_not_certain_enough_is_declined(void)
{
	for (int noisy = 0; noisy <= 1; noisy++) {
		double off = noisy ? 0.3 : 0.01;

		begin(BENEFIT_SOONEST, 2, 1000);
		price(30);
		for (int i = 0; i < 4; i++) {
			measured(2, 1 + (i % 2 ? off : -off), 1);
			measured(4, 0.95 + (i % 2 ? off : -off), 1);
		}
		benefit.rules.sizes = (const unsigned[]){2, 4};
		benefit.rules.n_sizes = 2;
		CHECK(decide() == (noisy ? 0 : 4));
	}
}

/* 4 ranks take a second a step, and 2 take less; each is known to 1 %. */
static void the_way_back_needs_more_gain(void)
{
	static const struct {
		double less, price;
	} rows[] = {
		{0.1, 60},  /* 40 s are gained, for 60 s */
		{0.025, 5}, /* 20 s are gained, give or take 14 s */
	};

	for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
		bool back = i % 2;

		begin(BENEFIT_SOONEST, 4, 1000);
		measured(2, 1 - rows[i / 2].less, 1000);
		measured(4, 1, 1000);
		benefit.rules.sizes = (const unsigned[]){2, 4};
		benefit.rules.n_sizes = 2;
		price(rows[i / 2].price);
		if (back)
			benefit.last = (struct benefit_move){
				.from = 2, .to = 4, .predicted = 0.9};
		CHECK(decide() == (back ? 0 : 2));
	}
}

/* 5 s a step on 2 ranks, so 2.5 s or nothing less on 4. */
static void one_size_is_enough_where_the_price_is_small(void)
{
	for (int dear = 0; dear <= 1; dear++) {
		begin(BENEFIT_SOONEST, 2, 1000);
		measured_well(2);
		benefit.rules.sizes = (const unsigned[]){2, 4};
		benefit.rules.n_sizes = 2;
		price(dear ? 700 : 600);
		CHECK(decide() == (dear ? 0 : 4));
	}
}

/* On 1 and 8 ranks 9 and 8 rank-seconds a step. */
static void the_price_of_work_is_that_of_the_larger_size(void)
{
	for (int dear = 0; dear <= 1; dear++) {
		begin(BENEFIT_CHEAPEST, 1, 1000);
		measured(1, 9, 1000);
		measured(8, 1, 1000);
		price(dear ? 130 : 90);
		benefit.rules.sizes = (const unsigned[]){1, 8};
		benefit.rules.n_sizes = 2;
		CHECK(decide() == (dear ? 0 : 8));
	}
}

static void the_smallest_size_in_time_stays_though_a_larger_one_is_cheaper(void)
{
	begin(BENEFIT_DEADLINE, 2, 100);
	measured(2, 5, 1000);
	measured(4, 2, 1000);
	benefit.rules.sizes = (const unsigned[]){2, 4};
	benefit.rules.n_sizes = 2;
	benefit.rules.deadline = facts.now + SECONDS(600);
	CHECK(stays(BENEFIT_BEST));
	benefit.rules.goal = BENEFIT_CHEAPEST;
	CHECK(decide() == 4);
}

/* ---- when nothing can be said yet ---- */

static void nothing_is_decided_before_the_size_is_measured(void)
{
	begin(BENEFIT_SOONEST, 2, 100);
	meter.fresh = 0;
	CHECK(stays(BENEFIT_MEASURING));
	begin_known(BENEFIT_SOONEST, 2, 100);
	meter.fresh = BENEFIT_MEASURES - 1;
	CHECK(stays(BENEFIT_MEASURING));
	meter.fresh++;
	facts.size = 0;
	CHECK(stays(BENEFIT_MEASURING));
	facts.size = 2;
	facts.steps_left = -1;
	CHECK(stays(BENEFIT_UNKNOWN));
	CHECK_TEXT(text, "how many steps are left is not known");
	facts.steps_left = 100;
	CHECK(decide() == 8);
}

/* The mean of n steps that are off by a quarter is off by a quarter / sqrt(n).
 */
static void noisy_steps_are_measured_more_often(void)
{
	static const struct {
		double off;
		unsigned least, most;
	} rows[] = {{0.01, 3, 3}, {0.25, 6, 8}, {0.9, 20, 20}};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		begin(BENEFIT_SOONEST, 2, 1000);
		for (int k = 0; k < 20; k++)
			measured(2, 5 * (1 + (k % 2 ? 1 : -1) * rows[i].off),
				 1);
		meter.fresh = rows[i].least - 1;
		CHECK(stays(BENEFIT_MEASURING));
		meter.fresh = rows[i].most;
		decide();
		CHECK(choice.reason != BENEFIT_MEASURING);
	}
}

/* ---- answers ---- */

static void after_an_answer_there_is_a_pause(void)
{
	begin_known(BENEFIT_SOONEST, 2, 100);
	CHECK(decide() == 8);
	CHECK(stays(BENEFIT_WAITS));
	benefit_answered(&benefit, SCALER_POSTPONED, facts.now);
	CHECK(stays(BENEFIT_WAITS));
	CHECK(choice.again == facts.now + SCALER_PAUSE);
	facts.now += SCALER_PAUSE;
	CHECK(decide() == 8);
	CHECK(stays(BENEFIT_WAITS) && choice.again == 0);
	benefit_answered(&benefit, SCALER_UNANSWERED, facts.now);
	CHECK(stays(BENEFIT_WAITS));
	CHECK(choice.again == facts.now + 2 * SCALER_PAUSE);
	facts.now += 2 * SCALER_PAUSE;
	CHECK(decide() == 8);
	benefit_answered(&benefit, SCALER_ACCEPTED, facts.now);
	CHECK(stays(BENEFIT_WAITS));
	CHECK(choice.again == facts.now + 4 * SCALER_PAUSE);
	facts.now += 4 * SCALER_PAUSE;
	CHECK(decide() == 8);
	benefit_answered(&benefit, SCALER_POSTPONED, facts.now);
	CHECK(stays(BENEFIT_WAITS));
	CHECK(choice.again == facts.now + SCALER_PAUSE);
}

static void a_want_that_is_stated_is_not_stated_again(void)
{
	begin_known(BENEFIT_SOONEST, 2, 100);
	facts.want = 8;
	CHECK(stays(BENEFIT_WAITS));
}

static void a_size_that_is_declined_is_not_asked_for_again(void)
{
	begin_known(BENEFIT_SOONEST, 2, 100);
	CHECK(decide() == 8);
	benefit_answered(&benefit, SCALER_DECLINED, facts.now);
	facts.now += SECONDS(1);
	CHECK(decide() == 7);
	benefit_answered(&benefit, SCALER_ACCEPTED, facts.now);
	begin_known(BENEFIT_SOONEST, 2, 100);
	benefit_refuse(&benefit, 8);
	benefit_refuse(&benefit, 8);
	CHECK(benefit.n_refused == 1);
	CHECK(decide() == 7);
}

static void many_sizes_may_be_declined(void)
{
	unsigned many[3 * BENEFIT_REFUSED_MAX];

	begin_known(BENEFIT_SOONEST, 2, 100);
	for (unsigned i = 0; i < LENGTH(many); i++)
		many[i] = i + 1;
	benefit.rules.sizes = many;
	benefit.rules.n_sizes = LENGTH(many);
	for (unsigned i = 0; i < LENGTH(many); i++)
		benefit_refuse(&benefit, i + 1);
	CHECK(decide() == LENGTH(many) - BENEFIT_REFUSED_MAX);
}

static void a_want_that_is_not_reached_is_withdrawn_when_it_pays_no_more(void)
{
	begin_known(BENEFIT_SOONEST, 2, 100);
	facts.want = 8;
	CHECK(stays(BENEFIT_WAITS));
	facts.steps_left = 2;
	CHECK(decide() == 2 && choice.reason == BENEFIT_NO_MORE);
	CHECK(strncmp(text, "no longer 2 -> 8: 10 s are left", 31) == 0);
	moved(2);
	CHECK(benefit.last.to == 0);
	CHECK(stays(BENEFIT_NOT_WORTH));
}

/* ---- wrong predictions ---- */

static void a_size_that_is_slower_than_predicted_is_left(void)
{
	begin(BENEFIT_SOONEST, 2, 1000);
	measured(1, 2, 100);
	measured(2, 1, 100);
	CHECK(decide() == 8 && benefit.last.to == 0);
	moved(8);
	measured(8, 1.8, 20);
	CHECK(decide() == 2 && choice.reason == BENEFIT_SLOWER);
	CHECK_TEXT(text, "8 ranks are slower than predicted: 1.8 s a step, not "
			 "0.25; back to 2");
}

static void another_size_than_the_one_before_is_gone_on_to(void)
{
	begin(BENEFIT_SOONEST, 2, 1000);
	measured(1, 2, 100);
	measured(2, 1, 100);
	CHECK(decide() == 8);
	moved(8);
	measured(8, 0.7, 20);
	CHECK(decide() > 2 && choice.reason == BENEFIT_SLOWER);
	CHECK(strstr(text, "not 0.25; on to "));
}

static void a_size_that_is_as_predicted_is_not_blamed(void)
{
	begin_known(BENEFIT_SOONEST, 4, 100);
	benefit.last =
		(struct benefit_move){.from = 2, .to = 4, .predicted = 2.9};
	CHECK(decide() == 8 && choice.reason == BENEFIT_GAINS);
}

static void what_changed_is_told(void)
{
	const struct step_change change = {.ranks = 4, .from = 0.7, .to = 1.2};

	benefit_say_change(&change, text, sizeof(text));
	CHECK_TEXT(text, "a step on 4 ranks takes 1.2 s now, not 0.7: what was "
			 "measured before counts no more");
}

RUN_TESTS(TEST(each_goal_has_its_best_size),
	  TEST(a_goal_chooses_among_the_sizes_that_the_application_accepts),
	  TEST(an_acceptance_says_its_numbers),
	  TEST(a_decline_says_its_numbers), TEST(work_is_said_in_rank_seconds),
	  TEST(a_gain_that_is_not_certain_enough_is_declined),
	  TEST(the_way_back_needs_more_gain),
	  TEST(one_size_is_enough_where_the_price_is_small),
	  TEST(the_price_of_work_is_that_of_the_larger_size),
	  TEST(the_smallest_size_in_time_stays_though_a_larger_one_is_cheaper),
	  TEST(nothing_is_decided_before_the_size_is_measured),
	  TEST(noisy_steps_are_measured_more_often),
	  TEST(after_an_answer_there_is_a_pause),
	  TEST(a_want_that_is_stated_is_not_stated_again),
	  TEST(a_size_that_is_declined_is_not_asked_for_again),
	  TEST(many_sizes_may_be_declined),
	  TEST(a_want_that_is_not_reached_is_withdrawn_when_it_pays_no_more),
	  TEST(a_size_that_is_slower_than_predicted_is_left),
	  TEST(another_size_than_the_one_before_is_gone_on_to),
	  TEST(a_size_that_is_as_predicted_is_not_blamed),
	  TEST(what_changed_is_told))
