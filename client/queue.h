/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLIENT_QUEUE_H
#define CLIENT_QUEUE_H

/*
 * A scheduler's queue as message Queue tells it: names, and what follows from
 * its numbers
 *
 * Strings of the message go through text_safe() before a terminal shows them.
 */

#include "base/cleanup.h"
#include "base/time.h"
#include "proto/scheduler.pb-c.h"

#include <stdbool.h>

enum { QUEUE_PRIORITY_MAX = 1000 };

/* "running"; "unknown" for a number this program does not know. */
const char *listed_state_name(Bellows__V1__QueueState state);

bool listed_state_is_over(Bellows__V1__QueueState state);
/* For slots, with a checkpoint or without. */
bool listed_state_waits(Bellows__V1__QueueState state);
/* It has slots. */
bool listed_state_runs(Bellows__V1__QueueState state);

/* How long a job has had no slots: since it was submitted, or since its newest
 * span.  -1: not known. */
msec_t queue_waited(const Bellows__V1__Queue *queue,
		    const Bellows__V1__QueueJob *job);

/* As it will be after so long, if nothing happens. */
void queue_advance(Bellows__V1__Queue *queue, msec_t by);

/* A copy of its own; NULL without memory. */
Bellows__V1__Queue *queue_copy(const Bellows__V1__Queue *queue);
Bellows__V1__Queue *queue_free(Bellows__V1__Queue *queue); /* returns NULL */

DEFINE_CLEANUP(Bellows__V1__Queue, queue_free)

#endif
