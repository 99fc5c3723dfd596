/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_LINK_H
#define KUBE_LINK_H

/*
 * One connection of a port forward
 *
 *     asking -> open -> leaving
 *                  '--> flushing
 *
 * Each has a WebSocket of its own.  Bytes that cannot be passed on at once hold
 * back their sender, so no more than one block waits in either direction.
 *
 * v4.channel.k8s.io has no half of a connection: when the program at the
 * socket is through with sending, the pod is told that it is over, and has
 * some seconds for what it still has to say.
 */

#include "base/list.h"
#include "kube/forward.h"

/* What its links need of a forward. */
struct kube_forward {
	struct kube *kube;
	char *namespace, *pod;
	unsigned port;
	struct list links;
	void (*trouble)(void *user, const char *text);
	void *user;

	/* forward.c */
	char *path;
	bool made; /* there is a socket at path */
	int fd;
	struct loop_fd *source;
	struct loop_timer again;
	size_t n_links;
};

struct kube_link;

/* Takes fd.  From here on it ends by itself, and says so to trouble() if
 * something was wrong; -errno with a sentence if it does not even begin. */
int kube_link_start(struct kube_forward *forward, int fd, struct error *err);

/* Calls no function of the owner. */
void kube_link_destroy(struct list *link);

#endif
