/* SPDX-License-Identifier: Apache-2.0 */
#include "client/queue.h"

#include "base/list.h"
#include "rpc/copy.h"

static const char *const state_names[] = {
	[BELLOWS__V1__QUEUE_STATE__QUEUE_STATE_UNSPECIFIED] = "unknown",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_WAITING] = "waiting",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_HELD] = "held",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_STARTING] = "starting",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_RUNNING] = "running",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_STOPPING] = "stopping",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_PARKED] = "parked",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_DONE] = "done",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_FAILED] = "failed",
	[BELLOWS__V1__QUEUE_STATE__QUEUE_CANCELLED] = "cancelled",
};

const char *listed_state_name(Bellows__V1__QueueState state)
{
	/* proto3 passes on numbers that a newer scheduler may know */
	return (size_t)state < LENGTH(state_names) ? state_names[state]
						   : "unknown";
}

bool listed_state_is_over(Bellows__V1__QueueState state)
{
	return state == BELLOWS__V1__QUEUE_STATE__QUEUE_DONE ||
	       state == BELLOWS__V1__QUEUE_STATE__QUEUE_FAILED ||
	       state == BELLOWS__V1__QUEUE_STATE__QUEUE_CANCELLED;
}

bool listed_state_waits(Bellows__V1__QueueState state)
{
	return state == BELLOWS__V1__QUEUE_STATE__QUEUE_WAITING ||
	       state == BELLOWS__V1__QUEUE_STATE__QUEUE_PARKED;
}

bool listed_state_runs(Bellows__V1__QueueState state)
{
	return state == BELLOWS__V1__QUEUE_STATE__QUEUE_STARTING ||
	       state == BELLOWS__V1__QUEUE_STATE__QUEUE_RUNNING ||
	       state == BELLOWS__V1__QUEUE_STATE__QUEUE_STOPPING;
}

msec_t queue_waited(const Bellows__V1__Queue *queue,
		    const Bellows__V1__QueueJob *job)
{
	uint64_t since = job->started ? 0 : job->submitted;

	for (size_t i = 0; i < queue->n_spans; i++)
		if (queue->spans[i]->number == job->number)
			since = queue->spans[i]->to;
	return since && since <= queue->now ? (msec_t)(queue->now - since) : -1;
}

void queue_advance(Bellows__V1__Queue *queue, msec_t by)
{
	queue->now += (uint64_t)by;
	for (size_t i = 0; i < queue->n_jobs; i++)
		if (queue->jobs[i]->eta >= 0)
			queue->jobs[i]->eta = queue->jobs[i]->eta > by
						      ? queue->jobs[i]->eta - by
						      : 0;
}

Bellows__V1__Queue *queue_copy(const Bellows__V1__Queue *queue)
{
	return (Bellows__V1__Queue *)message_copy(&queue->base);
}

Bellows__V1__Queue *queue_free(Bellows__V1__Queue *queue)
{
	if (queue)
		bellows__v1__queue__free_unpacked(queue, NULL);
	return NULL;
}
