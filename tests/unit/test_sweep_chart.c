/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "cli/views/sweep_chart.h"
#include "tests/check.h"

static char *text;
static size_t size;

static void draw(const struct sweep_chart *chart)
{
	FILE *to;

	free(text);
	to = open_memstream(&text, &size);
	sweep_chart_draw(to, chart);
	fclose(to);
}

static size_t count(const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

/* The two policies at 0 s and at 60 s; a panel is 388 pixels wide. */
static void a_sweep_is_four_panels_of_lines(void)
{
	static const struct simulation_row rows[] = {
		{"elastic",
		 "gap",
		 0,
		 {.total = 1000,
		  .utilisation = 0.5,
		  .response = 10,
		  .completion = 200}},
		{"easy",
		 "gap",
		 0,
		 {.total = 2000,
		  .utilisation = 0.9,
		  .response = 20,
		  .completion = 400}},
		{"elastic",
		 "gap",
		 60,
		 {.total = 1500,
		  .utilisation = 0.6,
		  .response = 30,
		  .completion = 300}},
		{"easy",
		 "gap",
		 60,
		 {.total = 1800,
		  .utilisation = 0.7,
		  .response = 0,
		  .completion = 400}},
	};
	const struct sweep_chart chart = {"a.json", "below", rows, 2, 2};

	draw(&chart);
	CHECK(strstr(text, "<path class=\"line l0\" d=\"M64.0 314.0L452.0 "
			   "216.0\"/>"));
	CHECK(strstr(text, "<path class=\"line l1\" d=\"M64.0 118.0L452.0 "
			   "157.2\"/>"));
	CHECK(count("class=\"line l0\"") == 5 && count("class=\"m1\"") == 9);
	CHECK(strstr(text, ">gap between two submissions (s)</text>"));
	CHECK(strstr(text, ">90 %</text>") && strstr(text, ">1200</text>"));
}

static void a_single_value_is_a_column_of_marks(void)
{
	static const struct simulation_row rows[] = {
		{"elastic", "T", 180, {.total = 0}},
		{"easy", "T", 180, {.total = 0}},
	};
	const struct sweep_chart chart = {"a.json", "below", rows, 2, 1};

	draw(&chart);
	CHECK(strstr(text, "<path class=\"m0\" d=\"M258.0 314.0m"));
	CHECK(strstr(text, ">180</text>") &&
	      strstr(text, ">rescale gap T (s)<"));
	CHECK(!strstr(text, "nan") && !strstr(text, "inf"));
}

static void many_values_are_thinned_out_and_it_says_so(void)
{
	enum { VALUES = 1000 };
	static struct simulation_row rows[VALUES];
	const struct sweep_chart chart = {"a.json", "below", rows, 1, VALUES};

	for (unsigned i = 0; i < VALUES; i++)
		rows[i] = (struct simulation_row){
			.policy = "elastic",
			.what = "T",
			.value = i,
			.metrics.total = i,
		};
	draw(&chart);
	CHECK(strstr(text, ">below; one of 3 values is drawn</text>"));
	CHECK(count("class=\"m0\"") <= 4 * 40 + 1);
	CHECK(size < 64 << 10);
}

RUN_TESTS(TEST(a_sweep_is_four_panels_of_lines),
	  TEST(a_single_value_is_a_column_of_marks),
	  TEST(many_values_are_thinned_out_and_it_says_so))
