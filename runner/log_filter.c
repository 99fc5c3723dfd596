/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/log_filter.h"

#include <stdio.h>
#include <string.h>

/* Length of "2026-01-31T12:00:00.000Z ". */
enum { TIME_LENGTH = 25 };

const char *log_filter(const char *line, size_t n, enum log_filter_level *level)
{
	static const char *const heads[] = {
		"coordinator error: ",
		"coordinator warning: ",
		"coordinator info: ",
		"coordinator debug: ",
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		size_t k = strlen(heads[i]);

		if (n <= TIME_LENGTH + k || line[TIME_LENGTH - 2] != 'Z' ||
		    memcmp(line + TIME_LENGTH, heads[i], k) != 0)
			continue;
		*level = i == 0 ? LOG_FILTER_ERROR : LOG_FILTER_OTHER;
		return line + TIME_LENGTH + k;
	}
	return NULL;
}
