/* SPDX-License-Identifier: Apache-2.0 */
#include "core/eta.h"
#include "tests/check.h"

#include <math.h>
#include <stdarg.h>

enum { TOTAL = 1000 };

static struct eta_meter meter;
static struct step_look at;
static uint32_t lot;
static char told[2048];

static void reset(void)
{
	meter = (struct eta_meter){0};
	at = (struct step_look){.at = 5000};
	lot = 1;
	told[0] = '\0';
}

static void begin(unsigned ranks)
{
	at.epoch++;
	at.ranks = ranks;
	eta_look(&meter, &at);
}

/* A step takes up to a tenth less or more, by lot (Knuth's generator). */
static msec_t noisy(msec_t time)
{
	lot = lot * 1664525 + 1013904223;
	return time + time * ((int)(lot >> 24) - 128) / 1280;
}

/* So many looks, each after so many steps. */
static void look(unsigned n, unsigned steps, msec_t each)
{
	for (unsigned i = 0; i < n; i++) {
		at.step += steps;
		at.at += steps * noisy(each);
		eta_look(&meter, &at);
	}
}

static struct eta eta(void)
{
	const struct eta_facts facts = {.ranks = at.ranks,
					.steps_left = TOTAL - (double)at.step};

	return eta_of(&meter, &facts);
}

static void tell(const char *fmt, ...)
{
	size_t n = strlen(told);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(told + n, sizeof(told) - n, fmt, ap);
	va_end(ap);
}

static void tell_eta(void)
{
	struct eta now = eta();

	tell("[%5.1f s] %u ranks, step %u: ", (double)at.at / 1000, at.ranks,
	     (unsigned)at.step);
	if (now.rate > 0)
		tell("%.3g steps/s", now.rate);
	else
		tell("nothing");
	if (now.left >= 0)
		tell(", %.0f s", now.left);
	if (now.sd >= 0)
		tell(" +- %.1f s", now.sd);
	tell("\n");
}

static void looks(unsigned n, msec_t each)
{
	look(n, 1, each);
	tell_eta();
}

static void the_end_is_known_better_with_each_step_and_anew_at_each_size(void)
{
	reset();
	begin(2);
	tell_eta();
	looks(COST_WARM_UP, 1000);
	looks(1, 1000);
	looks(2, 1000);
	looks(18, 1000);
	looks(476, 1000);
	begin(4);
	tell_eta();
	looks(COST_WARM_UP, 600);
	looks(1, 600);
	looks(96, 600);
	begin(2);
	tell_eta();
	begin(8);
	tell_eta();
	CHECK_TEXT(
		told,
		"[  5.0 s] 2 ranks, step 0: nothing\n"
		"[  7.9 s] 2 ranks, step 3: nothing\n"
		"[  9.0 s] 2 ranks, step 4: 0.962 steps/s, 1036 s\n"
		"[ 10.8 s] 2 ranks, step 6: 1.03 steps/s, 969 s +- 52.8 s\n"
		"[ 28.7 s] 2 ranks, step 24: 1.01 steps/s, 967 s +- 12.7 s\n"
		"[507.3 s] 2 ranks, step 500: 0.995 steps/s, 502 s +- 1.7 s\n"
		"[507.3 s] 4 ranks, step 500: 1.33 steps/s, 377 s +- 125.7 s\n"
		"[509.1 s] 4 ranks, step 503: 1.33 steps/s, 375 s +- 125.0 s\n"
		"[509.7 s] 4 ranks, step 504: 1.63 steps/s, 305 s +- 17.5 s\n"
		"[567.6 s] 4 ranks, step 600: 1.66 steps/s, 241 s +- 1.8 s\n"
		"[567.6 s] 2 ranks, step 600: 0.995 steps/s, 402 s +- 4.4 s\n"
		"[567.6 s] 8 ranks, step 600: 2.49 steps/s, 161 s +- 40.4 s\n");
}

static void without_a_measurement_a_rough_time_has_to_do(void)
{
	struct eta_facts facts = {.ranks = 2, .steps_left = 50, .rough = 4};
	struct eta now;

	reset();
	begin(2);
	now = eta_of(&meter, &facts);
	CHECK(now.rate == 0.25 && now.left == 200 && now.sd < 0);
	facts.rough = 0;
	now = eta_of(&meter, &facts);
	CHECK(now.rate == 0 && now.left < 0 && now.sd < 0);
}

static void without_a_total_there_is_a_rate_alone(void)
{
	const struct eta_facts facts = {.ranks = 2, .steps_left = -1};
	struct eta now;

	reset();
	begin(2);
	look(20, 1, 500);
	now = eta_of(&meter, &facts);
	CHECK(fabs(now.rate - 2) < 0.1);
	CHECK(now.left < 0 && now.sd < 0);
}

static double left_after(double idle)
{
	const struct eta_facts facts = {
		.ranks = 2, .steps_left = 100, .idle = idle};

	return eta_of(&meter, &facts).left;
}

/* A line tells ten steps. */
static void time_passes_between_lines_but_a_late_one_makes_no_end_sooner(void)
{
	double all;

	reset();
	begin(2);
	look(COST_WARM_UP + 10, 10, 1000);
	all = left_after(0);
	CHECK(fabs(all - 100) < 5);
	CHECK(fabs(left_after(4) - (all - 4)) < 1e-9);
	CHECK(fabs(left_after(500) - all * 0.9) < 1e-9);
}

/* Ten lines within 10 ms, every second. */
static void lines_that_come_at_once_are_one_look(void)
{
	reset();
	begin(2);
	for (unsigned i = 0; i < 20; i++) {
		at.at += 990;
		for (unsigned k = 0; k < 10; k++) {
			at.step++;
			at.at++;
			eta_look(&meter, &at);
		}
	}
	CHECK(meter.meter.stride == 10);
	CHECK(fabs(eta().rate - 10) < 0.1 && eta().sd < 0.1);
}

static void what_lies_between_a_break_and_the_next_look_is_left_out(void)
{
	reset();
	begin(2);
	look(20, 1, 1000);
	eta_break(&meter);
	look(1, 1, 60000);
	look(20, 1, 1000);
	CHECK(fabs(eta().rate - 1) < 0.01);
}

static void many_measurements_are_few_batches(void)
{
	reset();
	begin(2);
	look(COST_WARM_UP + ETA_BATCHES, 1, 1000);
	CHECK(meter.n == ETA_BATCHES && meter.length == 1);
	look(1, 1, 1000);
	CHECK(meter.n == ETA_BATCHES / 2 + 1 && meter.length == 2);
	look(100000, 1, 1000);
	CHECK(meter.n <= ETA_BATCHES && meter.n >= ETA_BATCHES / 2);
	CHECK(meter.length == 4096);
}

/* A twentieth is too little for step_meter. */
static void a_job_that_changes_its_pace_is_measured_anew(void)
{
	reset();
	begin(2);
	look(COST_WARM_UP + 200, 1, 1000);
	look(60, 1, 1050);
	CHECK(meter.meter.change.number == 0);
	CHECK(fabs(eta().rate - 1 / 1.05) < 0.01 && eta().sd > 0);
	look(2 * METER_BATCH, 1, 500);
	CHECK(fabs(eta().rate - 2) < 0.1 && eta().sd > 0);
}

/* It is found in the middle of a long batch. */
static void a_batch_of_two_paces_tells_no_deviation_and_is_forgotten(void)
{
	unsigned without = 0;

	reset();
	begin(2);
	look(COST_WARM_UP + 516, 1, 1000);
	CHECK(meter.length == 32 && eta().sd > 0);
	for (unsigned i = 0; i < 5 * METER_BATCH; i++) {
		look(1, 1, 250);
		without += eta().sd < 0;
	}
	CHECK(without == METER_BATCH);
	CHECK(fabs(eta().rate - 4) < 0.1 && eta().sd > 0);
}

/* Four steps take up to a tenth less or more, each of them alike. */
static void noise_that_lasts_makes_the_end_less_certain(void)
{
	double sd;

	reset();
	begin(2);
	look(COST_WARM_UP + 400, 1, 1000);
	sd = eta().sd;
	reset();
	begin(2);
	look(COST_WARM_UP, 1, 1000);
	for (unsigned i = 0; i < 400; i++) {
		at.step++;
		at.at += i % 4 ? 1000 + (msec_t)(lot >> 24) * 100 / 128 - 100
			       : noisy(1000);
		eta_look(&meter, &at);
	}
	CHECK(meter.n >= ETA_BATCHES / 2 && !meter.is_anew);
	CHECK(eta().sd > 1.5 * sd && eta().sd < 2.5 * sd);
}

RUN_TESTS(TEST(the_end_is_known_better_with_each_step_and_anew_at_each_size),
	  TEST(without_a_measurement_a_rough_time_has_to_do),
	  TEST(without_a_total_there_is_a_rate_alone),
	  TEST(time_passes_between_lines_but_a_late_one_makes_no_end_sooner),
	  TEST(lines_that_come_at_once_are_one_look),
	  TEST(what_lies_between_a_break_and_the_next_look_is_left_out),
	  TEST(many_measurements_are_few_batches),
	  TEST(a_job_that_changes_its_pace_is_measured_anew),
	  TEST(a_batch_of_two_paces_tells_no_deviation_and_is_forgotten),
	  TEST(noise_that_lasts_makes_the_end_less_certain))
