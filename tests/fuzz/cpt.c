/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a checkpoint of GROMACS: one that is taken for whole has a step
 * and a size that can be, and is the same when it is read again
 */

#include "apps/gromacs/cpt.h"

#include "tests/fuzz/file.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size), r;
	struct cpt cpt, again;
	struct error err = {""};
	off_t position = -1;

	r = cpt_log_position(&position, fd, "md.log", &err);
	HOLD(r == 1 || (r == 0 && position >= 0));
	r = cpt_read(&cpt, fd, "fuzz", &err);
	if (r < 0) {
		HOLD(r == -EBADMSG && strstr(err.text, "fuzz"));
		return 0;
	}
	HOLD(cpt.step <= INT64_MAX && cpt.part > 0 && cpt.bytes == size);
	HOLD(cpt_read(&again, fd, "fuzz", NULL) == 0);
	HOLD(again.mark == cpt.mark && again.step == cpt.step);
	return 0;
}
