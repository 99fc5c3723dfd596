/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_QUEUE_TOP_H
#define CLI_VIEWS_QUEUE_TOP_H

/*
 * The queue of a scheduler on one screen: how full the slots are, how far each
 * job is that runs, and what waits
 */

#include "cli/views/screen.h"
#include "client/queue.h"

/* At most size->rows lines of at most size->columns; the last one says how many
 * jobs found no room. */
void queue_top_print(FILE *to, const Bellows__V1__Queue *queue,
		     const struct screen_size *size);

#endif
