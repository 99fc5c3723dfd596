/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_INTERNAL_H
#define COORDINATOR_SERVICE_INTERNAL_H

/*
 * For the files of this folder; see service.h
 */

#include "coordinator/service/output_writer.h"
#include "coordinator/service/service.h"
#include "rpc/renew.h"
#include "rpc/server.h"
#include "rpc/token.h"
#include "web/web.h"

struct service {
	struct loop *loop;
	const struct coordinator_config *config;
	const struct jobfile *jobfile;
	struct driver *driver;
	uint64_t incarnation; /* of this coordinator */

	/* see endpoints.h */
	struct rpc *rpc;
	struct rpc_server *server, *kub;
	struct web *metrics, *health; /* NULL: not shown */
	struct token token;           /* "": none is asked for */
	struct tls_identity tls;      /* empty: it does not encrypt */
	struct renew renew;           /* of that */

	struct list watchers; /* calls of WatchJob */
	struct loop_timer publish;
	struct list histories; /* calls of History */
	struct list outputs;   /* calls of Output */
	struct output_writer *writer;
	char shortfall[REASON_MAX]; /* why its size is not its want; "" */
	char binding[8192];         /* of its ranks, as far as it fits */
	char stall[REASON_MAX];     /* for how long it stands still; "" */
};

/* ---- service.c: calls of WatchJob ---- */

void service_on_watch(struct service *service, struct rpc_call *call);
void service_on_watch_gone(struct rpc_call *call);
void service_on_watch_writable(struct service *service, struct rpc_call *call);

/* ---- history_call.c: calls of History ---- */

void history_call_begin(struct service *service, struct rpc_call *call,
			bool json);
void history_call_gone(struct rpc_call *call);
void history_call_writable(struct rpc_call *call);
/* Those that wait for a child to end. */
void history_calls_end(struct service *service);

/* ---- output.c: whole lines of a rank of a start, and calls of Output ---- */

void output_show(struct service *service, unsigned epoch, unsigned rank,
		 bool error, const uint8_t *text, size_t n);
void output_on_chunk(struct service *service, struct rpc_call *call,
		     const Bellows__V1__OutputChunk *chunk);
void output_on_half(struct rpc_call *call);
void output_on_gone(struct rpc_call *call);
void output_hold_back(struct service *service, bool yes);

#endif
