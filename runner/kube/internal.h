/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_INTERNAL_H
#define RUNNER_KUBE_INTERNAL_H

#include "base/cleanup.h"
#include "base/list.h"
#include "kube/forward.h"
#include "runner/kube/reach.h"

/* A socket in the folder of a reach. */
struct reach_socket {
	struct list link;
	char address[144]; /* "unix:" and the path; "": not yet */
};

struct reach {
	struct loop *loop;
	const struct lookup *lookup;
	struct kube_config *config;
	struct kube *kube;
	struct list sockets;
	unsigned made; /* sockets, so far */
	char namespace[64];
	char folder[128]; /* "": none */
	char *words;
};

DEFINE_CLEANUP(struct reach, reach_destroy)

/* The folder of a reach, before the first socket. */
int reach_make_folder(struct reach *reach, struct error *err);

struct route {
	struct reach *reach;
	struct reach *own_reach; /* goes with the route; NULL: another's */
	char job[64], pod[254], uid[64];
	struct token token;
	struct tls_identity identity;
	bool has_identity; /* or it is known that there is none */
	struct reach_socket socket;
	struct kube_call *call;
	struct kube_watch *watch;
	struct kube_forward *forward;
	struct loop_timer ready;
	bool seen; /* by the watch, since its last list */
	bool gone;
	int exit_code;
	char fate[320];    /* once it is gone */
	char trouble[512]; /* of the newest connection that failed */
	route_f fn;
	void *user;
	void (*on_gone)(void *user);
	void *gone_user;
};

DEFINE_CLEANUP(struct route, route_destroy)

#endif
