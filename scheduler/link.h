/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_LINK_H
#define SCHEDULER_LINK_H

/*
 * The connection to the coordinator of one job: looked for until it answers,
 * and again whenever it breaks
 *
 * On this machine and on hosts its address is in the folder of the job.  In a
 * cluster it is looked for while its pod runs.
 */

#include "client/watch.h"
#include "runner/kube/reach.h"
#include "runner/state_dir.h"

enum link_call { LINK_NO_CALL, LINK_GRANT, LINK_CANCEL };

struct link_events {
	void (*on_job)(void *user, const Bellows__V1__Job *job);
	/* The coordinator is not heard any more. */
	void (*on_lost)(void *user);
	/* A call was answered: 0, or why it was not carried out. */
	void (*on_answer)(void *user, enum link_call call, int r,
			  const struct error *err);
};

/* Zero-initialised but for the first four. */
struct link {
	struct loop *loop;
	struct rpc *rpc;
	const struct link_events *events;
	void *user;
	struct state_dir dir; /* of the job; in a cluster: none */
	struct reach *reach;  /* NULL: no cluster */
	const cJSON *pod;     /* borrowed; NULL: none runs */
	char name[64];
	struct client client;
	struct watch watch;
	struct loop_timer look, again;
	unsigned looks;
	bool is_open;
	enum link_call call; /* that is not answered */
};

void link_begin(struct link *link);
void link_end(struct link *link); /* no event comes any more */

/* In a cluster: this pod runs; NULL: none does.  To be told whenever it
 * changes. */
void link_set_pod(struct link *link, const cJSON *pod);

/* One at a time; grant 0 parks the job.  reason is copied. */
void link_grant(struct link *link, unsigned grant, const char *reason);
void link_cancel(struct link *link, const char *reason);

#endif
