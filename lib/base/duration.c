/* SPDX-License-Identifier: Apache-2.0 */
#include "base/duration.h"

#include "base/list.h"
#include "base/time.h"

#include <stdlib.h>
#include <string.h>

const char *decimal_read(double *out, const char *text)
{
	const char *end = text + strspn(text, "0123456789.");
	char *stop;

	*out = strtod(text, &stop);
	return end > text && stop == end ? end : NULL;
}

const char *duration_read(double *out, const char *text)
{
	static const struct {
		const char *name;
		msec_t length;
	} units[] = {
		{"ms", 1},
		{"s", SECONDS(1)},
		{"min", MINUTES(1)},
		{"h", MINUTES(60)},
	};
	const char *unit = decimal_read(out, text);
	size_t i = 0;

	if (!unit)
		return "is not a duration";
	unit += strspn(unit, " ");
	if (*unit == '\0')
		return "has no unit";
	while (i < LENGTH(units) && strcmp(units[i].name, unit) != 0)
		i++;
	if (i == LENGTH(units))
		return "has an unknown unit";
	*out *= (double)units[i].length;
	return NULL;
}
