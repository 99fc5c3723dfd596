/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_QUEUE_TABLE_H
#define CLI_VIEWS_QUEUE_TABLE_H

/*
 * The queue of a scheduler as a table
 *
 *     policy bellows, this machine: 5 of 8 slots used; 2 run, 1 waits
 *
 *     JOB  NAME  USER  PRIO  STATE    RANKS    DONE  LEFT|WAITED
 *       1  heat  ann     10  running  4/4/2-8  43 %  1 min 20 s
 *
 * No line of the table is wider than it may be: long names and users are cut
 * first.  Sentences below the head are not cut but wrapped.
 */

#include "client/queue.h"

#include <stdio.h>

enum { QUEUE_COLUMNS = 80 };

/* So long a job that has ended is shown in a table that is not of all. */
#define QUEUE_RECENT MINUTES(60)

struct queue_table {
	unsigned width;
	bool all;  /* also what ended more than an hour ago */
	bool full; /* also why each job is in its state, and what it waits for
		    */
};

void queue_table_print(FILE *to, const Bellows__V1__Queue *queue,
		       const struct queue_table *table);

/* "policy bellows, this machine: 5 of 8 slots used; 2 run, 1 waits" */
struct text queue_head(const Bellows__V1__Queue *queue, unsigned width);

/* Whether the job has a row. */
bool queue_table_shows(const struct queue_table *table,
		       const Bellows__V1__Queue *queue,
		       const Bellows__V1__QueueJob *job);

#endif
