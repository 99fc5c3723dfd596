/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

/*
 * Tests speak TAP.  A test is a function whose name is the sentence it proves;
 * CHECK() leaves it at the first lie.
 */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Of a helper in a header that several tests have. */
#define UNUSED __attribute__((unused))

struct test {
	const char *name;
	void (*run)(void);
};

static bool lied;

static inline void note(const char *title, const char *text)
{
	printf("# %s\n", title);
	while (*text) {
		int line = (int)strcspn(text, "\n");

		printf("#   %.*s\n", line, text);
		text += line + (text[line] == '\n');
	}
}

/* clang-format off */
#define TEST(fn) { #fn, fn }
/* clang-format on */

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (!(cond)) {                                                 \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);    \
			lied = true;                                           \
			return;                                                \
		}                                                              \
	} while (0)

#define CHECK_TEXT(is, expected)                                               \
	do {                                                                   \
		const char *text_ = (is);                                      \
		if (strcmp(text_, expected) != 0) {                            \
			note("got", text_);                                    \
			note("expected", expected);                            \
			CHECK(!"text matches");                                \
		}                                                              \
	} while (0)

static int run_tests(const struct test *tests, size_t n)
{
	int failures = 0;

	printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		lied = false;
		tests[i].run();
		failures += lied;
		printf("%s %zu - %s\n", lied ? "not ok" : "ok", i + 1,
		       tests[i].name);
		fflush(stdout);
	}
	return failures > 0;
}

#define RUN_TESTS(...)                                                         \
	int main(void)                                                         \
	{                                                                      \
		const struct test tests[] = {__VA_ARGS__};                     \
		return run_tests(tests, sizeof(tests) / sizeof(tests[0]));     \
	}

#endif
