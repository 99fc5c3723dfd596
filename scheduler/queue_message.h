/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_QUEUE_MESSAGE_H
#define SCHEDULER_QUEUE_MESSAGE_H

/*
 * The queue, and decisions, as messages
 *
 * Arrays are made with malloc(); texts are the jobs' own, or static.
 */

#include "proto/scheduler.pb-c.h"
#include "scheduler/scheduler.h"

/* One job, or all: NULL.  -ENOMEM.  queue_message_clear() also then. */
int queue_message_fill(Bellows__V1__Queue *out,
		       const struct scheduler *scheduler,
		       const struct queued *one);
/* The spans, too: those of a message that is asked for once.  -ENOMEM. */
int queue_message_add_spans(Bellows__V1__Queue *out,
			    const struct scheduler *scheduler,
			    const struct queued *one);
void queue_message_clear(Bellows__V1__Queue *queue);

/* The newest decisions about a job until the instant `at`; 0: now. */
int explain_message_fill(Bellows__V1__ExplainReply *out,
			 const struct queued *queued, msec_t at, size_t count);
void explain_message_clear(Bellows__V1__ExplainReply *reply);

#endif
