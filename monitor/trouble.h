/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_TROUBLE_H
#define MONITOR_TROUBLE_H

/*
 * What the provider knows of executors that do not come, told to the
 * coordinator
 *
 * Level-triggered: what the coordinator shows is compared with what there is to
 * tell with each message of the job, so one that has forgotten it hears it
 * again.
 */

#include "loop/loop.h"
#include "proto/bellows.pb-c.h"
#include "rpc/client.h"

#include <stdbool.h>

/* Embedded in its owner; zero-initialised it keeps what it is told. */
struct trouble {
	struct loop *loop;           /* borrowed, as the channel */
	struct rpc_channel *channel; /* NULL: not started */
	char text[240], shown[240], sent[240];
	bool asking, stopped;
	struct loop_timer retry;
};

/* Lives until the channel is destroyed. */
void trouble_start(struct trouble *trouble, struct loop *loop,
		   struct rpc_channel *channel);
void trouble_stop(struct trouble *trouble);

/* Cut where it is too long, '?' for what is not ASCII. */
void trouble_tell(struct trouble *trouble, const char *text);
void trouble_on_job(struct trouble *trouble, const Bellows__V1__Job *job);

#endif
