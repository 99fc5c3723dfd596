/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/watch.h"

#include "base/backoff.h"
#include "proto/coordinator.h"
#include "runner/kube/reach.h"

#include <errno.h>

enum { BACKOFF_FIRST = 100, BACKOFF_LAST = 2000 };

/* What a coordinator says last may come after the news that its pod is over. */
enum { FAREWELL = 2000 };

static void open_stream(void *user);

static void forget(struct watch *watch)
{
	loop_timer_clear(&watch->timer);
	loop_timer_clear(&watch->farewell);
	if (watch->client->route)
		route_on_gone(watch->client->route, NULL, NULL);
}

static void end(struct watch *watch, int r)
{
	watch->stopped = true;
	forget(watch);
	watch->events->on_end(watch->user, r, &watch->last);
}

static void retry(struct watch *watch)
{
	msec_t in = backoff(watch->attempts++, BACKOFF_FIRST, BACKOFF_LAST);
	bool late =
		watch->patience && loop_now() - watch->heard >= watch->patience;

	if (watch->client->route &&
	    route_gone(watch->client->route, &watch->last) < 0)
		late = true;
	if (late) {
		end(watch, -ECONNREFUSED);
		return;
	}
	loop_timer_set(watch->client->loop, &watch->timer, in, open_stream,
		       watch);
}

static void on_message(void *user, const ProtobufCMessage *message)
{
	struct watch *watch = user;
	const Bellows__V1__Job *job = (const Bellows__V1__Job *)message;

	if (watch->stopped)
		return;
	watch->heard = loop_now();
	watch->attempts = 0;
	loop_timer_clear(&watch->timer);
	watch->over = state_is_over(job->state);
	watch->events->on_job(watch->user, job);
}

static void on_end(void *user, const struct rpc_status *status)
{
	struct watch *watch = user;

	watch->stream = NULL;
	if (watch->stopped)
		return;
	if (watch->over) {
		end(watch, 0);
		return;
	}
	client_explain(watch->client, status, &watch->last);
	retry(watch);
}

/* The stream is open, but the first message does not come. */
static void on_silence(void *user)
{
	struct watch *watch = user;

	error_set(&watch->last, -ETIMEDOUT,
		  "the coordinator of %s at %s does not answer",
		  watch->client->name, client_where(watch->client));
	rpc_stream_cancel(watch->stream);
	end(watch, -ETIMEDOUT);
}

static void on_farewell(void *user)
{
	struct watch *watch = user;

	route_gone(watch->client->route, &watch->last);
	if (watch->stream)
		rpc_stream_cancel(watch->stream);
	end(watch, -ECONNREFUSED);
}

static void on_gone(void *user)
{
	struct watch *watch = user;

	loop_timer_set(watch->client->loop, &watch->farewell, FAREWELL,
		       on_farewell, watch);
}

static void open_stream(void *user)
{
	static const struct rpc_stream_events events = {
		.on_message = on_message,
		.on_end = on_end,
	};
	Bellows__V1__GetJobRequest request = BELLOWS__V1__GET_JOB_REQUEST__INIT;
	struct watch *watch = user;

	if (rpc_stream_open(&watch->stream, watch->client->channel,
			    CALL_WATCH_JOB, &request.base,
			    &bellows__v1__job__descriptor, 0, &events, watch,
			    &watch->last) < 0)
		retry(watch);
	else if (watch->patience)
		loop_timer_set(watch->client->loop, &watch->timer,
			       watch->patience, on_silence, watch);
}

void watch_start(struct watch *watch, struct client *client, msec_t patience,
		 const struct watch_events *events, void *user)
{
	*watch = (struct watch){
		.client = client,
		.events = events,
		.user = user,
		.patience = patience,
		.heard = loop_now(),
	};
	if (client->route)
		route_on_gone(client->route, on_gone, watch);
	loop_timer_set(client->loop, &watch->timer, 0, open_stream, watch);
}

void watch_stop(struct watch *watch)
{
	if (!watch->client || watch->stopped)
		return;
	watch->stopped = true;
	forget(watch);
	if (watch->stream)
		rpc_stream_cancel(watch->stream);
}
