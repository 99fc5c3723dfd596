/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_PRINT_JSON_H
#define COORDINATOR_JOURNAL_PRINT_JSON_H

/*
 * Entries of a journal as JSON, for print.c; docs/man/bellows.1 has the members
 */

#include "client/job.h"
#include "coordinator/journal/journal.h"

/* An entry, and what it did. */
struct journal_told {
	const struct journal_entry *entry;
	const struct job *before, *job;
	const struct pause *pause; /* of the rescale that is now carried out;
				    * NULL: none is, or it is not known */
};

void journal_print_json(FILE *to, const struct journal_told *told);

/* A line that is torn or damaged; otherwise nothing. */
void journal_print_json_end(FILE *to, const struct journal_end *end);

#endif
