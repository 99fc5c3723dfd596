/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GENERIC_PROGRESS_H
#define APPS_GENERIC_PROGRESS_H

/*
 * Progress by a regular expression (PCRE2)
 *
 * What a pattern may cost is bounded: one that is too long or too deep is
 * refused, and a line that it takes too long for is passed over, which is told.
 *
 * Group 1 is the step and group 2, if there is one, the total: whole numbers,
 * or decimal ones of which the whole part is taken.  With group 1 alone the
 * total is not known, unless the very next character of the line is '%': then
 * the step is of 100.
 *
 *     ^step +([0-9]+)/([0-9]+)     step   120/5000      120 of 5000
 *     ^t = ([0-9]+)                t = 7 s              7
 *     ([0-9.]+)% done              12.5% done           12 of 100
 */

#include "apps/adapter.h"

/* groups: it must have at least.  0, or -EINVAL with the reason. */
int progress_check(const char *pattern, unsigned groups, struct error *err);

/* True and facts, if the line tells the progress; without a group, facts are
 * 0. */
bool progress_read(const char *pattern, const char *line,
		   struct line_facts *facts);

#endif
