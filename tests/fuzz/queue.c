/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any text as a line of a queue's journal: what is taken for one reads back as
 * itself
 */

#include "journal/journal_line.h"
#include "scheduler/record.h"

#include "tests/fuzz/fuzz.h"

static size_t format(const struct line *line, char out[RECORD_LINE_MAX])
{
	return line->kind == LINE_RECORD
		       ? record_format(&line->record, 0, out)
		       : decision_format(&line->decision, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct line line, other;
	static char again[RECORD_LINE_MAX], third[RECORD_LINE_MAX];
	const char *text;
	size_t n;

	if (line_parse((const char *)data, size, &line) < 0)
		return 0;
	n = format(&line, again);
	HOLD(n > 1 && n <= sizeof(again) && again[n - 1] == '\n');
	text = journal_line_open(again, n - 1);
	HOLD(text);
	HOLD(line_parse(text, n - 1 - JOURNAL_LINE_HEAD, &other) == 0);
	HOLD(other.kind == line.kind);
	HOLD(format(&other, third) == n && memcmp(again, third, n) == 0);
	return 0;
}
