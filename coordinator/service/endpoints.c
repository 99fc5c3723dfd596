/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/endpoints.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/service/internal.h"
#include "coordinator/service/kub.h"
#include "coordinator/service/methods.h"
#include "coordinator/service/prometheus.h"
#include "coordinator/service/roles.h"
#include "proto/coordinator.h"
#include "proto/descriptors.h"
#include "rpc/guard.h"

#include <errno.h>
#include <string.h>

static const char *const services[] = {COORDINATOR_SERVICE,
				       "mpi_monitor.Monitor"};

/* ---- which callers are let in ---- */

static bool is_encrypted(const struct service *service)
{
	return tls_identity_is_there(&service->tls);
}

static bool is_port(const struct coordinator_config *config)
{
	return config->listen && strncmp(config->listen, "unix:", 5) != 0;
}

static bool leaves_this_machine(const struct coordinator_config *config)
{
	return config->listen && !rpc_is_local(config->listen);
}

static int check_main(const struct service *service, struct error *err)
{
	const struct coordinator_config *config = service->config;
	int r = guard_check(config->listen, is_encrypted(service),
			    config->token_file, config->unencrypted, err);

	if (r < 0 || is_encrypted(service))
		return r;
	/* every executor that joins gets the job's key, so joining needs the
	 * token, even on a private network */
	if (leaves_this_machine(config) && !config->token_file &&
	    service->jobfile->launcher == LAUNCHER_SSH)
		return error_set(err, -EACCES,
				 "--listen %s: with mpi.launcher: ssh every "
				 "executor that joins gets a key, so beyond "
				 "this machine --token-file is needed",
				 config->listen);
	return 0;
}

static int check_kub(const struct service *service, struct error *err)
{
	const char *kub = service->config->kub;

	if (kub && !service->jobfile->kub)
		return error_set(err, -EACCES,
				 "--kub %s: the job file does not say kub: "
				 "true, so Kub's programs are not served",
				 kub);
	if (service->jobfile->kub && is_encrypted(service) && !kub)
		return error_set(err, -EACCES,
				 "--tls: Kub's programs, which the job file "
				 "wants served (kub: true), do not encrypt; "
				 "--kub ADDR gives them an address of their "
				 "own");
	return 0;
}

int endpoints_check(struct service *service, struct error *err)
{
	const struct coordinator_config *config = service->config;
	int r = guard_read(&service->token, config->token_file, &service->tls,
			   config->tls, COORDINATOR_TLS_NAME, err);

	if (r == 0)
		r = check_main(service, err);
	return r < 0 ? r : check_kub(service, err);
}

bool endpoints_keep_secrets(const struct service *service)
{
	const struct coordinator_config *config = service->config;

	if (is_encrypted(service) || !is_port(config))
		return true;
	return config->token_file && !leaves_this_machine(config);
}

/* ---- opening ---- */

/* Both services at one address. */
static const struct rpc_method *both(size_t *n)
{
	static struct rpc_method all[SERVICE_METHODS + KUB_METHODS];

	memcpy(all, service_methods, sizeof(service_methods));
	memcpy(all + SERVICE_METHODS, kub_methods, sizeof(kub_methods));
	*n = LENGTH(all);
	return all;
}

static int open_main(struct service *service, const char *listen,
		     struct error *err)
{
	bool alone = is_encrypted(service) || service->config->kub;
	struct rpc_server_config config = {
		.listen = listen,
		.methods = service_methods,
		.n_methods = SERVICE_METHODS,
		.services = services,
		.n_services = alone || !service->jobfile->kub ? 1 : 2,
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
		.tls = &service->tls,
		.authorize = roles_check,
		.token = *service->token.text ? service->token.text : NULL,
		.open = "/mpi_monitor.Monitor/", /* Kub's have no token */
		.user = service,
	};

	if (!alone)
		config.methods = both(&config.n_methods);
	return rpc_server_create(&service->server, service->rpc, &config, err);
}

static int open_kub(struct service *service, struct error *err)
{
	const struct rpc_server_config config = {
		.listen = service->config->kub,
		.methods = kub_methods,
		.n_methods = KUB_METHODS,
		.services = services + 1,
		.n_services = 1,
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
		.user = service,
	};
	int r = rpc_server_create(&service->kub, service->rpc, &config, err);

	if (r < 0)
		return error_wrap(err, r, "--kub");
	log_info("Kub's programs are served at %s, unencrypted",
		 rpc_server_address(service->kub));
	return 0;
}

static void print_metrics(void *user, FILE *to)
{
	struct service *service = user;
	struct driver *driver = service->driver;
	const struct prometheus_source source = {
		.jobfile = service->jobfile,
		.job = driver_job(driver),
		.history = driver_history(driver),
		.ledger = members_ledger(driver_members(driver)),
		.executors_wanted = driver_held(driver),
		.eta = driver_eta(driver),
		.stall = driver_stall_length(driver),
		.now = loop_now(),
	};

	prometheus_print(&source, to);
}

static int open_metrics(struct service *service, struct error *err)
{
	const struct web_page page = {
		.path = "/metrics",
		.type = "text/plain; version=0.0.4; charset=utf-8",
		.print = print_metrics,
		.user = service,
	};
	int r = web_create(&service->metrics, service->loop,
			   service->config->metrics, &page, err);

	if (r == 0)
		log_info("metrics at http://%s/metrics",
			 web_address(service->metrics));
	return r;
}

/* An answer says that the loop goes round. */
static void print_health(void *user, FILE *to)
{
	fputs("ok\n", to);
}

int endpoints_open_health(struct service *service, struct error *err)
{
	const struct web_page page = {
		.path = "/healthz",
		.type = "text/plain",
		.print = print_health,
	};
	int r;

	if (!service->config->health)
		return 0;
	r = web_create(&service->health, service->loop, service->config->health,
		       &page, err);
	if (r < 0)
		return error_wrap(err, r, "--health");
	log_info("health at http://%s/healthz", web_address(service->health));
	return 0;
}

static void on_renewed(void *user, const struct tls_identity *now,
		       const struct error *fault)
{
	struct service *service = user;
	struct error err;
	int r;

	r = fault ? error_set(&err, -EINVAL, "%s", fault->text)
		  : tls_identity_serves(now, COORDINATOR_TLS_NAME,
					service->config->tls, &err);
	if (r < 0) {
		log_warn("%s; its former certificate stays in use", err.text);
		return;
	}
	log_info("certificate=renewed");
	rpc_server_renew(service->server, now);
}

int endpoints_open(struct service *service, const char *listen,
		   struct error *err)
{
	int r = rpc_create(&service->rpc, service->loop, err);

	if (r == 0)
		r = open_main(service, listen, err);
	if (r == 0 && service->config->kub)
		r = open_kub(service, err);
	if (r == 0 && service->config->metrics)
		r = open_metrics(service, err);
	if (r < 0)
		return r;
	if (is_encrypted(service))
		renew_begin(&service->renew, service->loop,
			    service->config->tls, &service->tls, on_renewed,
			    service);
	launches_set_address(driver_launches(service->driver),
			     rpc_server_address(service->server));
	return 0;
}

void endpoints_close(struct service *service)
{
	web_destroy(service->metrics);
	web_destroy(service->health);
	renew_end(&service->renew);
	rpc_server_destroy(service->kub);
	rpc_server_destroy(service->server);
	rpc_destroy(service->rpc);
	tls_identity_fini(&service->tls);
	explicit_bzero(&service->token, sizeof(service->token));
}
