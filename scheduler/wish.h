/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_WISH_H
#define SCHEDULER_WISH_H

/*
 * What people wish of jobs: it is checked, written down, and then holds
 *
 * Each returns 0, or a code of rpc_code with a sentence.
 */

#include "proto/scheduler.pb-c.h"
#include "rpc/rpc.h"
#include "scheduler/scheduler.h"

/* *out: the job.  Of a request that has come before, the one that it made. */
enum rpc_code wish_submit(struct queued **out, struct scheduler *scheduler,
			  const Bellows__V1__SubmitRequest *request,
			  struct error *err);

enum rpc_code wish_hold(struct queued *queued, const char *reason,
			struct error *err);
enum rpc_code wish_release(struct queued *queued, struct error *err);
enum rpc_code wish_cancel(struct queued *queued, const char *reason,
			  struct error *err);
enum rpc_code wish_priority(struct queued *queued, unsigned priority,
			    struct error *err);

/* By its number, or its name: the one that is not over, or else the last. */
struct queued *wish_find(const struct scheduler *scheduler, const char *job);

#endif
