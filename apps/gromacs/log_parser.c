/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/log_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_ENDS = 15, TIME_ENDS = 30, BLANKS = 3, DECIMALS = 5 };

/* A whole number at *at, which moves behind it. */
static bool take_number(const char **at, uint64_t *out)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*out = strtoull(*at, &end, 10);
	*at = end;
	return errno == 0;
}

static bool take_word(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

static size_t skip_blanks(const char **at)
{
	size_t n = strspn(*at, " ");

	*at += n;
	return n;
}

/* "            150        0.30000" */
static bool is_step(const char *line, uint64_t *step)
{
	const char *at = line;
	uint64_t whole;

	if (skip_blanks(&at) < BLANKS || !take_number(&at, step) ||
	    at - line < STEP_ENDS || skip_blanks(&at) < BLANKS ||
	    !take_number(&at, &whole) || *at++ != '.')
		return false;
	return strspn(at, "0123456789") == DECIMALS && at[DECIMALS] == '\0' &&
	       at + DECIMALS - line >= TIME_ENDS;
}

/* "  step:                  150", of the checkpoint that was read */
static bool is_checkpoint_step(const char *line, uint64_t *step)
{
	const char *at = line;

	return take_word(&at, "  step:") && skip_blanks(&at) > 0 &&
	       take_number(&at, step) && *at == '\0';
}

/* The length of the run and where it begins. */
static enum line_kind read_length(const char *line, struct line_facts *facts)
{
	const char *at = line;
	uint64_t total = 0, step;

	take_word(&at, "-"); /* without end: -1 steps */
	if (!take_number(&at, &total) || !take_word(&at, " steps, "))
		return LINE_OTHER;
	if (*line == '-')
		total = 0;
	at += strspn(at, " .0123456789infte");
	if (!take_word(&at, "ps"))
		return LINE_OTHER;
	if (strcmp(at, ".") == 0) {
		facts->total = total;
		return LINE_AFRESH;
	}
	if (!take_word(&at, " (continuing from step ") ||
	    !take_number(&at, &step) || *at != ',')
		return LINE_OTHER;
	facts->step = step;
	facts->total = strstr(line, "infinite") ? 0 : total;
	return LINE_RESUMED;
}

/* What mdrun prints when it cannot read a checkpoint; of one that it cannot
 * write it says the second, but only once it has gone on. */
static bool is_unreadable(const char *line)
{
	static const char *const sentences[] = {
		"WARNING: Checkpoint file is corrupted or truncated",
		"Checkpoint file corrupted/truncated, or maybe you are out of "
		"disk space?",
		"The checkpoint file is corrupted or not a checkpoint file",
		"The checkpoint file is empty/corrupted, or maybe you are out "
		"of disk space?",
	};

	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (strcmp(line, sentences[i]) == 0)
			return true;
	return false;
}

enum line_kind log_parser_read(const char *line, struct line_facts *facts)
{
	static const char restarting[] = "Restarting from checkpoint, ";
	static const char last[] = "Finished mdrun on rank 0 ";
	uint64_t step;

	if (is_unreadable(line))
		return LINE_UNREADABLE;
	if (strncmp(line, last, sizeof(last) - 1) == 0)
		return LINE_FINISHED;
	if (is_step(line, &step)) {
		facts->step = step;
		return LINE_PROGRESS;
	}
	if (is_checkpoint_step(line, &step)) {
		facts->step = step;
		return LINE_RESUMED;
	}
	if (strncmp(line, restarting, sizeof(restarting) - 1) == 0)
		return LINE_RESUMED;
	return read_length(line, facts);
}
