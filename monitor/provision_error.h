/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_PROVISION_ERROR_H
#define MONITOR_PROVISION_ERROR_H

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
struct provision_error {
	struct loop *loop;           /* borrowed, as the channel */
	struct rpc_channel *channel; /* NULL: not started */
	char text[240], shown[240], sent[240];
	bool asking, stopped;
	struct loop_timer retry;
};

/* Lives until the channel is destroyed. */
void provision_error_start(struct provision_error *trouble, struct loop *loop,
			   struct rpc_channel *channel);
void provision_error_stop(struct provision_error *trouble);

/* Cut where it is too long, '?' for what is not ASCII. */
void provision_error_tell(struct provision_error *trouble, const char *text);
void provision_error_on_job(struct provision_error *trouble,
			    const Bellows__V1__Job *job);

#endif
