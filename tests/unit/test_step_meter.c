/* SPDX-License-Identifier: Apache-2.0 */
#include "core/step_meter.h"
#include "tests/check.h"

#include <math.h>

static struct step_meter meter;
static struct step_look at;

static void begin(unsigned epoch, unsigned ranks)
{
	at.epoch = epoch;
	at.ranks = ranks;
	step_meter_look(&meter, &at);
}

/* So many looks, one after so many steps. */
static void look(unsigned n, unsigned steps, msec_t each)
{
	for (unsigned i = 0; i < n; i++) {
		at.step += steps;
		at.at += each * steps;
		step_meter_look(&meter, &at);
	}
}

static void reset(void)
{
	meter = (struct step_meter){0};
	at = (struct step_look){.at = 5000};
}

static const struct cost_size *size(unsigned ranks)
{
	static const struct cost_size none;

	for (size_t i = 0; i < meter.steps.n; i++)
		if (meter.steps.sizes[i].ranks == ranks)
			return &meter.steps.sizes[i];
	return &none;
}

static bool takes(unsigned ranks, double seconds)
{
	return fabs(size(ranks)->mean - seconds) < 1e-9;
}

static void steps_are_measured_without_the_warming_up_of_each_start(void)
{
	reset();
	begin(1, 2);
	look(COST_WARM_UP, 1, 9000);
	CHECK(meter.fresh == 0 && meter.steps.n == 0);
	look(4, 10, 200);
	CHECK(meter.fresh == 4 && meter.stride == 10);
	CHECK(takes(2, 0.2));
	begin(2, 4);
	CHECK(meter.fresh == 0);
	look(COST_WARM_UP, 1, 9000);
	look(2, 1, 100);
	CHECK(meter.fresh == 2 && takes(4, 0.1) && takes(2, 0.2));
}

static void a_look_without_a_new_step_measures_nothing(void)
{
	reset();
	begin(1, 2);
	look(COST_WARM_UP, 1, 100);
	at.at += 100;
	look(5, 0, 0);
	CHECK(meter.fresh == 0);
	look(1, 1, 200);
	CHECK(meter.fresh == 1 && takes(2, 0.3));
}

static void steps_that_are_made_again_measure_nothing(void)
{
	reset();
	begin(1, 2);
	look(COST_WARM_UP, 2, 100);
	at.step = 1;
	at.at += 70;
	step_meter_look(&meter, &at);
	CHECK(meter.fresh == 0);
	look(1, 1, 100);
	CHECK(meter.fresh == 1 && takes(2, 0.1));
}

static void what_lies_between_a_break_and_the_next_look_is_left_out(void)
{
	reset();
	begin(1, 2);
	look(COST_WARM_UP + 1, 1, 100);
	step_meter_break(&meter);
	look(1, 1, 60000);
	CHECK(meter.fresh == 1);
	look(1, 1, 100);
	CHECK(meter.fresh == 2 && takes(2, 0.1));
}

static void a_change_of_the_time_of_a_step_makes_old_measurements_void(void)
{
	reset();
	begin(1, 2);
	look(COST_WARM_UP + 2 * METER_BATCH, 1, 400);
	begin(2, 4);
	look(COST_WARM_UP + 3 * METER_BATCH, 1, 200);
	CHECK(meter.change.number == 0 && meter.steps.n == 2);
	look(METER_BATCH, 1, 300);
	CHECK(meter.change.number == 1 && meter.change.ranks == 4);
	CHECK(fabs(meter.change.from - 0.2) < 1e-9);
	CHECK(fabs(meter.change.to - 0.3) < 1e-9);
	CHECK(meter.steps.n == 1 && takes(4, 0.3));
	CHECK(size(4)->n == METER_BATCH);
	look(4 * METER_BATCH, 1, 300);
	CHECK(meter.change.number == 1);
}

static void a_size_that_is_seen_again_is_compared_with_what_it_was(void)
{
	reset();
	begin(1, 2);
	look(COST_WARM_UP + METER_BATCH, 1, 400);
	begin(2, 4);
	look(COST_WARM_UP + METER_BATCH, 1, 200);
	begin(3, 2);
	look(COST_WARM_UP + METER_BATCH, 1, 600);
	CHECK(meter.change.number == 1 && meter.change.ranks == 2);
	CHECK(meter.steps.n == 1 && takes(2, 0.6));
}

static void noise_is_no_change(void)
{
	static const msec_t noisy[] = {60, 140, 100, 70, 130, 90, 110, 125, 75};
	unsigned n = sizeof(noisy) / sizeof(noisy[0]);

	reset();
	begin(1, 2);
	for (unsigned i = 0; i < 200 * METER_BATCH; i++)
		look(1, 1, noisy[(i * i + i / 3) % n]);
	CHECK(meter.change.number == 0);
}

static void a_change_of_a_few_per_cent_is_no_other_curve(void)
{
	reset();
	begin(1, 2);
	look(COST_WARM_UP + 2 * METER_BATCH, 1, 100);
	look(2 * METER_BATCH, 1, 105);
	CHECK(meter.change.number == 0 && size(2)->n == 4 * METER_BATCH);
}

/* 3 s until 4 steps of 0.2 s were seen; the start after it took longer. */
static void what_a_start_takes_is_known_without_its_steps(void)
{
	reset();
	at.began = 6000;
	begin(1, 2);
	CHECK(step_meter_start(&meter) == 0);
	at.at = at.began;
	look(1, 4, 750);
	CHECK(fabs(step_meter_start(&meter) - 3) < 1e-9);
	look(COST_WARM_UP + 2, 1, 200);
	CHECK(fabs(step_meter_start(&meter) - 2.2) < 1e-9);
	at.began = at.at + 1;
	begin(2, 4);
	look(1, 1, 60000);
	CHECK(fabs(step_meter_start(&meter) - 2.2) < 1e-9);
}

static void a_start_whose_first_step_was_not_awaited_tells_nothing(void)
{
	reset();
	at.began = 1000;
	begin(1, 2);
	look(10, 1, 200);
	CHECK(step_meter_start(&meter) == 0);
	reset();
	at.began = 6000;
	begin(1, 2);
	step_meter_break(&meter);
	look(10, 1, 200);
	CHECK(step_meter_start(&meter) == 0);
}

RUN_TESTS(TEST(steps_are_measured_without_the_warming_up_of_each_start),
	  TEST(a_look_without_a_new_step_measures_nothing),
	  TEST(steps_that_are_made_again_measure_nothing),
	  TEST(what_lies_between_a_break_and_the_next_look_is_left_out),
	  TEST(a_change_of_the_time_of_a_step_makes_old_measurements_void),
	  TEST(a_size_that_is_seen_again_is_compared_with_what_it_was),
	  TEST(noise_is_no_change),
	  TEST(a_change_of_a_few_per_cent_is_no_other_curve),
	  TEST(what_a_start_takes_is_known_without_its_steps),
	  TEST(a_start_whose_first_step_was_not_awaited_tells_nothing))
