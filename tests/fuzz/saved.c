/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a checkpoint of bellows-supersteps.  The last bit says whether
 * their checksum is made right.
 */

#include "apps/supersteps/saved.h"

#include "base/cleanup.h"
#include "base/crc32.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct saved saved;
	CLEANUP(free) char *text = malloc(size + 16);

	if (size > 0)
		memcpy(text, data, size);
	if (size > 0 && data[size - 1] & 1)
		size += (size_t)sprintf(text + size, "end %08x\n",
					crc32_of(text, size));
	text[size] = '\0';
	if (!saved_parse(&saved, text, size))
		return 0;
	HOLD(saved.bytes == size);
	HOLD(saved.next <= saved.steps);
	HOLD(isfinite(saved.change) && saved.change >= 0);
	HOLD(saved.n_done <= SAVED_TASKS_MAX);
	for (unsigned i = 0; i < saved.n_done; i++)
		HOLD(saved_is_done(&saved, saved.done[i]));
	return 0;
}
