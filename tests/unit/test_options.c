/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "base/options.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct filled {
	bool loud, quiet;
	const char *file;
	unsigned slots, ranks;
	msec_t grace, deadline;
	struct option_list env;
	unsigned letters;
};

static int count_letters(void *member, const char *text, struct error *err)
{
	*(unsigned *)member = (unsigned)strlen(text);
	return *text ? 0 : error_set(err, -EINVAL, "--word: it is empty");
}

#define AT(member) offsetof(struct filled, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ "loud", NULL, OPTION_SWITCH, AT(loud), 1, .help = "print more" },
	{ "quiet", NULL, OPTION_SWITCH, AT(quiet), 2, .help = "print less" },
	{ "file", "FILE", OPTION_TEXT, AT(file), 3, .help = "a file" },
	{ "slots", "N", OPTION_NUMBER, AT(slots), 3, .help = "ranks", .min = 2, .max = 8 },
	{ "ranks", "N", OPTION_NUMBER, AT(ranks), 3, .help = "ranks" },
	{ "grace", "SECONDS", OPTION_SECONDS, AT(grace), 3,
	  .help = "so long, in words that need more than one line of a page that has "
	  "79 columns", .min = 0, .max = 60 },
	{ "deadline", "TIME", OPTION_DURATION, AT(deadline), 3, .help = "then" },
	{ "env", "KEY=VALUE", OPTION_LIST, AT(env), 3, .help = "repeatable" },
	{ "word", "WORD", OPTION_OTHER, AT(letters), 3, .help = "a word",
	  .read = count_letters },
};
/* clang-format on */

static struct filled filled;
static struct error err;

static int read_words(unsigned set, const char *const *words)
{
	const struct options options = {rows, LENGTH(rows), set, "see there"};
	char *argv[16] = {(char *)"program"};
	int argc = 1;

	free(filled.env.at);
	filled = (struct filled){0};
	while (words[argc - 1]) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	return options_read(&options, &filled, argc, argv, &err);
}

#define READ(...) read_words(0, (const char *const[]){__VA_ARGS__, NULL})

static void options_fill_the_members_of_their_rows(void)
{
	CHECK(READ("--loud", "--file", "a", "--slots=4", "--grace", "0",
		   "--deadline=1.5s", "--env", "A=1", "--env=B=2", "--word",
		   "four") == 0);
	CHECK(filled.loud && !filled.quiet && filled.slots == 4);
	CHECK_TEXT(filled.file, "a");
	CHECK(filled.grace == 0 && filled.deadline == 1500);
	CHECK(filled.env.n == 2 && filled.letters == 4);
	CHECK_TEXT(filled.env.at[1], "B=2");
	CHECK(READ("--grace", "5") == 0 && filled.grace == SECONDS(5));
}

static void what_is_wrong_is_a_sentence_that_names_the_option(void)
{
	CHECK(READ("--fil", "a") == -EINVAL);
	CHECK_TEXT(err.text, "unknown option '--fil'; see there");
	CHECK(READ("-l") == -EINVAL);
	CHECK_TEXT(err.text, "unknown option '-l'; see there");
	CHECK(READ("more") == -EINVAL);
	CHECK_TEXT(err.text, "'more': no argument is expected; see there");
	CHECK(READ("--file") == -EINVAL);
	CHECK_TEXT(err.text, "--file needs a value: FILE");
	CHECK(READ("--loud=1") == -EINVAL);
	CHECK_TEXT(err.text, "--loud takes no value");
	CHECK(READ("--word", "") == -EINVAL);
	CHECK_TEXT(err.text, "--word: it is empty");
}

static void numbers_are_within_their_range(void)
{
	CHECK(READ("--slots", "1") == -EINVAL);
	CHECK_TEXT(err.text, "--slots: '1' is not a number from 2 to 8");
	CHECK(READ("--slots", "9") == -EINVAL);
	CHECK(READ("--slots", "4x") == -EINVAL);
	CHECK(READ("--slots", "-4") == -EINVAL);
	CHECK(READ("--slots", "4294967300") == -EINVAL);
	CHECK(READ("--grace", "61") == -EINVAL);
	CHECK(READ("--ranks", "0") == -EINVAL);
	CHECK_TEXT(err.text, "--ranks: '0' is not a number of at least 1");
	CHECK(READ("--deadline", "0s") == -EINVAL);
}

static void rows_of_another_set_are_no_options(void)
{
	CHECK(read_words(1, (const char *const[]){"--loud", NULL}) == 0);
	CHECK(read_words(2, (const char *const[]){"--loud", NULL}) == -EINVAL);
	CHECK(read_words(2, (const char *const[]){"--file=a", NULL}) == 0);
}

static void help_is_wrapped_behind_its_column(void)
{
	const struct options options = {rows + 4, 2, 0, ""};
	CLEANUP(free) char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	CHECK(to);
	options_print(to, &options, 20);
	fclose(to);
	CHECK_TEXT(text,
		   "  --ranks N           ranks\n"
		   "  --grace SECONDS     so long, in words that need more "
		   "than one line of a page\n"
		   "                      that has 79 columns\n");
}

static void a_duration_takes_a_millisecond_to_a_year(void)
{
	CHECK(READ("--deadline", "1ms") == 0 && filled.deadline == 1);
	CHECK(READ("--deadline", "1.6ms") == 0 && filled.deadline == 2);
	CHECK(READ("--deadline", "8760h") == 0 &&
	      filled.deadline == MINUTES(8760 * 60));
	CHECK(READ("--deadline", "0.9ms") == -EINVAL);
	CHECK(READ("--deadline", "8760.1h") == -EINVAL);
	CHECK(READ("--deadline", "5m") == -EINVAL);
	CHECK_TEXT(err.text, "--deadline: '5m' is not a duration such as "
			     "500ms, 30s, 5min or 2h");
}

RUN_TESTS(TEST(options_fill_the_members_of_their_rows),
	  TEST(what_is_wrong_is_a_sentence_that_names_the_option),
	  TEST(numbers_are_within_their_range),
	  TEST(rows_of_another_set_are_no_options),
	  TEST(help_is_wrapped_behind_its_column),
	  TEST(a_duration_takes_a_millisecond_to_a_year))
