/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/internal.h"

#include "coordinator/service/endpoints.h"
#include "coordinator/service/status.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

/* ---- calls of WatchJob ---- */

struct watcher {
	struct list link;
	struct rpc_call *call;
	bool full; /* slow: it gets the newest once it has room */
};

static void send_job(struct service *service, struct watcher *watcher)
{
	Bellows__V1__Job job;

	if (watcher->full)
		return;
	if (status_fill(service, &job) == 0)
		watcher->full = rpc_call_send(watcher->call, &job.base) > 0;
	status_unfill(&job);
}

static void publish(void *user)
{
	struct service *service = user;

	list_for_each (at, &service->watchers)
		send_job(service, CONTAINER(at, struct watcher, link));
}

static void on_changed(void *user, enum publish within)
{
	struct service *service = user;

	if (within == PUBLISH_NOW) {
		loop_timer_clear(&service->publish);
		publish(service);
	} else if (!loop_timer_is_set(&service->publish) ||
		   service->publish.at > loop_now() + (msec_t)within) {
		loop_timer_set(service->loop, &service->publish, within,
			       publish, service);
	}
}

static void on_over(void *user)
{
	struct service *service = user;

	publish(service);
	list_for_each (at, &service->watchers)
		rpc_call_end(CONTAINER(at, struct watcher, link)->call, RPC_OK,
			     "");
}

void service_on_watch(struct service *service, struct rpc_call *call)
{
	struct watcher *watcher = calloc(1, sizeof(*watcher));

	if (!watcher) {
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	watcher->call = call;
	list_append(&service->watchers, &watcher->link);
	rpc_call_set_data(call, watcher);
	send_job(service, watcher);
}

void service_on_watch_gone(struct rpc_call *call)
{
	struct watcher *watcher = rpc_call_data(call);

	if (!watcher)
		return;
	list_remove(&watcher->link);
	free(watcher);
}

void service_on_watch_writable(struct service *service, struct rpc_call *call)
{
	struct watcher *watcher = rpc_call_data(call);

	watcher->full = false;
	send_job(service, watcher);
}

/* ---- what the driver tells ---- */

static void on_printed(void *user, unsigned epoch, unsigned rank, bool error,
		       const char *text, size_t n)
{
	output_show(user, epoch, rank, error, (const uint8_t *)text, n);
}

const struct driver_events service_driver_events = {
	on_changed,
	on_over,
	on_printed,
};

/* ---- life ---- */

static void on_room(void *user)
{
	output_hold_back(user, false);
}

static void on_file(void *user, const char *text)
{
	struct service *service = user;

	checkpoint_recovery_on_output(driver_recovery(service->driver), text);
}

void service_set_driver(struct service *service, struct driver *driver)
{
	service->driver = driver;
}

const char *service_address(const struct service *service)
{
	return rpc_server_address(service->server);
}

const struct tls_identity *service_identity(const struct service *service)
{
	return &service->tls;
}

int service_create(struct service **out, struct loop *loop,
		   const struct coordinator_config *config,
		   const struct jobfile *jobfile, struct error *err)
{
	struct service *service = calloc(1, sizeof(*service));
	int r;

	if (!service)
		return error_set(err, -ENOMEM, "out of memory");
	service->loop = loop;
	service->config = config;
	service->jobfile = jobfile;
	if (getrandom(&service->incarnation, sizeof(service->incarnation), 0) <
	    0)
		service->incarnation = (uint64_t)loop_now();
	list_init(&service->watchers);
	list_init(&service->histories);
	list_init(&service->outputs);
	r = output_writer_create(&service->writer, loop, config->state, on_room,
				 on_file, service, err);
	if (r < 0) {
		free(service);
		return r;
	}
	*out = service;
	return 0;
}

struct service *service_destroy(struct service *service)
{
	if (!service)
		return NULL;
	loop_timer_clear(&service->publish);
	endpoints_close(service);
	history_calls_end(service);
	output_writer_destroy(service->writer);
	free(service);
	return NULL;
}
