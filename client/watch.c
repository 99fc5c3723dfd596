/* SPDX-License-Identifier: Apache-2.0 */
#include "client/watch.h"

#include "base/backoff.h"
#include "client/job.h"
#include "proto/coordinator.h"
#include "proto/scheduler.h"

#include <errno.h>

#define BACKOFF     MSEC(100)
#define BACKOFF_MAX SECONDS(2)

/* The last message of a coordinator may come after the news that its pod is
 * over. */
#define FAREWELL SECONDS(2)

static void open_stream(void *user);

static void end(struct watch *watch, int r)
{
	watch_stop(watch);
	watch->events->on_end(watch->user, r, &watch->last);
}

static void on_give_up(void *user)
{
	struct watch *watch = user;

	/* the stream is open, and no message comes */
	if (watch->stream)
		error_set(&watch->last, -ETIMEDOUT, "%s at %s does not answer",
			  client_peer(watch->client).s,
			  client_where(watch->client));
	end(watch, watch->stream ? -ETIMEDOUT : -ECONNREFUSED);
}

static void begin_patience(struct watch *watch)
{
	if (watch->patience && !loop_timer_is_set(&watch->give_up))
		loop_timer_set(watch->client->loop, &watch->give_up,
			       watch->patience, on_give_up, watch);
}

static void retry(struct watch *watch)
{
	msec_t wait = backoff(watch->attempts++, BACKOFF, BACKOFF_MAX);

	if (watch->events->on_break)
		watch->events->on_break(watch->user, watch->attempts,
					&watch->last);
	begin_patience(watch);
	loop_timer_set(watch->client->loop, &watch->retry, wait, open_stream,
		       watch);
}

static void on_message(void *user, const ProtobufCMessage *message)
{
	struct watch *watch = user;

	if (watch->stopped)
		return;
	if (watch->attempts > 0 && watch->events->on_return)
		watch->events->on_return(watch->user, watch->attempts);
	watch->attempts = 0;
	loop_timer_clear(&watch->give_up);
	if (watch->events->on_queue) {
		watch->events->on_queue(watch->user,
					(const Bellows__V1__Queue *)message);
	} else {
		const Bellows__V1__Job *job = (const Bellows__V1__Job *)message;

		watch->over = state_is_over(job->state);
		watch->events->on_job(watch->user, job);
	}
}

static void on_end(void *user, const struct rpc_status *status)
{
	struct watch *watch = user;
	int r;

	watch->stream = NULL;
	if (watch->stopped)
		return;
	if (watch->over) {
		end(watch, 0);
		return;
	}
	if (status->code == RPC_OK && !watch->client->is_scheduler) {
		error_set(&watch->last, -ESHUTDOWN,
			  "%s at %s has ended, and did not say how the job "
			  "ended",
			  client_peer(watch->client).s,
			  client_where(watch->client));
		end(watch, -ESHUTDOWN);
		return;
	}
	r = client_explain(watch->client, status, &watch->last);
	if (r != -ECONNREFUSED && r != -ETIMEDOUT) {
		end(watch, r);
		return;
	}
	/* another attempt would not change that */
	if (status->code == RPC_UNAUTHENTICATED ||
	    (watch->client->way &&
	     client_gone(watch->client, &watch->last) < 0))
		end(watch, -ECONNREFUSED);
	else
		retry(watch);
}

static void on_farewell(void *user)
{
	struct watch *watch = user;

	client_gone(watch->client, &watch->last);
	end(watch, -ECONNREFUSED);
}

static void on_gone(void *user)
{
	struct watch *watch = user;

	loop_timer_set(watch->client->loop, &watch->farewell, FAREWELL,
		       on_farewell, watch);
}

static int open_job(struct watch *watch, const struct rpc_stream_events *events)
{
	Bellows__V1__GetJobRequest request = BELLOWS__V1__GET_JOB_REQUEST__INIT;

	return rpc_stream_open(&watch->stream, watch->client->channel,
			       CALL_WATCH_JOB, &request.base,
			       &bellows__v1__job__descriptor, 0, events, watch,
			       &watch->last);
}

static int open_queue(struct watch *watch,
		      const struct rpc_stream_events *events)
{
	Bellows__V1__ListRequest request = BELLOWS__V1__LIST_REQUEST__INIT;

	if (watch->job)
		request.job = (char *)watch->job;
	return rpc_stream_open(&watch->stream, watch->client->channel,
			       CALL_WATCH, &request.base,
			       &bellows__v1__queue__descriptor, 0, events,
			       watch, &watch->last);
}

static void open_stream(void *user)
{
	static const struct rpc_stream_events events = {
		.on_message = on_message,
		.on_end = on_end,
	};
	struct watch *watch = user;
	int r = watch->events->on_queue ? open_queue(watch, &events)
					: open_job(watch, &events);

	if (r < 0)
		retry(watch);
}

void watch_start(struct watch *watch, struct client *client, msec_t patience,
		 const struct watch_events *events, void *user)
{
	*watch = (struct watch){
		.client = client,
		.events = events,
		.user = user,
		.patience = patience,
	};
	error_set(&watch->last, -ETIMEDOUT, "%s at %s does not answer",
		  client_peer(client).s, client_where(client));
	if (client->way)
		client->way->on_gone(client, on_gone, watch);
	begin_patience(watch);
	loop_timer_set(client->loop, &watch->retry, 0, open_stream, watch);
}

void watch_start_queue(struct watch *watch, struct client *client,
		       const char *job, msec_t patience,
		       const struct watch_events *events, void *user)
{
	watch_start(watch, client, patience, events, user);
	watch->job = job;
}

void watch_stop(struct watch *watch)
{
	if (!watch->client || watch->stopped)
		return;
	watch->stopped = true;
	loop_timer_clear(&watch->retry);
	loop_timer_clear(&watch->give_up);
	loop_timer_clear(&watch->farewell);
	if (watch->client->way)
		watch->client->way->on_gone(watch->client, NULL, NULL);
	if (watch->stream)
		rpc_stream_cancel(watch->stream);
}
