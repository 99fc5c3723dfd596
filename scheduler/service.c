/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/service.h"

#include "proto/coordinator.h"
#include "proto/descriptors.h"
#include "proto/scheduler.h"
#include "rpc/guard.h"
#include "runner/state_dir.h"
#include "scheduler/methods.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- which callers are let in ---- */

static int authorize(const char *path, const char *name, struct error *err)
{
	const char *method = strrchr(path, '/');

	if (strcmp(name, "client") == 0)
		return 0;
	return error_set(err, -EACCES,
			 "%s is for a client, and this certificate is of '%s'",
			 method ? method + 1 : path, name);
}

/* ---- life ---- */

static int write_address(const struct service *service, struct error *err)
{
	const char *address = rpc_server_address(service->server);
	char line[300];
	int n = snprintf(line, sizeof(line), "%s\n", address);

	return state_dir_write(&service->scheduler->dir, "address", line,
			       (size_t)n, err);
}

int service_open(struct service *service, struct scheduler *scheduler,
		 struct error *err)
{
	static const char *const services[] = {SCHEDULER_SERVICE};
	const struct scheduler_config *config = scheduler->config;
	char listen[PATH_MAX + 32];
	struct rpc_server_config server = {
		.listen = config->listen ? config->listen : listen,
		.methods = scheduler_methods,
		.n_methods = SCHEDULER_METHODS,
		.services = services,
		.n_services = 1,
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
		.tls = &service->tls,
		.authorize = authorize,
		.user = service,
	};
	int r;

	service->scheduler = scheduler;
	list_init(&service->watchers);
	snprintf(listen, sizeof(listen), "unix:%s/scheduler.sock",
		 scheduler->dir.path);
	r = guard_read(&service->token, config->token_file, &service->tls,
		       config->tls, COORDINATOR_TLS_NAME, err);
	/* who submits a job runs programs as this user */
	if (r == 0)
		r = guard_check(config->listen, config->tls, config->token_file,
				config->unencrypted, err);
	if (*service->token.text)
		server.token = service->token.text;
	if (r == 0)
		r = rpc_server_create(&service->server, scheduler->rpc, &server,
				      err);
	return r < 0 ? r : write_address(service, err);
}

void service_close(struct service *service)
{
	char path[PATH_MAX + 16];

	loop_timer_clear(&service->publish);
	if (service->server) {
		snprintf(path, sizeof(path), "%s/address",
			 service->scheduler->dir.path);
		unlink(path);
		rpc_server_destroy(service->server);
	}
	tls_identity_fini(&service->tls);
	explicit_bzero(&service->token, sizeof(service->token));
}
