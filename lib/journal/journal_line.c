/* SPDX-License-Identifier: Apache-2.0 */
#include "journal/journal_line.h"

#include "base/crc32.h"

#include <stdio.h>
#include <string.h>

static void make_head(const char *text, size_t n,
		      char head[JOURNAL_LINE_HEAD + 1])
{
	snprintf(head, JOURNAL_LINE_HEAD + 1, "%08x ", crc32_of(text, n));
}

size_t journal_line_seal(char *line, size_t n)
{
	char head[JOURNAL_LINE_HEAD + 1], *text = line + JOURNAL_LINE_HEAD;

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < ' ')
			text[i] = ' ';
	make_head(text, n, head);
	memcpy(line, head, JOURNAL_LINE_HEAD);
	text[n] = '\n';
	return JOURNAL_LINE_HEAD + n + 1;
}

const char *journal_line_open(const char *line, size_t n)
{
	const char *text = line + JOURNAL_LINE_HEAD;
	char head[JOURNAL_LINE_HEAD + 1];

	if (n <= JOURNAL_LINE_HEAD || memchr(line, '\0', n))
		return NULL;
	make_head(text, n - JOURNAL_LINE_HEAD, head);
	return memcmp(line, head, JOURNAL_LINE_HEAD) == 0 ? text : NULL;
}
