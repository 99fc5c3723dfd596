/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

/*
 * Short texts for people, handed over by value so that they can be written
 * where they are printed: printf("%s", text_safe(job->reason).s)
 */

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char s[512];
};

struct brief {
	char s[48];
};

/* "3.2 s", "42 s", "1 min 20 s", "2 h 05 min"; "-" if negative. */
struct brief text_duration(msec_t time);

/* So much of what an application counts in unit: "12 steps"; "135 s of model
 * time" if the unit is "ms of model time". */
struct text text_amount(uint64_t n, const char *unit);
/* Where it is: "step 12", or as text_amount() if the unit is a time. */
struct text text_step(uint64_t n, const char *unit);

/* So much of it in a second: "3.1 steps/s", "120 s of model time/s". */
struct text text_rate(double rate, const char *unit);

/* "20 min 26 s +- 40 s": a time and its standard deviation; without the latter
 * if it is 0. */
struct text text_estimate(msec_t time, msec_t deviation);

/* The ending of a noun: "%u rank%s". */
static inline const char *text_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* "0.812 s" or "12.34 s": a pause, to be compared with others. */
struct brief text_pause(msec_t time);

/* What came from outside, for a terminal: control characters, direction
 * overrides and what is not UTF-8 are shown as '?'.  NULL reads as "". */
struct text text_safe(const char *from);

/* The same, with as much as there is room for; to may be from. */
void text_make_safe(char *to, size_t room, const char *from);

/* Bytes of a line without the newline that may end it. */
size_t text_line_length(const char *line, size_t n);

/* Columns of a text of narrow characters. */
unsigned text_columns(const char *text);

/* Shortens a text that takes more columns than that; '~' is its last one. */
void text_cut(char *text, unsigned columns);

/* Appends an item to "a, b, c", as far as there is room. */
void text_list_add(char *list, size_t room, const char *item);

#endif
