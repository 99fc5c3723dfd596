/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a checkpoint of parint: one that is taken for whole is as large
 * as its header says.  The last bit says whether its seal is made right.
 */

#include "apps/parint/checkpoint.h"

#include "base/cleanup.h"
#include "tests/fuzz/file.h"

#include <errno.h>

static void seal(char *bytes, size_t size)
{
	struct checkpoint_header header;

	if (size < sizeof(header))
		return;
	memcpy(&header, bytes, sizeof(header));
	header.seal = checkpoint_seal(&header);
	memcpy(bytes, &header, sizeof(header));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *copy = fuzz_copy(data, size);
	struct checkpoint_header header;
	struct error err = {""};
	int r;

	if (size > 0 && data[size - 1] & 1)
		seal(copy, size);
	r = checkpoint_header_read(&header, fuzz_file(copy, size), "fuzz",
				   &err);
	if (r < 0) {
		HOLD(r == -EBADMSG && strstr(err.text, "fuzz"));
		return 0;
	}
	HOLD(header.array_size <= CHECKPOINT_ELEMENTS_MAX);
	HOLD(size == checkpoint_bytes(header.array_size));
	HOLD(header.seal == checkpoint_seal(&header));
	return 0;
}
