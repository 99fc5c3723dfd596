/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/generic/progress.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* The whole match, step, total. */
enum { GROUPS = 3 };

int progress_check(const char *pattern, unsigned groups, struct error *err)
{
	char reason[128];
	regex_t regex;
	size_t has;
	int r = regcomp(&regex, pattern, REG_EXTENDED);

	if (r != 0) {
		regerror(r, &regex, reason, sizeof(reason));
		return error_set(err, -EINVAL,
				 "the expression '%.80s' is wrong: %s", pattern,
				 reason);
	}
	has = regex.re_nsub;
	regfree(&regex);
	if (has < groups)
		return error_set(err, -EINVAL,
				 "the expression '%.80s' has no group; (...) "
				 "around the step and, if it is there, around "
				 "the total",
				 pattern);
	return 0;
}

/* The patterns of the last calls, compiled: a job has two, and a thousand lines
 * a second may come.  NULL if it is wrong. */
static const regex_t *compiled(const char *pattern)
{
	static struct {
		regex_t regex;
		char *of;
	} kept[2];
	static unsigned oldest;
	unsigned i;

	for (i = 0; i < 2; i++)
		if (kept[i].of && strcmp(kept[i].of, pattern) == 0)
			return &kept[i].regex;
	i = oldest;
	oldest = !oldest;
	if (kept[i].of)
		regfree(&kept[i].regex);
	free(kept[i].of);
	kept[i].of = strdup(pattern);
	if (kept[i].of && regcomp(&kept[i].regex, pattern, REG_EXTENDED) != 0) {
		free(kept[i].of);
		kept[i].of = NULL;
	}
	return kept[i].of ? &kept[i].regex : NULL;
}

static bool number(uint64_t *out, const char *line, const regmatch_t *at)
{
	const char *text = line + at->rm_so, *end = line + at->rm_eo;
	char *rest;

	if (at->rm_so < 0)
		return false;
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	if (text == end || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &rest, 10);
	if (errno == ERANGE || rest > end)
		return false;
	if (rest < end && *rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	return rest >= end;
}

bool progress_read(const char *pattern, const char *line,
		   struct line_facts *facts)
{
	const regex_t *regex = compiled(pattern);
	regmatch_t at[GROUPS];
	uint64_t step = 0, total = 0;

	if (!regex || regexec(regex, line, GROUPS, at, 0) != 0)
		return false;
	if (regex->re_nsub > 0 && !number(&step, line, &at[1]))
		return false;
	if (regex->re_nsub > 1 && !number(&total, line, &at[2]))
		return false;
	if (regex->re_nsub == 1 && line[at[1].rm_eo] == '%')
		total = 100;
	facts->step = step;
	facts->total = total;
	return true;
}
