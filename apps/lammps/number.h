/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_LAMMPS_NUMBER_H
#define APPS_LAMMPS_NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* All of text is a number without sign that LAMMPS could count to. */
static inline bool number_read(const char *text, uint64_t *out)
{
	if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	*out = strtoull(text, NULL, 10);
	return errno == 0 && *out <= INT64_MAX;
}

#endif
