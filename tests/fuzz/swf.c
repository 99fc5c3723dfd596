/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a log in Standard Workload Format: jobs that can be simulated,
 * or a sentence that names the file and a line
 */

#include "sim/swf.h"

#include "tests/fuzz/fuzz.h"

#include "base/cleanup.h"

#include <errno.h>

static void is_as_promised(const struct swf_log *log)
{
	HOLD(log->slots >= 1 && log->n >= 1);
	for (size_t i = 0; i < log->n; i++) {
		const struct swf_job *job = &log->jobs[i];

		HOLD(job->processors >= 1 && job->processors <= log->slots);
		HOLD(job->run > 0 && job->submit >= 0);
		HOLD(i == 0 || job->submit >= log->jobs[i - 1].submit);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *copy = fuzz_copy(data, size);
	CLEANUP(fclose) FILE *file = fmemopen(copy, size, "r");
	CLEANUP(swf_log_fini) struct swf_log log = {0};
	struct error err = {""};
	int r;

	if (!file)
		return 0;
	r = swf_parse(&log, "fuzz", file, 0, &err);
	if (r < 0) {
		HOLD(r == -EINVAL);
		HOLD(strncmp(err.text, "fuzz:", 5) == 0);
		HOLD(err.text[5] >= '1' && err.text[5] <= '9');
		return 0;
	}
	is_as_promised(&log);
	return 0;
}
