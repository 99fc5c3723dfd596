/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/words.h"

#include "base/cleanup.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>

static struct error err;

static const char *word(const char *from, unsigned step, double workload)
{
	static char text[200];
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
	CHECK_TEXT(word("{workload}", 0, 12.5), "12.5");
	CHECK_TEXT(word("{workload}", 0, 0.1), "0.1");
	CHECK_TEXT(word("{workload},{step}", 3, 1e10), "1e+10,3");
	CHECK_TEXT(word("{workload*400000}", 0, 12.5), "5000000");
	CHECK_TEXT(word("-n{workload*0.1}x", 0, 12.6), "-n1x");
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
	  TEST(other_braces_are_left_as_they_are),
	  TEST(a_factor_that_is_none_is_refused), TEST(each_word_is_one))
