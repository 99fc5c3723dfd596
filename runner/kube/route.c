/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/internal.h"

#include "runner/keys.h"
#include "runner/kube/coordinator_pod.h"
#include "runner/kube/secret.h"

#include <errno.h>
#include <string.h>

enum { PORT = 7000 };

/* A coordinator that is started again in its pod is waited for. */
#define RESTART_PATIENCE SECONDS(60)

/* ---- what becomes of the pod ---- */

static void end(struct route *route, const cJSON *pod)
{
	size_t n = sizeof(route->fate);

	if (route->gone)
		return;
	route->gone = true;
	if (pod && kube_pod_is_over(pod)) {
		route->exit_code = kube_pod_exit_code(pod);
		kube_pod_tell(route->fate, n, pod);
	} else {
		snprintf(route->fate, n, "it was deleted");
	}
	if (route->on_gone)
		route->on_gone(route->gone_user);
}

static void on_pod(void *user, enum kube_change change, const cJSON *pod)
{
	const char *uid = kube_text(pod, "metadata.uid");
	struct route *route = user;

	/* another one of its name is not it */
	if (!uid || strcmp(uid, route->uid) != 0)
		return;
	route->seen = true;
	if (change == KUBE_GONE || kube_pod_is_over(pod))
		end(route, pod);
}

static void on_listing(void *user)
{
	struct route *route = user;

	route->seen = false;
}

static void on_listed(void *user)
{
	struct route *route = user;

	if (!route->seen)
		end(route, NULL);
}

/* Without the right to watch pods, the end of the connection shows the end of
 * the pod. */
static void on_watch_trouble(void *user, const struct kube_answer *answer)
{
}

static int watch_pod(struct route *route, struct error *err)
{
	static const struct kube_watch_events events = {
		.object = on_pod,
		.listing = on_listing,
		.listed = on_listed,
		.trouble = on_watch_trouble,
	};
	char query[sizeof(route->pod) + 32];
	const struct kube_target target = {
		.kind = &kube_pods,
		.namespace = route->reach->namespace,
		.query = query,
	};

	snprintf(query, sizeof(query), "fieldSelector=metadata.name%%3D%s",
		 route->pod);
	return kube_watch_start(&route->watch, route->reach->kube, &target,
				&events, route, err);
}

/* ---- the way to it ---- */

static void on_trouble(void *user, const char *text)
{
	struct route *route = user;

	snprintf(route->trouble, sizeof(route->trouble), "%s", text);
}

static void on_ready(void *user)
{
	struct route *route = user;

	route->fn(route->user, 0, "");
}

static int forward(struct route *route, struct error *err)
{
	struct reach *reach = route->reach;
	char *address = route->socket.address;
	int r = reach_make_folder(reach, err);

	if (r < 0)
		return r;
	snprintf(address, sizeof(route->socket.address), "unix:%s/%u",
		 reach->folder, reach->made++);
	r = kube_forward_start(&route->forward, reach->kube, reach->namespace,
			       route->pod, PORT, address + strlen("unix:"),
			       on_trouble, route, err);
	return r < 0 ? r : watch_pod(route, err);
}

static int advance(struct route *route, struct error *err);

/* A Secret has come, or has not: r. */
static void step(struct route *route, int r, struct error *err)
{
	if (r == 0)
		r = advance(route, err);
	if (r <= 0)
		route->fn(route->user, r, r < 0 ? err->text : "");
}

static void on_token(void *user, const struct kube_answer *answer)
{
	struct route *route = user;
	struct error err;
	int r = answer->r;

	route->call = NULL;
	if (r == -ENOENT)
		error_set(&err, r,
			  "job %s has no token: %s; --token-file names another",
			  route->job, answer->text);
	else if (r < 0)
		error_set(&err, r,
			  "the token of job %s: %s; or --token-file names a "
			  "file that has it",
			  route->job, answer->text);
	else
		r = kube_secret_token(&route->token, answer->object, &err);
	step(route, r, &err);
}

/* A job without one does not encrypt. */
static void on_identity(void *user, const struct kube_answer *answer)
{
	struct route *route = user;
	struct error err;
	int r = answer->r == -ENOENT ? 0 : answer->r;

	route->call = NULL;
	route->has_identity = true;
	if (r < 0)
		error_set(&err, r,
			  "the certificate for %s of job %s: %s; or --tls "
			  "names a folder that has it",
			  route->reach->lookup->is_scheduler ? "the scheduler"
							     : "clients",
			  route->job, answer->text);
	else if (answer->r == 0)
		r = kube_secret_identity(&route->identity, answer->object,
					 &err);
	step(route, r, &err);
}

/* Returns 1: the answer comes later. */
static int get_secret(struct route *route, const char *what, kube_answer_f fn,
		      struct error *err)
{
	char name[sizeof(route->job) + 16];
	const struct kube_target target = {
		.kind = &kube_secrets,
		.namespace = route->reach->namespace,
		.name = name,
	};
	int r;

	snprintf(name, sizeof(name), "%s-%s", route->job, what);
	r = kube_get(route->reach->kube, &route->call, &target, REACH_DEADLINE,
		     fn, route, err);
	return r < 0 ? r : 1;
}

/* Gets what is still missing, from files or Secrets: 0 once the way is there, 1
 * while an answer is awaited. */
static int advance(struct route *route, struct error *err)
{
	const struct lookup *lookup = route->reach->lookup;
	int r = 0;

	if (!*route->token.text && !lookup->token_file)
		return get_secret(route, "token", on_token, err);
	if (!*route->token.text)
		r = token_read(&route->token, lookup->token_file, err);
	if (r == 0 && !route->has_identity && !lookup->tls)
		return get_secret(route,
				  lookup->is_scheduler ? "scheduler-tls"
						       : "client-tls",
				  on_identity, err);
	if (r == 0 && !route->has_identity)
		r = keys_read_client(&route->identity, lookup->tls, err);
	return r < 0 ? r : forward(route, err);
}

static int start(struct route *route, struct error *err)
{
	int r = advance(route, err);

	if (r == 0)
		loop_timer_set(route->reach->loop, &route->ready, 0, on_ready,
			       route);
	return r < 0 ? r : 0;
}

int route_create(struct route **out, struct reach *reach, const char *job,
		 const cJSON *pod, route_f fn, void *user, struct error *err)
{
	CLEANUP(route_destroy) struct route *route = calloc(1, sizeof(*route));
	const char *name = kube_text(pod, "metadata.name");
	const char *uid = kube_text(pod, "metadata.uid");
	int r;

	if (!route)
		return error_set(err, -ENOMEM, "out of memory");
	list_init(&route->socket.link);
	if (!name || !uid || strlen(name) >= sizeof(route->pod))
		return error_set(err, -EPROTO,
				 "the API lists a pod of job %s without a name "
				 "or uid",
				 job);
	route->reach = reach;
	route->fn = fn;
	route->user = user;
	route->exit_code = -1;
	snprintf(route->job, sizeof(route->job), "%s", job);
	snprintf(route->pod, sizeof(route->pod), "%s", name);
	snprintf(route->uid, sizeof(route->uid), "%s", uid);
	list_append(&reach->sockets, &route->socket.link);
	r = start(route, err);
	if (r < 0)
		return r;
	*out = STEAL(route);
	return 0;
}

struct route *route_destroy(struct route *route)
{
	struct reach *own;

	if (!route)
		return NULL;
	own = route->own_reach;
	list_remove(&route->socket.link);
	loop_timer_clear(&route->ready);
	kube_cancel(route->call);
	kube_watch_stop(route->watch);
	kube_forward_stop(route->forward);
	explicit_bzero(&route->token, sizeof(route->token));
	tls_identity_fini(&route->identity);
	free(route);
	reach_destroy(own);
	return NULL;
}

/* ---- finding it ---- */

struct finding {
	struct reach *reach;
	struct route *route;
	const char *job;
	struct error *err;
};

static void on_route(void *user, int r, const char *text)
{
	struct finding *finding = user;

	if (r < 0)
		error_set(finding->err, r, "%s", text);
	loop_stop(finding->reach->loop, r);
}

static void on_pods(void *user, const struct kube_answer *answer)
{
	struct finding *finding = user;
	struct reach *reach = finding->reach;
	const cJSON *pod;
	int r = answer->r;

	if (r < 0)
		error_set(finding->err, r, "%s", answer->text);
	else
		r = kube_find_coordinator(&pod, answer->object, finding->job,
					  reach->namespace, finding->err);
	if (r == 0)
		r = route_create(&finding->route, reach, finding->job, pod,
				 on_route, finding, finding->err);
	if (r < 0)
		loop_stop(reach->loop, r);
}

static int find(struct finding *finding)
{
	struct reach *reach = finding->reach;
	char query[160];
	const struct kube_target target = {
		.kind = &kube_pods,
		.namespace = reach->namespace,
		.query = query,
	};
	int r;

	kube_find_query(query, sizeof(query), finding->job);
	r = kube_get(reach->kube, NULL, &target, REACH_DEADLINE, on_pods,
		     finding, finding->err);
	return r < 0 ? r : loop_run(reach->loop);
}

int route_find(struct route **out, struct loop *loop,
	       const struct lookup *lookup, const char *job, struct error *err)
{
	struct finding finding = {.job = job, .err = err};
	int r = reach_create(&finding.reach, loop, lookup, err);

	if (r < 0)
		return r;
	r = find(&finding);
	if (r < 0) {
		route_destroy(finding.route);
		reach_destroy(finding.reach);
		return r;
	}
	finding.route->own_reach = finding.reach;
	*out = finding.route;
	return 0;
}

/* ---- for a client ---- */

static int gone(const struct client *client, struct error *err)
{
	const struct route *route = client->route;

	if (!route->gone)
		return 0;
	return error_set(err, -ECONNREFUSED,
			 "the coordinator of %s is gone: pod %s: %s",
			 route->job, route->pod, route->fate);
}

static int trouble(const struct client *client, struct error *err)
{
	struct route *route = client->route;

	if (!route->trouble[0])
		return 0;
	error_set(err, -ECONNREFUSED, "%s", route->trouble);
	route->trouble[0] = '\0';
	return -ECONNREFUSED;
}

static void on_gone(const struct client *client, void (*fn)(void *user),
		    void *user)
{
	struct route *route = client->route;

	route->on_gone = fn;
	route->gone_user = user;
}

static void close_way(struct client *client)
{
	client->route = route_destroy(client->route);
}

void route_lend(struct route *route, struct client *client)
{
	static const struct client_way way = {
		.gone = gone,
		.trouble = trouble,
		.on_gone = on_gone,
		.close = close_way,
	};

	client->token = route->token;
	client->lent = &route->identity;
	client->patience = RESTART_PATIENCE;
	snprintf(client->address, sizeof(client->address), "%s",
		 route->socket.address);
	snprintf(client->where, sizeof(client->where), "%s", route->pod);
	client->way = &way;
	client->route = route;
}

int route_exit_code(const struct route *route)
{
	return route->exit_code;
}
