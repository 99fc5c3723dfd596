/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any record of a coordinator: one that is read is written in the same way, and
 * its words can be shown
 */

#include "coordinator/checkpoint/owner_record.h"

#include "base/text.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>

static void is_shown(const char *word)
{
	char safe[OWNER_STATE_MAX];

	text_make_safe(safe, sizeof(safe), word);
	HOLD(strcmp(safe, word) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct owner_record record, again;
	char text[OWNER_RECORD_MAX], twice[OWNER_RECORD_MAX];
	int r = owner_record_parse(&record, (const char *)data, size);
	size_t n;

	HOLD(r == 0 || r == -EINVAL);
	if (r < 0)
		return 0;
	is_shown(record.job);
	is_shown(record.host);
	is_shown(record.boot);
	is_shown(record.state);
	HOLD(record.left || !record.without_rank);
	n = owner_record_format(&record, text);
	HOLD(n < sizeof(text));
	HOLD(owner_record_parse(&again, text, n) == 0);
	HOLD(owner_record_format(&again, twice) == n);
	HOLD(memcmp(text, twice, n) == 0);
	return 0;
}
