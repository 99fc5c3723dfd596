/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_REACH_H
#define RUNNER_KUBE_REACH_H

/*
 * Coordinators in a cluster, reached through the API
 *
 * A reach is a connection to the API, and a folder of ours for sockets.  A
 * route is the way to one coordinator: its pod is watched, its token and a
 * certificate read from the Secrets NAME-token and NAME-client-tls (or
 * NAME-scheduler-tls), its port forwarded to a socket in the folder.  A client
 * speaks gRPC to that socket as to any other; the loop carries the bytes.
 *
 * The folder (mode 0700) is made for the first route and removed with the
 * reach.  That of a program that was killed is made anew if the lookup names
 * it.  Until the program handles them, SIGINT, SIGTERM and SIGHUP remove it and
 * then do what they always do.
 */

#include "client/client.h"
#include "kube/kube.h"
#include "runner/lookup.h"

#define REACH_DEADLINE SECONDS(10) /* for an answer of the API */

struct reach;
struct route;

/* -EINVAL: the command line or the kubeconfig is wrong. */
int reach_create(struct reach **out, struct loop *loop,
		 const struct lookup *lookup, struct error *err);

/* Its routes are gone before.  Returns NULL. */
struct reach *reach_destroy(struct reach *reach);

struct kube *reach_kube(const struct reach *reach);
const char *reach_namespace(const struct reach *reach);

/* What kubectl takes as well: "-n heat --context bed", to be put into commands
 * that a sentence names; "" if nothing was given. */
const char *reach_words(const struct reach *reach);

/* ---- routes ---- */

/* r: 0 if address and secrets are there, or -errno with a sentence. */
typedef void (*route_f)(void *user, int r, const char *text);

/* pod: the coordinator's, as kube_find_coordinator() found it.  fn: once, never
 * from within. */
int route_create(struct route **out, struct reach *reach, const char *job,
		 const cJSON *pod, route_f fn, void *user, struct error *err);
struct route *route_destroy(struct route *route); /* returns NULL */

/* Finds the pod, too, by a reach of the route's own; runs the loop until the
 * route is there. */
int route_find(struct route **out, struct loop *loop,
	       const struct lookup *lookup, const char *job, struct error *err);

/* client is to go this way.  client_close() destroys the route.  To be called
 * again when the route is there: address, token and certificate are known only
 * then. */
void route_lend(struct route *route, struct client *client);

/* Exit status of the coordinator, once its pod is gone and if it is known;
 * negative: it is not. */
int route_exit_code(const struct route *route);

#endif
