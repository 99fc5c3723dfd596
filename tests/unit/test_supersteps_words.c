/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/words.h"

#include "base/cleanup.h"
#include "base/list.h"
#include "tests/check.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>

static struct error err;

static const char *word(const char *from, unsigned step, double workload)
{
	static char text[400];
	CLEANUP(free) char **words = NULL;
	char *copy = (char *)from;
	char *const command[] = {copy, NULL};

	if (supersteps_words(&words, command, step, workload, &err) < 0)
		return "refused";
	snprintf(text, sizeof(text), "%s", words[0]);
	return words[1] ? "more words" : text;
}

static void a_step_and_a_workload_stand_where_they_are_named(void)
{
	CHECK_TEXT(word("in/{step}.dat", 17, 0), "in/17.dat");
	CHECK_TEXT(word("{workload},{step}", 3, 12.5), "12.5,3");
	CHECK_TEXT(word("{workload*400000}", 0, 12.5), "5000000");
	CHECK_TEXT(word("-n{workload*0.1}x", 0, 12.6), "-n1x");
}

static void a_workload_has_no_exponent_and_no_digit_too_many(void)
{
	CHECK_TEXT(word("{workload}", 0, 0), "0");
	CHECK_TEXT(word("{workload}", 0, 100), "100");
	CHECK_TEXT(word("{workload}", 0, 4000000), "4000000");
	CHECK_TEXT(word("{workload}", 0, 123456789012), "123456789012");
	CHECK_TEXT(word("{workload}", 0, -12.5), "-12.5");
	CHECK_TEXT(word("{workload}", 0, 0.1), "0.1");
	CHECK_TEXT(word("{workload}", 0, 1e-7), "0.0000001");
	CHECK_TEXT(word("{workload}", 0, 0.1 + 0.2), "0.30000000000000004");
}

static void the_longest_workloads_are_read_back(void)
{
	static const double all[] = {DBL_MAX, -DBL_MIN, -DBL_TRUE_MIN,
				     -3 * DBL_TRUE_MIN};

	for (size_t i = 0; i < LENGTH(all); i++) {
		const char *text = word("{workload}", 0, all[i]);

		CHECK(strtod(text, NULL) == all[i] && !strchr(text, 'e'));
		CHECK(strlen(text) <= SUPERSTEPS_WORKLOAD_MAX);
	}
	CHECK(strlen(word("{workload}", 0, -DBL_TRUE_MIN)) ==
	      SUPERSTEPS_WORKLOAD_MAX);
}

static void a_product_is_a_whole_number(void)
{
	CHECK_TEXT(word("{workload*1}", 0, 1e12), "1000000000000");
	CHECK_TEXT(word("{workload*1}", 0, -0.4), "0");
	CHECK_TEXT(word("{workload*1e300}", 0, 1e12), "refused");
	CHECK_TEXT(err.text, "'{workload*1e300}' of a workload of 1e+12 is "
			     "too large; a smaller number belongs behind '*'");
}

static void other_braces_are_left_as_they_are(void)
{
	CHECK_TEXT(word("{}{ste}{workload", 1, 2), "{}{ste}{workload");
	CHECK_TEXT(word("", 1, 2), "");
}

static void a_factor_that_is_none_is_refused(void)
{
	CHECK_TEXT(word("{workload*}", 1, 2), "refused");
	CHECK_TEXT(err.text, "'{workload*}': a positive number belongs between "
			     "'*' and '}'");
	CHECK_TEXT(word("{workload*-1}", 1, 2), "refused");
	CHECK_TEXT(word("{workload*2", 1, 2), "refused");
	CHECK_TEXT(word("{workload*inf}", 1, 2), "refused");
}

static void each_word_is_one(void)
{
	CLEANUP(free) char **words = NULL;
	char a[] = "a b", b[] = "", c[] = "{step}";
	char *const command[] = {a, b, c, NULL};

	CHECK(supersteps_words(&words, command, 9, 0, &err) == 0);
	CHECK_TEXT(words[0], "a b");
	CHECK_TEXT(words[1], "");
	CHECK_TEXT(words[2], "9");
	CHECK(!words[3]);
}

RUN_TESTS(TEST(a_step_and_a_workload_stand_where_they_are_named),
	  TEST(a_workload_has_no_exponent_and_no_digit_too_many),
	  TEST(the_longest_workloads_are_read_back),
	  TEST(a_product_is_a_whole_number),
	  TEST(other_braces_are_left_as_they_are),
	  TEST(a_factor_that_is_none_is_refused), TEST(each_word_is_one))
