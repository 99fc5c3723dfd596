/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/cm1/patch.h"

#include <stdbool.h>
#include <string.h>

/* With its newline, which the last one may not have. */
static size_t line_size(const char *text)
{
	const char *end = strchr(text, '\n');

	return end ? (size_t)(end - text) + 1 : strlen(text);
}

static bool is_same(const char *a, const char *b)
{
	size_t n = line_size(a);

	return n == line_size(b) && memcmp(a, b, n) == 0;
}

static void print_line(FILE *to, char mark, const char *line)
{
	size_t n = line_size(line);

	fprintf(to, "%c%.*s", mark, (int)n, line);
	if (n == 0 || line[n - 1] != '\n')
		fputs("\n\\ No newline at end of file\n", to);
}

/* How many lines of text come before one that is the same as this; 0 also if
 * there is none. */
static unsigned lines_before(const char *text, const char *line)
{
	for (unsigned n = 0; *text; n++, text += line_size(text))
		if (is_same(text, line))
			return n;
	return 0;
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; *text; text += line_size(text))
		n++;
	return n;
}

void patch_print(FILE *to, const char *name, const char *before,
		 const char *after)
{
	unsigned i = 1, j = 1; /* lines of either */

	fprintf(to, "--- %s\n+++ %s\n", name, name);
	while (*after) {
		unsigned more;

		if (*before && is_same(before, after)) {
			before += line_size(before);
			after += line_size(after);
			i++, j++;
			continue;
		}
		more = *before ? lines_before(after, before)
			       : count_lines(after);
		if (more > 0) {
			fprintf(to, "@@ -%u,0 +%u,%u @@\n", i - 1, j, more);
		} else {
			fprintf(to, "@@ -%u +%u @@\n", i++, j);
			print_line(to, '-', before);
			before += line_size(before);
			more = 1;
		}
		for (; more > 0; more--, j++, after += line_size(after))
			print_line(to, '+', after);
	}
}
