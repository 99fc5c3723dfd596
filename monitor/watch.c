/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/watch.h"

#include "base/backoff.h"
#include "base/log.h"
#include "proto/coordinator.h"

#include <stdio.h>

#define BACKOFF     ((msec_t)100)
#define BACKOFF_MAX SECONDS(2)

static void open_stream(void *user);

static void on_give_up(void *user)
{
	struct watch *watch = user;

	watch_stop(watch);
	watch->events->lost(watch->user, watch->last.message);
}

static void on_message(void *user, const ProtobufCMessage *message)
{
	struct watch *watch = user;

	if (watch->stopped)
		return;
	if (watch->attempt > 0)
		log_info("coordinator=reached attempts=%u", watch->attempt + 1);
	watch->attempt = 0;
	loop_timer_clear(&watch->give_up);
	watch->events->job(watch->user, (const Bellows__V1__Job *)message);
}

static void again(struct watch *watch)
{
	msec_t wait = backoff(watch->attempt++, BACKOFF, BACKOFF_MAX);

	if (watch->attempt == 1)
		log_warn("coordinator=away reason=\"%s\"", watch->last.message);
	else
		log_debug("coordinator=away attempts=%u reason=\"%s\"",
			  watch->attempt, watch->last.message);
	if (!loop_timer_is_set(&watch->give_up))
		loop_timer_set(watch->loop, &watch->give_up, watch->patience,
			       on_give_up, watch);
	loop_timer_set(watch->loop, &watch->retry, wait, open_stream, watch);
}

static void on_end(void *user, const struct rpc_status *status)
{
	struct watch *watch = user;

	watch->stream = NULL;
	if (watch->stopped)
		return;
	if (status->code == RPC_OK) {
		watch_stop(watch);
		watch->events->over(watch->user);
		return;
	}
	watch->last = *status;
	if (status->message[0] == '\0')
		snprintf(watch->last.message, sizeof(watch->last.message), "%s",
			 rpc_code_name(status->code));
	/* asking again would not change that */
	if (status->code == RPC_UNAUTHENTICATED)
		on_give_up(watch);
	else
		again(watch);
}

static void open_stream(void *user)
{
	static const struct rpc_stream_events events = {
		.on_message = on_message,
		.on_end = on_end,
	};
	Bellows__V1__GetJobRequest request = BELLOWS__V1__GET_JOB_REQUEST__INIT;
	struct watch *watch = user;
	struct error err;

	if (rpc_stream_open(&watch->stream, watch->channel, CALL_WATCH_JOB,
			    &request.base, &bellows__v1__job__descriptor, 0,
			    &events, watch, &err) == 0)
		return;
	snprintf(watch->last.message, sizeof(watch->last.message), "%s",
		 err.text);
	again(watch);
}

void watch_start(struct watch *watch, struct loop *loop,
		 struct rpc_channel *channel, msec_t patience,
		 const struct watch_events *events, void *user)
{
	*watch = (struct watch){
		.loop = loop,
		.channel = channel,
		.events = events,
		.user = user,
		.patience = patience,
		.last.message = "no answer",
	};
	loop_timer_set(loop, &watch->give_up, patience, on_give_up, watch);
	open_stream(watch);
}

void watch_stop(struct watch *watch)
{
	watch->stopped = true;
	loop_timer_clear(&watch->retry);
	loop_timer_clear(&watch->give_up);
	if (watch->stream)
		rpc_stream_cancel(watch->stream);
}
