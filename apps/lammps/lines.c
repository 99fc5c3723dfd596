/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/lammps/lines.h"

#include "apps/lammps/number.h"

#include <stdio.h>
#include <string.h>

/* The number at text, which end is put behind. */
static bool leading(const char *text, uint64_t *out, const char **end)
{
	char digits[24];
	size_t n;

	text += strspn(text, " ");
	n = strspn(text, "0123456789");
	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	*end = text + n;
	return number_read(digits, out);
}

static bool is_current_step(const char *line, uint64_t *step)
{
	const char *end;
	int at = 0;

	sscanf(line, " Current step :%n", &at);
	return at > 0 && leading(line + at, step, &end) &&
	       end[strspn(end, " ")] == '\0';
}

static bool is_multi(const char *line, uint64_t *step)
{
	static const char title[] = " Step ";
	const char *end;
	size_t dashes = strspn(line, "-");

	return dashes > 0 &&
	       strncmp(line + dashes, title, sizeof(title) - 1) == 0 &&
	       leading(line + dashes + sizeof(title) - 1, step, &end) &&
	       strncmp(end, " -----", 6) == 0;
}

static bool are_numbers(const char *text)
{
	while (*text != '\0') {
		char *end;

		(void)strtod(text, &end);
		if (end == text || *end != ' ')
			return false;
		text = end + strspn(end, " ");
	}
	return true;
}

static bool is_thermo(const char *line, uint64_t *step)
{
	const char *end;

	return leading(line, step, &end) && *end == ' ' && are_numbers(line);
}

static bool is_unreadable(const char *line)
{
	return strncmp(line, "ERROR", 5) == 0 &&
	       strstr(line, "read_restart.cpp:");
}

enum line_kind lines_read(const char *line, struct line_facts *facts)
{
	static const char last[] = "Total wall time: ";
	uint64_t step;

	if (is_unreadable(line))
		return LINE_UNREADABLE;
	if (strncmp(line, last, sizeof(last) - 1) == 0)
		return LINE_FINISHED;
	if (is_current_step(line, &step)) {
		facts->step = step;
		/* a resume from step 0 would be one that does not say where */
		return step > 0 ? LINE_RESUMED : LINE_PROGRESS;
	}
	if (is_multi(line, &step) || is_thermo(line, &step)) {
		facts->step = step;
		return LINE_PROGRESS;
	}
	return LINE_OTHER;
}
