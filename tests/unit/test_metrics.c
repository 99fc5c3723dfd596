/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "metrics/print.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t n_text;

static FILE *sheet(void)
{
	free(text);
	text = NULL;
	return open_memstream(&text, &n_text);
}

static void a_family_has_its_help_and_type_before_its_values(void)
{
	FILE *to = sheet();

	metrics_begin(to, "a_ranks", METRICS_GAUGE, "Ranks.");
	metrics_put(to, "a_ranks", 4, NULL);
	metrics_begin(to, "a_total", METRICS_COUNTER, "All.");
	metrics_put(to, "a_total", 0.25, "kind", "x", "of", "y", NULL);
	fclose(to);
	CHECK_TEXT(text, "# HELP a_ranks Ranks.\n"
			 "# TYPE a_ranks gauge\n"
			 "a_ranks 4\n"
			 "# HELP a_total All.\n"
			 "# TYPE a_total counter\n"
			 "a_total{kind=\"x\",of=\"y\"} 0.25\n");
}

static void values_of_labels_are_escaped(void)
{
	FILE *to = sheet();

	metrics_put(to, "a", 1, "b", "\"c\\\n", NULL);
	fclose(to);
	CHECK_TEXT(text, "a{b=\"\\\"c\\\\\\n\"} 1\n");
}

static void no_figure_is_rounded_or_unreadable(void)
{
	FILE *to = sheet();

	metrics_put(to, "a", 123456789012345, NULL);
	metrics_put(to, "a", NAN, NULL);
	metrics_put(to, "a", INFINITY, NULL);
	metrics_put(to, "a", -INFINITY, NULL);
	fclose(to);
	CHECK_TEXT(text, "a 123456789012345\na NaN\na +Inf\na -Inf\n");
}

static void a_state_is_one_of_its_names(void)
{
	static const char *const names[] = {"on", "off"};
	FILE *to = sheet();

	metrics_put_state(to, "a", "is", names, 2, 1);
	fclose(to);
	CHECK_TEXT(text, "a{is=\"on\"} 0\na{is=\"off\"} 1\n");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_family_has_its_help_and_type_before_its_values),
		TEST(values_of_labels_are_escaped),
		TEST(no_figure_is_rounded_or_unreadable),
		TEST(a_state_is_one_of_its_names),
	};
	int r = run_tests(tests, LENGTH(tests));

	free(text);
	return r;
}
