/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLIENT_WATCH_H
#define CLIENT_WATCH_H

/*
 * WatchJob of a coordinator or Watch of a scheduler, opened again whenever it
 * breaks
 *
 * A stream that breaks is opened again after longer and longer waits, until no
 * message has come for the length of the patience.  Only a message of the job
 * counts as a success.  A queue is never over.
 */

#include "client/client.h"
#include "proto/bellows.pb-c.h"
#include "proto/scheduler.pb-c.h"

#include <stdbool.h>

/* watch_stop() may be called from all of them. */
struct watch_events {
	void (*on_job)(void *user, const Bellows__V1__Job *job);
	/* In place of on_job, for a scheduler. */
	void (*on_queue)(void *user, const Bellows__V1__Queue *queue);

	/* Once, and never from within watch_start(); nothing comes after it.
	 * 0: the job is over.  Else -errno and why: -ESHUTDOWN: the coordinator
	 * has ended without a word about the job's end; -ETIMEDOUT: it does not
	 * answer; -ECONNREFUSED: it is gone, or refuses; else as
	 * client_explain(). */
	void (*on_end)(void *user, int r, const struct error *err);

	/* Optional: the stream could not be opened, or broke, for the
	 * attempts-th time since the last message. */
	void (*on_break)(void *user, unsigned attempts,
			 const struct error *err);
	/* Optional: a message has come after so many breaks. */
	void (*on_return)(void *user, unsigned attempts);
};

/* Embedded in its owner; zero-initialised means not started. */
struct watch {
	struct client *client;
	const struct watch_events *events;
	void *user;
	const char *job; /* of a queue; NULL: all */
	msec_t patience;
	struct rpc_stream *stream; /* NULL: none is open */
	struct loop_timer retry, give_up, farewell;
	struct error last; /* how the last stream ended */
	unsigned attempts;
	bool over, stopped;
};

/* client is connected, and outlives the watch.  patience: 0 is for ever. */
void watch_start(struct watch *watch, struct client *client, msec_t patience,
		 const struct watch_events *events, void *user);

/* The same of a scheduler; events->on_queue is set.  job: its number or name,
 * borrowed; NULL: all. */
void watch_start_queue(struct watch *watch, struct client *client,
		       const char *job, msec_t patience,
		       const struct watch_events *events, void *user);

/* No event comes any more. */
void watch_stop(struct watch *watch);

#endif
