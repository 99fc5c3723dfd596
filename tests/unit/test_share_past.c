/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_past.h"
#include "tests/check.h"

enum { TASKS = 2, LOOK = 3 };

static double room[SHARE_PAST_STEPS * TASKS * (LOOK + 1)];
static struct share_past past;

/* The room has no initial value. */
static void begin(void)
{
	for (unsigned i = 0; i < sizeof(room) / sizeof(*room); i++)
		room[i] = i;
	share_past_init(&past, TASKS, LOOK, room);
}

/* Both tasks: the same forecast for all steps ahead. */
static void expect(double workload)
{
	double ahead[LOOK * TASKS];

	for (unsigned i = 0; i < LOOK * TASKS; i++)
		ahead[i] = workload;
	share_past_forecast(&past, ahead);
}

static void end(double first, double other)
{
	share_past_ended(&past, (double[]){first, other});
}

static unsigned errors_of(unsigned ahead, unsigned task, unsigned n,
			  double *errors)
{
	return share_past_errors(&past, ahead, task, n, errors);
}

static void before_a_step_has_ended_there_are_no_errors(void)
{
	double errors[1];

	CHECK(share_past_room(TASKS, LOOK) == sizeof(room) / sizeof(*room));
	begin();
	expect(30);
	CHECK(share_past_value(&past, 2, 1) == 30);
	CHECK(errors_of(0, 0, 1, errors) == 0);
	end(31, 28);
	expect(30);
	CHECK(errors_of(0, 0, 1, errors) == 1 && errors[0] == 1);
	CHECK(errors_of(0, 1, 1, errors) == 1 && errors[0] == -2);
	CHECK(errors_of(1, 0, 1, errors) == 0);
	end(32, 28);
	expect(30);
	CHECK(errors_of(1, 0, 1, errors) == 1 && errors[0] == 2);
}

static void errors_of_forecasts_of_like_values_are_found(void)
{
	double errors[2];

	begin();
	for (unsigned i = 0; i < 20; i++) {
		expect(i % 2 ? 20 : 40);
		end(i % 2 ? 19 : 43, 30);
	}
	expect(20);
	CHECK(errors_of(0, 0, 2, errors) == 2);
	CHECK(errors[0] == -1 && errors[1] == -1);
	end(20, 30);
	expect(40);
	CHECK(errors_of(0, 0, 2, errors) == 2);
	CHECK(errors[0] == 3 && errors[1] == 3);
}

/* Steps whose forecast is 30 and whose error is given, and the error that is
 * found then. */
static double find_error(const double *errors, unsigned n)
{
	double found = -1000;

	begin();
	for (unsigned i = 0; i < n; i++) {
		expect(30);
		end(30 + errors[i], 30);
	}
	expect(30);
	errors_of(0, 0, 1, &found);
	return found;
}

static void errors_after_like_errors_are_found(void)
{
	CHECK(find_error((double[]){0, 0, 5, -8, 0, 0, 0, 5}, 8) == -8);
	CHECK(find_error((double[]){0, 0, 5, -8, 3, 0, 0, 0, -8}, 9) == 3);
	/* The last errors are alike; those before them tell. */
	CHECK(find_error((double[]){0, 0, 0, 5, 0, 7, 0, 0, 0, 0, 5, 0}, 12) ==
	      7);
}

static void the_first_steps_have_no_errors_before_them(void)
{
	CHECK(find_error((double[]){5, 9, 0, 0, 0, 0, 5}, 7) == 9);
	CHECK(find_error((double[]){4, 0, 0, 0}, 4) == 0);
}

/* Each third forecast rises, and is missed. */
static void errors_before_a_like_rise_are_found(void)
{
	double errors[1];

	begin();
	for (unsigned i = 0; i < 9; i++) {
		double rise = i % 3 == 1 ? 8 : 0;

		share_past_forecast(&past,
				    (double[]){30, 30, 30 + rise, 30, 30, 30});
		end(30 + rise / 2, 30);
	}
	share_past_forecast(&past, (double[]){30, 30, 38, 30, 30, 30});
	CHECK(errors_of(0, 0, 1, errors) == 1 && errors[0] == 4);
	share_past_forecast(&past, (double[]){30, 30, 30, 30, 30, 30});
	CHECK(errors_of(0, 0, 1, errors) == 1 && errors[0] == 0);
}

/* The same, one step later. */
static void errors_before_a_like_later_rise_are_found(void)
{
	double errors[1];

	begin();
	for (unsigned i = 0; i < 10; i++) {
		double rise = i % 3 == 1 ? 8 : 0;

		share_past_forecast(&past,
				    (double[]){30, 30, 30, 30, 30 + rise, 30});
		end(i % 3 == 2 ? 34 : 30, 30);
	}
	share_past_forecast(&past, (double[]){30, 30, 30, 30, 38, 30});
	CHECK(errors_of(1, 0, 1, errors) == 1 && errors[0] == 4);
	share_past_forecast(&past, (double[]){30, 30, 30, 30, 30, 30});
	CHECK(errors_of(1, 0, 1, errors) == 1 && errors[0] == 0);
}

static void the_latest_of_like_cases_is_first(void)
{
	double errors[3];

	begin();
	for (unsigned i = 0; i < 6; i++) {
		expect(30);
		end(30 + i, 30);
	}
	expect(30);
	CHECK(errors_of(2, 0, 3, errors) == 3);
	CHECK(errors[0] > errors[1] && errors[1] > errors[2]);
}

static void what_is_long_ago_is_forgotten(void)
{
	double errors[SHARE_SCENARIOS];

	begin();
	for (unsigned i = 0; i < 2 * SHARE_PAST_STEPS; i++) {
		expect(30);
		end(i < SHARE_PAST_STEPS ? 50 : 30, 30);
	}
	for (unsigned ahead = 0; ahead < LOOK; ahead++) {
		expect(30);
		CHECK(errors_of(ahead, 0, SHARE_SCENARIOS, errors) ==
		      SHARE_SCENARIOS);
		for (unsigned i = 0; i < SHARE_SCENARIOS; i++)
			CHECK(errors[i] == 0);
	}
}

/* A forecast is new where the oldest one was. */
static void what_is_overwritten_is_not_read(void)
{
	double errors[SHARE_SCENARIOS];

	begin();
	for (unsigned i = 0; i < 2 * SHARE_PAST_STEPS; i++) {
		expect(10 + 0.1 * i);
		end(10 + 0.1 * i, 30);
	}
	expect(10);
	CHECK(errors_of(0, 0, SHARE_SCENARIOS, errors) == SHARE_SCENARIOS);
	for (unsigned i = 0; i < SHARE_SCENARIOS; i++)
		CHECK(errors[i] == 0);
}

RUN_TESTS(TEST(before_a_step_has_ended_there_are_no_errors),
	  TEST(errors_of_forecasts_of_like_values_are_found),
	  TEST(errors_after_like_errors_are_found),
	  TEST(the_first_steps_have_no_errors_before_them),
	  TEST(errors_before_a_like_rise_are_found),
	  TEST(errors_before_a_like_later_rise_are_found),
	  TEST(the_latest_of_like_cases_is_first),
	  TEST(what_is_long_ago_is_forgotten),
	  TEST(what_is_overwritten_is_not_read))
