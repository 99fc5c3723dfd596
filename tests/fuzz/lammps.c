/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a restart file of LAMMPS: one that is taken for complete has its
 * mark at both ends, and a step
 */

#include "apps/lammps/restart.h"

#include "tests/fuzz/file.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct restart_file file, again;
	struct error err = {""};
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fuzz_file(data, size));
	r = restart_read(&file, path, &err);
	if (r < 0) {
		HOLD(r == -EBADMSG && strstr(err.text, path));
		return 0;
	}
	HOLD(file.bytes == size && file.mark != 0 && file.step <= INT64_MAX);
	HOLD(memcmp(data, data + size - 16, 16) == 0);
	HOLD(restart_read(&again, path, NULL) == 0);
	HOLD(again.mark == file.mark && again.step == file.step);
	return 0;
}
