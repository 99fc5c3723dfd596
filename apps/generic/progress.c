/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/generic/progress.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* The whole match, step, total. */
enum { GROUPS = 3 };

enum { KEPT = 3 }; /* patterns, compiled */

/* What a pattern may cost: bytes, parentheses in one another; steps and KiB for
 * a line, some milliseconds of work; and lines on which it took more. */
enum {
	LENGTH_MAX = 1024,
	NESTED_MAX = 32,
	STEPS_MAX = 100000,
	HEAP_MAX = 1024,
	COSTLY_MAX = 20,
};

struct pattern {
	char *text; /* NULL: there is none */
	pcre2_code *code;
	pcre2_match_data *found;
	pcre2_match_context *limits;
	uint32_t groups;
	unsigned n_costly; /* lines */
};

static void pattern_fini(struct pattern *pattern)
{
	pcre2_code_free(pattern->code);
	pcre2_match_data_free(pattern->found);
	pcre2_match_context_free(pattern->limits);
	free(pattern->text);
	*pattern = (struct pattern){0};
}

/* NULL, with the number of what is wrong, or 0: out of memory. */
static pcre2_code *compile(const char *text, int *wrong)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code = NULL;
	PCRE2_SIZE at;

	*wrong = 0;
	if (!context)
		return NULL;
	pcre2_set_parens_nest_limit(context, NESTED_MAX);
	code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, wrong,
			     &at, context);
	pcre2_compile_context_free(context);
	return code;
}

int progress_check(const char *text, unsigned groups, struct error *err)
{
	uint32_t has = 0;
	char reason[128];
	pcre2_code *code;
	int wrong;

	if (strlen(text) > LENGTH_MAX)
		return error_set(err, -EINVAL,
				 "the expression '%.80s' is longer than %d "
				 "bytes",
				 text, LENGTH_MAX);
	code = compile(text, &wrong);
	if (!code && wrong == 0)
		return error_set(err, -ENOMEM, "out of memory");
	if (!code) {
		pcre2_get_error_message(wrong, (PCRE2_UCHAR *)reason,
					sizeof(reason));
		return error_set(err, -EINVAL,
				 "the expression '%.80s' is wrong: %s", text,
				 reason);
	}
	pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &has);
	pcre2_code_free(code);
	if (has < groups)
		return error_set(err, -EINVAL,
				 "the expression '%.80s' has no group; (...) "
				 "around the step and, if it is there, around "
				 "the total",
				 text);
	return 0;
}

static int pattern_init(struct pattern *pattern, const char *text)
{
	int wrong;

	pattern->text = strdup(text);
	pattern->code = compile(text, &wrong);
	pattern->found = pcre2_match_data_create(GROUPS, NULL);
	pattern->limits = pcre2_match_context_create(NULL);
	if (!pattern->text || !pattern->code || !pattern->found ||
	    !pattern->limits) {
		pattern_fini(pattern);
		return -ENOMEM;
	}
	pcre2_set_match_limit(pattern->limits, STEPS_MAX);
	pcre2_set_heap_limit(pattern->limits, HEAP_MAX);
	pcre2_pattern_info(pattern->code, PCRE2_INFO_CAPTURECOUNT,
			   &pattern->groups);
	return 0;
}

/* The patterns of the last calls, compiled: a job has three, and a thousand
 * lines a second may come.  NULL if it is wrong. */
static struct pattern *compiled(const char *text)
{
	static struct pattern kept[KEPT];
	static unsigned oldest;
	struct pattern *pattern;

	for (unsigned i = 0; i < KEPT; i++)
		if (kept[i].text && strcmp(kept[i].text, text) == 0)
			return &kept[i];
	pattern = &kept[oldest];
	oldest = (oldest + 1) % KEPT;
	pattern_fini(pattern);
	return pattern_init(pattern, text) < 0 ? NULL : pattern;
}

static void tell_costly(struct pattern *pattern, const char *line)
{
	pattern->n_costly++;
	if (pattern->n_costly == 1)
		log_warn("the expression '%.80s' takes too long for the line "
			 "'%.80s', which is passed over; one without nested "
			 "repetitions would not",
			 pattern->text, line);
	else if (pattern->n_costly == COSTLY_MAX)
		log_warn("the expression '%.80s' took too long for %u lines "
			 "and is not looked for any more",
			 pattern->text, COSTLY_MAX);
}

static bool matches(struct pattern *pattern, const char *line)
{
	int r;

	if (pattern->n_costly >= COSTLY_MAX)
		return false;
	r = pcre2_match(pattern->code, (PCRE2_SPTR)line, strlen(line), 0, 0,
			pattern->found, pattern->limits);
	if (r == PCRE2_ERROR_MATCHLIMIT || r == PCRE2_ERROR_HEAPLIMIT ||
	    r == PCRE2_ERROR_DEPTHLIMIT)
		tell_costly(pattern, line);
	return r >= 0;
}

/* The group's number; false if it is none. */
static bool number(uint64_t *out, const char *line, const PCRE2_SIZE *at)
{
	const char *text, *end;
	char *rest;

	if (at[0] == PCRE2_UNSET)
		return false;
	text = line + at[0];
	end = line + at[1];
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	if (text >= end || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &rest, 10);
	if (errno == ERANGE || rest > end)
		return false;
	if (rest < end && *rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	return rest >= end;
}

bool progress_read(const char *text, const char *line, struct line_facts *facts)
{
	struct pattern *pattern = compiled(text);
	uint64_t step = 0, total = 0;
	const PCRE2_SIZE *at;

	if (!pattern || !matches(pattern, line))
		return false;
	at = pcre2_get_ovector_pointer(pattern->found);
	if (pattern->groups > 0 && !number(&step, line, &at[2]))
		return false;
	if (pattern->groups > 1 && !number(&total, line, &at[4]))
		return false;
	if (pattern->groups == 1 && line[at[3]] == '%')
		total = 100;
	facts->step = step;
	facts->total = total;
	return true;
}
