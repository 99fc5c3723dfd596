/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/words.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char times[] = "{workload*";

struct words {
	unsigned step;
	double workload;
	FILE *to;
	struct error *err;
};

static void print_number(FILE *to, double value)
{
	char text[SUPERSTEPS_WORKLOAD_MAX + 1];

	for (int decimals = 0; decimals <= SUPERSTEPS_WORKLOAD_MAX - 3;
	     decimals++) {
		snprintf(text, sizeof(text), "%.*f", decimals, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, to);
}

/* "{workload*N}": the bytes of it, or -EINVAL. */
static int print_product(const struct words *words, const char *at)
{
	const char *number = at + strlen(times);
	char *end;
	double factor = strtod(number, &end), product;

	if (end == number || *end != '}' || !isfinite(factor) || factor <= 0)
		return error_set(words->err, -EINVAL,
				 "'%.60s': a positive number belongs between "
				 "'*' and '}'",
				 at);
	product = words->workload * factor;
	if (!isfinite(product))
		return error_set(words->err, -EINVAL,
				 "'%.60s' of a workload of %g is too large; a "
				 "smaller number belongs behind '*'",
				 at, words->workload);
	/* -0 becomes 0 */
	fprintf(words->to, "%.0f", round(product) + 0.0);
	return (int)(end + 1 - at);
}

static bool begins(const char *at, const char *with)
{
	return strncmp(at, with, strlen(with)) == 0;
}

static int print_word(const struct words *words, const char *at)
{
	while (*at) {
		int n = 1;

		if (begins(at, "{step}")) {
			fprintf(words->to, "%u", words->step);
			n = 6;
		} else if (begins(at, "{workload}")) {
			print_number(words->to, words->workload);
			n = 10;
		} else if (begins(at, times)) {
			n = print_product(words, at);
			if (n < 0)
				return n;
		} else {
			fputc(*at, words->to);
		}
		at += n;
	}
	return 0;
}

/* The words one behind the other, each with its NUL. */
static int print_all(const struct words *words, char *const *command)
{
	for (; *command; command++) {
		int r = print_word(words, *command);

		if (r < 0)
			return r;
		fputc('\0', words->to);
	}
	return 0;
}

static char **point_at(const char *text, size_t size, size_t n)
{
	char **all = malloc((n + 1) * sizeof(*all) + size);
	char *at = all ? (char *)(all + n + 1) : NULL;

	if (!all)
		return NULL;
	memcpy(at, text, size);
	for (size_t i = 0; i < n; i++) {
		all[i] = at;
		at += strlen(at) + 1;
	}
	all[n] = NULL;
	return all;
}

int supersteps_words(char ***out, char *const *command, unsigned step,
		     double workload, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t size = 0, n = 0;
	struct words words = {step, workload, open_memstream(&text, &size),
			      err};
	int r;

	if (!words.to)
		return error_set(err, -ENOMEM, "out of memory");
	r = print_all(&words, command);
	if (fclose(words.to) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	if (r < 0)
		return r;
	while (command[n])
		n++;
	*out = point_at(text, size, n);
	return *out ? 0 : error_set(err, -ENOMEM, "out of memory");
}
