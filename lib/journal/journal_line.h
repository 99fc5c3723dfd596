/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOURNAL_JOURNAL_LINE_H
#define JOURNAL_JOURNAL_LINE_H

/*
 * A line of a journal: the CRC-32 of its text, a blank, the text
 *
 *     8f3a1c02 0 begun 1 1763769600000 2 3 0 1 heat
 */

#include <stdbool.h>
#include <stddef.h>

/* Bytes before the text. */
enum { JOURNAL_LINE_HEAD = 9 };

/* Makes a line of the n bytes of text that stand at line + JOURNAL_LINE_HEAD;
 * behind them is room for its end.  Control characters become blanks.  Returns
 * how many bytes the line has, with its end. */
size_t journal_line_seal(char *line, size_t n);

/* The text of a line of n bytes, which is without its end; NULL: it is none.
 * The text has n - JOURNAL_LINE_HEAD bytes, at least one. */
const char *journal_line_open(const char *line, size_t n);

#endif
