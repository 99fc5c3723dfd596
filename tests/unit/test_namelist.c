/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/cm1/namelist.h"
#include "base/cleanup.h"
#include "base/list.h"
#include "tests/unit/corpus.h"

#include <errno.h>

static struct namelist list_of(const char *text)
{
	return (struct namelist){"n.input", text, strlen(text)};
}

/* The value of irst in &param2, "-" if there is none, or else the sentence. */
static const char *irst_of(const char *text)
{
	static struct error err;
	struct namelist list = list_of(text);
	struct namelist_wanted irst = {.group = "param2", .key = "irst"};
	int r = namelist_find(&list, &irst, 1, &err);

	if (r == 0 && irst.found)
		snprintf(err.text, sizeof(err.text), "%.*s",
			 (int)irst.item.value.size, text + irst.item.value.at);
	return r == 0 && !irst.found ? "-" : err.text;
}

/* The text with irst = 1, or else the sentence. */
static const char *with_irst(const char *text)
{
	static struct error err;
	struct namelist list = list_of(text);
	CLEANUP(free) char *out = NULL;
	size_t size;

	if (namelist_set(&list, "param2", "irst", "1", &out, &size, &err) == 0)
		snprintf(err.text, sizeof(err.text), "%s", out);
	return err.text;
}

static void a_value_is_found_in_its_group(void)
{
	CHECK_TEXT(irst_of("&param1\n irst = 5,\n/\n&param2\n irst = 7,\n/\n"),
		   "7");
	CHECK_TEXT(irst_of("&param2 a=1, irst=7, b=2 /"), "7");
	CHECK_TEXT(irst_of("$PARAM2\n IRST = 7\n$END\n"), "7");
	CHECK_TEXT(irst_of("&param2 a=1 &end &param2 irst=7 &end"), "-");
	CHECK_TEXT(irst_of("&param22 irst=7 /"), "-");
	CHECK_TEXT(irst_of("&param2 irst2=7, birst=8 /"), "-");
	CHECK_TEXT(irst_of(""), "-");
}

static void the_first_group_and_the_last_assignment_count(void)
{
	CHECK_TEXT(irst_of("&param2\n irst=1\n irst=2\n/\n&param2 irst=3 /"),
		   "2");
	CHECK_TEXT(with_irst("&param2\n irst=8\n irst=2\n/\n&param2 irst=3 /"),
		   "&param2\n irst=8\n irst=1\n/\n&param2 irst=3 /");
}

static void comments_and_strings_hide_what_is_in_them(void)
{
	CHECK_TEXT(irst_of("! &param2 irst=1 /\n&param2 a='irst = 2 /',\n"
			   "! irst = 3\n b=\"it''s / \"\" irst=4\" irst = 5 "
			   "! irst = 6 /\n/"),
		   "5");
	CHECK_TEXT(irst_of("&param2 a='don''t irst=1', irst = 7/"), "7");
	CHECK_TEXT(irst_of("&param2 a='over\nlines / irst=1', irst = 7/"), "7");
	CHECK_TEXT(irst_of("irst = 1\n&param2\n/\nirst = 2\n"), "-");
}

static void values_are_lists(void)
{
	CHECK_TEXT(irst_of("&param2 irst = 3*0.0, 1.5 ,, 2\n , a=1 /"),
		   "3*0.0, 1.5 ,, 2");
	CHECK_TEXT(irst_of("&param2 irst = 'a' , 2*'b''c' /"),
		   "'a' , 2*'b''c'");
	CHECK_TEXT(irst_of("&param2 irst = (1.0, -2.d0) a(1,2) = 3/"),
		   "(1.0, -2.d0)");
	CHECK_TEXT(irst_of("&param2 irst = .true. b%c(1) = 3/"), ".true.");
	CHECK_TEXT(irst_of("&param2 irst = T, F b\t\n= 3/"), "T, F");
	CHECK_TEXT(irst_of("&param2 irst = , a = 1/"), "");
	CHECK_TEXT(irst_of("&param2 irst(2) = 5 /"), "-");
}

static void an_edit_changes_the_value_alone(void)
{
	CHECK_TEXT(with_irst("&param2\r\n\tIrst\t=  0 ,  ! why / not\r\n/\r\n"),
		   "&param2\r\n\tIrst\t=  1 ,  ! why / not\r\n/\r\n");
	CHECK_TEXT(with_irst("&param2 a=1,irst=-12345,b='x' /"),
		   "&param2 a=1,irst=1,b='x' /");
	CHECK_TEXT(with_irst("&param2 irst=0/"), "&param2 irst=1/");
	CHECK_TEXT(with_irst("&param2 irst=\n  0\n&end"),
		   "&param2 irst=\n  1\n&end");
}

static void a_value_that_is_missing_is_put_in(void)
{
	CHECK_TEXT(with_irst("&param2 irst=,b=2/"), "&param2 irst= 1,b=2/");
	CHECK_TEXT(with_irst("&param2 irst=b=2/"), "&param2 irst= 1 b=2/");
	CHECK_TEXT(with_irst("&param2 irst='0'b=2/"), "&param2 irst=1 b=2/");
	CHECK_TEXT(with_irst("&param2\n irst = \n/"), "&param2\n irst = 1 \n/");
}

static void a_missing_key_is_put_in_as_the_others_are(void)
{
	CHECK_TEXT(with_irst(" &param2\n adapt    = 0, ! no\n /\n"),
		   " &param2\n adapt    = 0, ! no\n irst     = 1,\n /\n");
	CHECK_TEXT(with_irst("&param2\r\n\ta=1,\r\n\tb=2\r\n\r\n/\r\n"),
		   "&param2\r\n\ta=1,\r\n\tb=2\r\n\tirst=1\r\n\r\n/\r\n");
	CHECK_TEXT(with_irst("&param2\n nlongname = 0,\n /"),
		   "&param2\n nlongname = 0,\n irst      = 1,\n /");
	CHECK_TEXT(with_irst("&param2\n n = 0\n /"),
		   "&param2\n n = 0\n irst = 1\n /");
	CHECK_TEXT(with_irst("&param2\n lev = 1.0,\n   2.0,\n /"),
		   "&param2\n lev = 1.0,\n   2.0,\n irst = 1,\n /");
}

static void a_missing_key_stays_within_its_group(void)
{
	CHECK_TEXT(with_irst("&param2 a=1, b=2 / x"),
		   "&param2 a=1, b=2, irst=1 / x");
	CHECK_TEXT(with_irst("&param2 a = 1, /"), "&param2 a = 1, irst = 1, /");
	CHECK_TEXT(with_irst("&param2\n a = 1 /\n"),
		   "&param2\n a = 1, irst = 1 /\n");
	CHECK_TEXT(with_irst("&param2/"), "&param2 irst = 1 /");
	CHECK_TEXT(with_irst("&param2 ! none\r\n /"),
		   "&param2 ! none\r\n  irst = 1,\r\n /");
	CHECK_TEXT(with_irst("&param2 a=1 ! / b\n/"),
		   "&param2 a=1, irst=1 ! / b\n/");
}

static void what_is_no_namelist_is_refused_with_its_line(void)
{
	CHECK_TEXT(with_irst("&param1\n/\n"),
		   "n.input:3: the text ends without a group &param2; the "
		   "lines '&param2' and '/'");
	CHECK_TEXT(with_irst("\n&param2\n irst=1\n"),
		   "n.input:2: the group &param2 has no end; a line with / "
		   "behind its last value");
	CHECK_TEXT(with_irst("&param1\n a=1\n&param2\n/\n"),
		   "n.input:1: the group &param1 has no end; a line with / "
		   "behind its last value");
	CHECK_TEXT(with_irst("&param2\n a='x\n/\n"),
		   "n.input:2: a text begins here that has no end; the same "
		   "quote behind it");
	CHECK_TEXT(with_irst("&param2\n 12,\n/\n"),
		   "n.input:2: this is no assignment; key = value");
	CHECK_TEXT(with_irst("&param2\n a = = 2\n/\n"),
		   "n.input:2: this is no assignment; key = value");
}

/* Of x in &p. */
static int number_of(const char *value, struct namelist_wanted *x,
		     double *number, struct error *err)
{
	struct namelist list;
	char text[64];

	snprintf(text, sizeof(text), "&p\n x = %s /", value);
	list = list_of(text);
	*x = (struct namelist_wanted){.group = "p", .key = "x"};
	if (namelist_find(&list, x, 1, err) < 0 || !x->found)
		return -ENOENT;
	return namelist_number(&list, &x->item, number, err);
}

static void numbers_are_those_of_the_language(void)
{
	static const struct {
		const char *text;
		double number;
	} cases[] = {
		{"60", 60}, {"-3600.", -3600}, {"1.5d2", 150},
		{".5", .5}, {"+2E1", 20},      {"1D-3", 1e-3},
	};
	struct namelist_wanted x;
	struct error err;
	double number;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		CHECK(number_of(cases[i].text, &x, &number, &err) == 0);
		CHECK(number == cases[i].number && x.item.line == 2);
	}
}

static void what_is_no_number_is_refused(void)
{
	static const char *const cases[] = {"'60'",  "2*5", "T",    "1 2", "1d",
					    "1e999", "nan", "0x10", ""};
	struct error err, expected;
	struct namelist_wanted x;
	double number;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		snprintf(expected.text, sizeof(expected.text),
			 "n.input:2: x is '%s'; one number", cases[i]);
		CHECK(number_of(cases[i], &x, &number, &err) == -EINVAL);
		CHECK_TEXT(err.text, expected.text);
	}
}

/* ---- at random, from a seed ---- */

static uint64_t seed;

static unsigned draw(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) +
	       UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % n;
}

#define ONE_OF(...)                                                            \
	one_of((const char *const[]){__VA_ARGS__},                             \
	       LENGTH(((const char *const[]){__VA_ARGS__})))

static const char *one_of(const char *const *texts, size_t n)
{
	return texts[draw((unsigned)n)];
}

static const char *any_blank(void)
{
	return ONE_OF("", " ", "  ", "\t", " \t ");
}

static void add_values(FILE *to, const char *eol)
{
	for (unsigned n = draw(4); n > 0; n--) {
		fputs(ONE_OF("1", "-2.5d0", "3*0.0", "'it''s'", "\"a / b\"",
			     "'! no'", ".true.", "F", "(1,2)", "'&param2'",
			     "'irst = 9'"),
		      to);
		fputs(ONE_OF(",", " ", ", ", " ,\t"), to);
		if (draw(6) == 0)
			fputs(eol, to);
	}
}

static void add_assignment(FILE *to, const char *eol)
{
	const char *name =
		ONE_OF("irst", "IRST", "rstnum", "a", "irst2", "b(1,2)", "c%d",
		       "rstfrq", "very_long_name_indeed");

	fprintf(to, "%s%s%s=%s", any_blank(), name, any_blank(), any_blank());
	add_values(to, eol);
	fputs(ONE_OF("", "", " ! irst = 3 /", "! it's"), to);
	fputs(eol, to);
}

static void add_group(FILE *to, const char *eol)
{
	fprintf(to, "%s%s%s%s", any_blank(), ONE_OF("&", "$"),
		ONE_OF("param1", "param2", "PARAM2", "param22", "other"),
		draw(4) ? eol : " ");
	for (unsigned n = draw(6); n > 0; n--)
		add_assignment(to, eol);
	fprintf(to, "%s%s%s%s", any_blank(), ONE_OF("/", "/", "&end", "$END"),
		eol, draw(4) ? "" : "text, don't care = 1");
	fputs(eol, to);
}

static void a_thousand_namelists_keep_every_other_byte(void)
{
	for (unsigned i = 0; i < 1000; i++) {
		CLEANUP(free) char *text = NULL;
		struct namelist list = {.path = "n.input"};
		struct namelist_scan scan = {.list = &list};
		struct namelist_item item;
		const char *eol;
		size_t size;
		FILE *to = open_memstream(&text, &size);

		CHECK(to);
		seed = i;
		eol = ONE_OF("\n", "\n", "\r\n");
		for (unsigned n = 1 + draw(4); n > 0; n--)
			add_group(to, eol);
		CHECK(fclose(to) == 0);
		list.text = text;
		list.size = size;
		do
			CHECK(namelist_next(&scan, &item, NULL) == 0);
		while (item.kind != NAMELIST_OVER);
		LLVMFuzzerTestOneInput((const uint8_t *)text, size);
	}
}

static void what_fuzzing_found_holds(void)
{
	CHECK(replay_folder(CORPUS) > 0);
}

RUN_TESTS(TEST(a_value_is_found_in_its_group),
	  TEST(the_first_group_and_the_last_assignment_count),
	  TEST(comments_and_strings_hide_what_is_in_them),
	  TEST(values_are_lists), TEST(an_edit_changes_the_value_alone),
	  TEST(a_value_that_is_missing_is_put_in),
	  TEST(a_missing_key_is_put_in_as_the_others_are),
	  TEST(a_missing_key_stays_within_its_group),
	  TEST(what_is_no_namelist_is_refused_with_its_line),
	  TEST(numbers_are_those_of_the_language),
	  TEST(what_is_no_number_is_refused),
	  TEST(a_thousand_namelists_keep_every_other_byte),
	  TEST(what_fuzzing_found_holds))
