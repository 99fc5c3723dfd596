/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_FORWARD_H
#define KUBE_FORWARD_H

/*
 * A port of a pod, at a socket of this machine
 *
 * What `kubectl port-forward` does, by the API server and the kubelet: each
 * connection to the socket becomes a WebSocket of v4.channel.k8s.io.  Nothing
 * but the API need be reachable.  A role needs the verb "get" on
 * "pods/portforward", and from Kubernetes 1.35 on "create" too.
 *
 * There is no half of such a connection: when a program has said all it has to
 * say, the pod is told that it is over, and has five seconds.
 */

#include "kube/kube.h"

struct kube_forward;

/* path: of a unix socket that is made, mode 0600, and removed at the end.
 * trouble: a connection failed, with a sentence; others may succeed.  -errno if
 * the socket cannot be.  It ends before kube does. */
int kube_forward_start(struct kube_forward **out, struct kube *kube,
		       const char *namespace, const char *pod, unsigned port,
		       const char *path,
		       void (*trouble)(void *user, const char *text),
		       void *user, struct error *err);
struct kube_forward *kube_forward_stop(struct kube_forward *forward); /* NULL */

#endif
