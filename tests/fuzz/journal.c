/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as lines of a journal: what is taken for a line reads back as
 * itself
 *
 * A fuzzer does not find a checksum, so each line is tried as it is and with
 * its checksum put right.
 */

#include "coordinator/journal/journal.h"

#include "tests/fuzz/fuzz.h"

static void check(const char *line, size_t n)
{
	char again[JOURNAL_LINE_MAX];
	struct journal_entry entry, other;
	size_t length;

	if (journal_parse(line, n, &entry) < 0)
		return;
	length = journal_format(&entry, again);
	HOLD(length > 1 && length <= sizeof(again));
	HOLD(again[length - 1] == '\n');
	HOLD(journal_parse(again, length - 1, &other) == 0);
	HOLD(other.kind == entry.kind && other.at == entry.at);
	HOLD(strlen(other.text) == strlen(entry.text));
}

/* journal_format() computes one; an entry of this text has that of its rest. */
static void put_right(char *line, size_t n)
{
	uint32_t crc = ~0u;

	for (size_t i = 9; i < n; i++) {
		crc ^= (unsigned char)line[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	for (int i = 0; i < 8; i++)
		line[i] = "0123456789abcdef"[~crc >> (28 - 4 * i) & 15];
	line[8] = ' ';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	while (size > 0) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t n = end ? (size_t)(end - data) : size;
		char *line = malloc(n + 1);

		HOLD(line);
		memcpy(line, data, n);
		check(line, n);
		if (n > 9) {
			put_right(line, n);
			check(line, n);
		}
		free(line);
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
	return 0;
}
