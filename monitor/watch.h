/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_WATCH_H
#define MONITOR_WATCH_H

/*
 * The job as the coordinator tells it, over WatchJob
 *
 * A stream that breaks is opened again, with backoff.  Only a message of the
 * job counts as a success; when none came for the length of the patience, the
 * coordinator is lost.
 */

#include "loop/loop.h"
#include "proto/bellows.pb-c.h"
#include "rpc/client.h"

/* After over() or lost() nothing comes any more.  watch_stop() may be called
 * from all of them. */
struct watch_events {
	void (*job)(void *user, const Bellows__V1__Job *job);
	void (*over)(void *user); /* the coordinator says so */
	void (*lost)(void *user, const char *reason);
};

/* Embedded in its owner. */
struct watch {
	struct loop *loop; /* borrowed, as all that follows */
	struct rpc_channel *channel;
	const struct watch_events *events;
	void *user;
	msec_t patience;

	struct rpc_stream *stream; /* NULL: there is none */
	bool stopped;
	unsigned attempt;
	struct loop_timer retry, give_up;
	struct rpc_status last; /* how the last stream ended */
};

/* Lives until the channel is destroyed. */
void watch_start(struct watch *watch, struct loop *loop,
		 struct rpc_channel *channel, msec_t patience,
		 const struct watch_events *events, void *user);
void watch_stop(struct watch *watch);

#endif
