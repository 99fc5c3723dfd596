/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_PRINT_H
#define COORDINATOR_JOURNAL_PRINT_H

/*
 * A journal for people, or as JSON: what moved the job, from where to where,
 * and why
 */

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Prints the journal of the state directory dir, also beside a coordinator that
 * runs.  json: an object a line, one an entry.  -ENOENT with a sentence: there
 * is no journal. */
int journal_print(const char *dir, bool json, FILE *to, struct error *err);

#endif
