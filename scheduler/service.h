/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_SERVICE_H
#define SCHEDULER_SERVICE_H

/*
 * bellows.v1.Scheduler: what is asked from outside
 *
 * What changes the queue is answered once it is on the disk.
 */

#include "rpc/server.h"
#include "rpc/token.h"
#include "scheduler/scheduler.h"
#include "tls/identity.h"

/* Zero-initialised. */
struct service {
	struct scheduler *scheduler;
	struct rpc_server *server;
	struct token token;      /* "": none is asked for */
	struct tls_identity tls; /* empty: it does not encrypt */
	struct list watchers;    /* calls of Watch */
	struct loop_timer publish;
	msec_t published;
};

/* Listens, and writes its address into the queue's folder.  -EACCES: the
 * command line lacks what restricts the callers. */
int service_open(struct service *service, struct scheduler *scheduler,
		 struct error *err);
void service_close(struct service *service);

/* For struct scheduler; user: the service. */
void service_on_change(void *user);

#endif
