/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

/*
 * WatchJob, opened again whenever it breaks
 *
 * A stream that ends with OK after a job that is over ends the watch; any other
 * end is followed by another attempt, after longer and longer waits, until
 * nothing was heard for `patience` (0: for ever), or the coordinator's pod is
 * gone.
 */

#include "cli/client.h"

struct watch_events {
	void (*on_job)(void *user, const Bellows__V1__Job *job);
	/* Once, and never from within watch_start(): 0 when the job is over,
	 * else -errno with why. */
	void (*on_end)(void *user, int r, const struct error *err);
};

/* Embedded in its owner; zero-initialised means not started. */
struct watch {
	struct client *client;
	const struct watch_events *events;
	void *user;
	msec_t patience, heard;
	struct rpc_stream *stream;
	struct loop_timer timer, farewell;
	struct error last;
	unsigned attempts;
	bool over, stopped;
};

void watch_start(struct watch *watch, struct client *client, msec_t patience,
		 const struct watch_events *events, void *user);

/* No event comes any more. */
void watch_stop(struct watch *watch);

#endif
