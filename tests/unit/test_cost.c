/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "core/cost.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

struct law {
	double parallel, serial, coherency;
};

static const struct law ideal = {8, 0, 0}, amdahl = {8, 1, 0},
			usl = {8, 0.5, 0.05};

static double law_at(const struct law *law, unsigned ranks)
{
	return law->parallel / ranks + law->serial + law->coherency * ranks;
}

/* So many measurements at each of these sizes; each is off by up to noise times
 * what the law says. */
static struct cost_steps seen(const struct law *law, const unsigned *ranks,
			      size_t n, unsigned many, double noise)
{
	struct cost_steps steps = {0};

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < many; k++) {
			double off = noise * (2 * drand48() - 1);

			cost_observe(&steps, ranks[i],
				     law_at(law, ranks[i]) * (1 + off));
		}
	return steps;
}

static struct cost_curve fit(const struct law *law, const unsigned *ranks,
			     size_t n)
{
	struct cost_steps steps = seen(law, ranks, n, 20, 0);

	return cost_fit(&steps);
}

#define FIT(law, ...)                                                          \
	fit((law), (const unsigned[]){__VA_ARGS__},                            \
	    sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static bool says(const struct cost_curve *curve, unsigned ranks, double seconds)
{
	return fabs(cost_of_step(curve, ranks).seconds - seconds) <
	       1e-9 * seconds;
}

/* ---- laws ---- */

static void each_law_is_found_in_what_it_made(void)
{
	struct cost_curve by_ideal = FIT(&ideal, 1, 2, 4);
	struct cost_curve by_amdahl = FIT(&amdahl, 1, 2, 4, 8);
	struct cost_curve by_usl = FIT(&usl, 1, 2, 8, 32);

	CHECK(by_ideal.law == COST_LINEAR);
	CHECK(says(&by_ideal, 16, 0.5));
	CHECK(by_amdahl.law == COST_AMDAHL);
	CHECK(says(&by_amdahl, 16, 1.5));
	CHECK(by_usl.law == COST_USL);
	CHECK(says(&by_usl, 16, 0.5 + 0.5 + 0.8));
	CHECK(cost_of_step(&by_usl, 64).seconds >
	      cost_of_step(&by_usl, 12).seconds);
}

static void a_program_that_slows_down_with_ranks_is_seen(void)
{
	static const struct law slow = {1, 0, 0.5};
	struct cost_curve curve = FIT(&slow, 2, 4);

	CHECK(curve.law == COST_USL);
	CHECK(cost_of_step(&curve, 8).seconds >
	      cost_of_step(&curve, 4).seconds);
}

/* No other law has terms that are not negative: its time grows by more than its
 * ranks, or by nothing but them. */
static void a_program_that_gains_nothing_by_ranks_is_seen_by_two_sizes(void)
{
	struct cost_steps steps = {0};
	struct cost_curve flat, slow;

	for (int i = 0; i < 20; i++) {
		cost_observe(&steps, 2, 1);
		cost_observe(&steps, 8, 1.001);
	}
	flat = cost_fit(&steps);
	CHECK(flat.law == COST_FLAT);
	CHECK(fabs(cost_seconds(&flat, 4) - 1) < 0.01);
	steps = (struct cost_steps){0};
	for (int i = 0; i < 20; i++) {
		cost_observe(&steps, 2, 1);
		cost_observe(&steps, 4, 2.1);
	}
	slow = cost_fit(&steps);
	CHECK(slow.law == COST_SLOWER);
	CHECK(fabs(cost_seconds(&slow, 1) - 0.5) < 0.05);
}

static void each_rank_may_cost_the_same_time(void)
{
	static const struct law each = {0, 1, 0.1};
	struct cost_curve curve = FIT(&each, 1, 2, 8);

	CHECK(curve.law == COST_SLOWER);
	CHECK(says(&curve, 4, 1.4));
}

static void a_program_that_is_faster_than_ideal_is_taken_as_ideal(void)
{
	struct cost_steps steps = {0};
	struct cost_curve curve;

	for (int i = 0; i < 20; i++) {
		cost_observe(&steps, 2, 4);
		cost_observe(&steps, 4, 1.9);
	}
	curve = cost_fit(&steps);
	CHECK(curve.law == COST_LINEAR);
}

static void two_sizes_tell_little_of_one_that_is_far_from_them(void)
{
	struct cost_curve two = FIT(&amdahl, 2, 4);
	struct cost_curve four = FIT(&amdahl, 2, 4, 16, 64);

	CHECK(two.law == COST_AMDAHL);
	CHECK(cost_of_step(&two, 3).sd < 0.1);
	CHECK(cost_of_step(&two, 64).sd > 1);
	CHECK(cost_of_step(&four, 64).sd < 0.1);
}

static void one_size_leaves_all_between_no_speed_up_and_the_ideal_one(void)
{
	struct cost_curve curve = FIT(&ideal, 2); /* 4 s a step */
	struct cost_time same = cost_of_step(&curve, 2);
	struct cost_time more = cost_of_step(&curve, 8);

	CHECK(curve.law == COST_ONE_SIZE);
	CHECK(fabs(same.seconds - 4) < 1e-9 && same.sd < 0.1);
	CHECK(fabs(more.seconds - 2.5) < 1e-9);
	CHECK(fabs(more.sd - 1.5) < 0.01);
}

static void nothing_is_known_before_the_first_measurement(void)
{
	struct cost_steps none = {0};
	struct cost_curve curve = cost_fit(&none);

	CHECK(curve.law == COST_UNKNOWN);
	CHECK(isnan(cost_of_step(&curve, 4).seconds));
	CHECK(isinf(cost_of_step(&curve, 4).sd));
}

/* The true time at a size that was not seen is within two standard deviations
 * as often as that is to be expected, and not because these are huge. */
static void predictions_from_noisy_steps_are_as_good_as_they_say(void)
{
	static const unsigned ranks[] = {1, 2, 4, 8};
	static const struct law *const laws[] = {&ideal, &amdahl, &usl};

	srand48(1);
	for (size_t l = 0; l < LENGTH(laws); l++) {
		double truth = law_at(laws[l], 6);
		unsigned within = 0, narrow = 0;

		for (int i = 0; i < 400; i++) {
			struct cost_steps steps =
				seen(laws[l], ranks, LENGTH(ranks), 10, 0.2);
			struct cost_curve curve = cost_fit(&steps);
			struct cost_time at = cost_of_step(&curve, 6);

			within += fabs(at.seconds - truth) < 2 * at.sd;
			narrow += at.sd < 0.15 * truth;
		}
		CHECK(within >= 360);
		CHECK(narrow >= 360);
	}
}

/* ---- measurements ---- */

static void the_warm_up_after_a_start_is_left_out(void)
{
	struct cost_steps steps = {0};

	cost_started(&steps);
	for (int i = 0; i < COST_WARM_UP; i++)
		cost_observe(&steps, 2, 100);
	CHECK(steps.n == 0);
	cost_observe(&steps, 2, 4);
	CHECK(steps.n == 1 && steps.sizes[0].mean == 4);
}

static void times_that_are_none_are_left_out(void)
{
	struct cost_steps steps = {0};

	cost_observe(&steps, 0, 1);
	cost_observe(&steps, 2, 0);
	cost_observe(&steps, 2, -1);
	cost_observe(&steps, 2, NAN);
	cost_observe(&steps, 2, INFINITY);
	CHECK(steps.n == 0);
}

static void the_size_that_was_seen_least_makes_room(void)
{
	struct cost_steps steps = {0};

	for (unsigned ranks = 1; ranks <= COST_SIZES_MAX; ranks++)
		for (unsigned i = 0; i < (ranks == 5 ? 1 : 2); i++)
			cost_observe(&steps, ranks, 1);
	cost_observe(&steps, 100, 1);
	CHECK(steps.n == COST_SIZES_MAX);
	for (size_t i = 0; i < steps.n; i++)
		CHECK(steps.sizes[i].ranks != 5);
	CHECK(steps.sizes[4].ranks == 100 && steps.sizes[4].n == 1);
}

static void what_was_measured_at_a_size_is_known_the_better_the_more_it_is(void)
{
	struct cost_steps steps = {0};
	struct cost_time few, many;

	for (int i = 0; i < 4; i++)
		cost_observe(&steps, 2, i % 2 ? 3 : 5);
	CHECK(!cost_seen(&steps, 4));
	CHECK(cost_seen(&steps, 2)->n == 4);
	few = cost_measured(&steps, cost_seen(&steps, 2));
	for (int i = 0; i < 96; i++)
		cost_observe(&steps, 2, i % 2 ? 3 : 5);
	many = cost_measured(&steps, cost_seen(&steps, 2));
	CHECK(few.seconds == 4 && fabs(many.seconds - 4) < 1e-9);
	CHECK(few.sd > 0.5 && few.sd < 0.7);
	CHECK(many.sd > 0.1 && many.sd < 0.12);
}

/* ---- rescales ---- */

static void
the_first_rescale_is_priced_by_start_and_state_and_others_by_it(void)
{
	struct cost_rescales rescales = {0};
	struct cost_time first = cost_of_rescale(&rescales, 0, 1 << 29);
	struct cost_time next;

	CHECK(fabs(first.seconds - 0.6) < 1e-9);
	first = cost_of_rescale(&rescales, 3, 1 << 29);
	CHECK(fabs(first.seconds - 3.6) < 1e-9 &&
	      first.sd == first.seconds / 2);
	cost_rescaled(&rescales, 2);
	next = cost_of_rescale(&rescales, 3, 1 << 29);
	CHECK(next.seconds == 2 && next.sd == 1);
	cost_rescaled(&rescales, 2.2);
	next = cost_of_rescale(&rescales, 0, 1 << 29);
	CHECK(fabs(next.seconds - 2.1) < 1e-9);
	CHECK(fabs(next.sd - sqrt(0.02)) < 1e-9);
}

static void a_rescale_pays_if_there_are_steps_enough_left(void)
{
	struct cost_curve curve = FIT(&amdahl, 2, 4, 8); /* 5, 3, 2 s */
	const struct cost_time price = {10, 1};
	struct cost_time many = cost_gain(&curve, 2, 4, 100, &price);
	struct cost_time few = cost_gain(&curve, 2, 4, 4, &price);

	CHECK(fabs(many.seconds - 190) < 1e-6 && many.sd < 20);
	CHECK(fabs(few.seconds - -2) < 1e-6);
	CHECK(fabs(cost_gain(&curve, 4, 2, 10, &price).seconds - -30) < 1e-6);
}

static void work_that_is_saved_counts_the_ranks(void)
{
	struct cost_curve curve = FIT(&amdahl, 2, 4, 8); /* 5, 3, 2 s */
	struct cost_time saved = cost_difference(&curve, 4, 40, 2, 20);

	CHECK(fabs(saved.seconds - 20) < 1e-6);
	CHECK(saved.sd > 0 && saved.sd < 3);
}

/* What is uncertain at both sizes alike is not uncertain in their difference.
 */
static void a_size_that_does_not_change_gains_nothing_for_certain(void)
{
	struct cost_curve curve = FIT(&amdahl, 2);
	const struct cost_time price = {0};
	struct cost_time gain = cost_gain(&curve, 8, 8, 1000, &price);

	CHECK(gain.seconds == 0 && gain.sd == 0);
}

RUN_TESTS(TEST(each_law_is_found_in_what_it_made),
	  TEST(a_program_that_slows_down_with_ranks_is_seen),
	  TEST(a_program_that_gains_nothing_by_ranks_is_seen_by_two_sizes),
	  TEST(each_rank_may_cost_the_same_time),
	  TEST(a_program_that_is_faster_than_ideal_is_taken_as_ideal),
	  TEST(two_sizes_tell_little_of_one_that_is_far_from_them),
	  TEST(one_size_leaves_all_between_no_speed_up_and_the_ideal_one),
	  TEST(nothing_is_known_before_the_first_measurement),
	  TEST(predictions_from_noisy_steps_are_as_good_as_they_say),
	  TEST(the_warm_up_after_a_start_is_left_out),
	  TEST(times_that_are_none_are_left_out),
	  TEST(what_was_measured_at_a_size_is_known_the_better_the_more_it_is),
	  TEST(the_size_that_was_seen_least_makes_room),
	  TEST(the_first_rescale_is_priced_by_start_and_state_and_others_by_it),
	  TEST(a_rescale_pays_if_there_are_steps_enough_left),
	  TEST(work_that_is_saved_counts_the_ranks),
	  TEST(a_size_that_does_not_change_gains_nothing_for_certain))
