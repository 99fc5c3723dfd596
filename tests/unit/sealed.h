/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SEALED_H
#define TESTS_UNIT_SEALED_H

/* Lines of a journal, of short texts. */

#include "journal/journal_line.h"

#include <string.h>

enum { LINE_ROOM = 64 };

static size_t seal(const char *text, char line[LINE_ROOM])
{
	size_t n = strlen(text);

	memcpy(line + JOURNAL_LINE_HEAD, text, n);
	return journal_line_seal(line, n);
}

#endif
