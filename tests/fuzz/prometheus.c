/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as an answer of Prometheus: a finite number comes of them, or a
 * sentence that can be printed
 */

#include "prometheus/answer.h"

#include "base/text.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size);
	struct error err = {""};
	double value;
	int r = prometheus_read_answer(&value, 200, copy, size, &err);

	if (r == 0) {
		HOLD(isfinite(value));
	} else {
		HOLD(r == -EPROTO && *err.text);
		HOLD(strcmp(text_safe(err.text).s, err.text) == 0);
	}
	free(copy);
	return 0;
}
