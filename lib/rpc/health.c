/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "proto/health.pb-c.h"
#include "rpc/internal.h"

#include <assert.h>
#include <string.h>

typedef Grpc__Health__V1__HealthCheckRequest request_t;
typedef Grpc__Health__V1__HealthCheckResponse response_t;
typedef Grpc__Health__V1__HealthCheckResponse__ServingStatus serving_t;

#define SERVING_STATUS(name)                                                   \
	GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__##name

struct watcher {
	struct list link;
	struct rpc_call *call;
	const struct service *service; /* NULL: unknown, and remains so */
};

static struct service *find(const struct rpc_server *server, const char *name)
{
	for (size_t i = 0; i < server->n_services; i++)
		if (strcmp(server->services[i].name, name) == 0)
			return &server->services[i];
	return NULL;
}

static serving_t status_of(const struct service *service)
{
	if (!service)
		return SERVING_STATUS(SERVICE_UNKNOWN);
	return service->is_serving ? SERVING_STATUS(SERVING)
				   : SERVING_STATUS(NOT_SERVING);
}

static void on_check(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	const request_t *request = (const void *)message;
	const struct service *service = find(user, request->service);
	response_t answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;

	if (!service) {
		rpc_call_end(call, RPC_NOT_FOUND, "no service %s",
			     request->service);
		return;
	}
	answer.status = status_of(service);
	rpc_call_reply(call, &answer.base);
}

static void send_status(struct watcher *watcher)
{
	response_t answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;

	answer.status = status_of(watcher->service);
	rpc_call_send(watcher->call, &answer.base);
}

static void on_watch(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	const request_t *request = (const void *)message;
	struct rpc_server *server = user;
	struct watcher *watcher = calloc(1, sizeof(*watcher));

	if (!watcher) {
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	watcher->call = call;
	watcher->service = find(server, request->service);
	list_append(&server->watchers, &watcher->link);
	rpc_call_set_data(call, watcher);
	send_status(watcher);
}

static void on_watch_gone(struct rpc_call *call, void *user)
{
	struct watcher *watcher = rpc_call_data(call);

	if (!watcher)
		return;
	list_remove(&watcher->link);
	free(watcher);
}

const struct rpc_method health_methods[2] = {
	{
		.path = "/grpc.health.v1.Health/Check",
		.kind = RPC_UNARY,
		.request = &grpc__health__v1__health_check_request__descriptor,
		.on_message = on_check,
	},
	{
		.path = "/grpc.health.v1.Health/Watch",
		.kind = RPC_SERVER_STREAM,
		.request = &grpc__health__v1__health_check_request__descriptor,
		.on_message = on_watch,
		.on_gone = on_watch_gone,
	},
};

void rpc_server_set_serving(struct rpc_server *server, const char *name,
			    bool serving)
{
	struct service *service = find(server, name);

	assert(service);
	if (service->is_serving == serving)
		return;
	service->is_serving = serving;
	list_for_each (at, &server->watchers) {
		struct watcher *watcher = CONTAINER(at, struct watcher, link);

		if (watcher->service == service)
			send_status(watcher);
	}
}
