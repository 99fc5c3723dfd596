/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/doors.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/service/kub.h"
#include "coordinator/service/roles.h"
#include "coordinator/service/service.h"
#include "jobfile/role.h"
#include "proto/descriptors.h"

#include <errno.h>
#include <string.h>

static const char *const services[] = {"bellows.v1.Coordinator",
				       "mpi_monitor.Monitor"};

/* ---- who may come in ---- */

static bool is_encrypted(const struct coordinator *c)
{
	return tls_identity_is_there(&c->tls);
}

static bool is_port(const struct config *config)
{
	return config->listen && strncmp(config->listen, "unix:", 5) != 0;
}

static bool leaves_this_machine(const struct config *config)
{
	return config->listen && !rpc_is_local(config->listen);
}

/* -EACCES is for what the command line lacks. */
static int read_secrets(struct coordinator *c, struct error *err)
{
	const struct config *config = c->config;
	int r = 0;

	if (config->token_file)
		r = token_read(&c->token, config->token_file, err);
	if (r < 0)
		return error_wrap(err, r == -EACCES ? -EPERM : r,
				  "--token-file");
	if (!config->tls)
		return 0;
	r = tls_identity_read(&c->tls, config->tls, err);
	if (r == 0)
		r = tls_identity_serves(&c->tls, ROLE_SERVER, config->tls, err);
	return r < 0 ? error_wrap(err, r == -EACCES ? -EPERM : r, "--tls") : 0;
}

static int check_main(const struct coordinator *c, struct error *err)
{
	const struct config *config = c->config;
	bool is_far = leaves_this_machine(config);

	if (!is_port(config) || is_encrypted(c))
		return 0;
	if (!is_far && !config->token_file && !config->unencrypted)
		return error_set(
			err, -EACCES,
			"--listen %s is open to everybody on this "
			"machine: --token-file FILE or --tls DIR tells "
			"who may call, --unencrypted does without",
			config->listen);
	if (is_far && !config->unencrypted)
		return error_set(err, -EACCES,
				 "--listen %s is reached from other machines: "
				 "--tls DIR encrypts it and tells who calls "
				 "('bellows keys' makes DIR), --unencrypted "
				 "does without",
				 config->listen);
	/* whoever joins gets a key: who may is not left to the network */
	if (is_far && c->jobfile->launcher == LAUNCHER_SSH &&
	    !config->token_file)
		return error_set(err, -EACCES,
				 "--listen %s: with mpi.launcher: ssh whoever "
				 "joins gets a key, so beyond this machine "
				 "--token-file is needed",
				 config->listen);
	return 0;
}

static int check_kub(const struct coordinator *c, struct error *err)
{
	const char *kub = c->config->kub;

	if (kub && !c->jobfile->kub)
		return error_set(err, -EACCES,
				 "--kub %s: the job file does not say kub: "
				 "true, so Kub's programs are not served",
				 kub);
	if (c->jobfile->kub && is_encrypted(c) && !kub)
		return error_set(err, -EACCES,
				 "--tls: Kub's programs, which the job file "
				 "wants served (kub: true), do not encrypt; "
				 "--kub ADDR gives them an address of their "
				 "own");
	return 0;
}

int doors_check(struct coordinator *c, struct error *err)
{
	int r = read_secrets(c, err);

	if (r == 0)
		r = check_main(c, err);
	return r < 0 ? r : check_kub(c, err);
}

bool doors_keep_secrets(const struct coordinator *c)
{
	const struct config *config = c->config;

	if (is_encrypted(c) || !is_port(config))
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

static int open_main(struct coordinator *c, const char *listen,
		     struct error *err)
{
	bool alone = is_encrypted(c) || c->config->kub;
	struct rpc_server_config config = {
		.listen = listen,
		.methods = service_methods,
		.n_methods = SERVICE_METHODS,
		.services = services,
		.n_services = alone || !c->jobfile->kub ? 1 : 2,
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
		.tls = &c->tls,
		.authorize = roles_check,
		.token = *c->token.text ? c->token.text : NULL,
		.open = "/mpi_monitor.Monitor/", /* Kub's have no token */
		.user = c,
	};

	if (!alone)
		config.methods = both(&config.n_methods);
	return rpc_server_create(&c->server, c->rpc, &config, err);
}

static int open_health(struct coordinator *c, struct error *err)
{
	const struct rpc_server_config config = {
		.listen = c->config->health,
		.services = services,
		.n_services = 1,
	};
	int r = rpc_server_create(&c->health, c->rpc, &config, err);

	if (r < 0)
		return error_wrap(err, r, "--health");
	log_info("health is told at %s", rpc_server_address(c->health));
	return 0;
}

static int open_kub(struct coordinator *c, struct error *err)
{
	const struct rpc_server_config config = {
		.listen = c->config->kub,
		.methods = kub_methods,
		.n_methods = KUB_METHODS,
		.services = services + 1,
		.n_services = 1,
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
		.user = c,
	};
	int r = rpc_server_create(&c->kub, c->rpc, &config, err);

	if (r < 0)
		return error_wrap(err, r, "--kub");
	log_info("Kub's programs are served at %s, unencrypted",
		 rpc_server_address(c->kub));
	return 0;
}

static void on_renewed(void *user, const struct tls_identity *now,
		       const struct error *fault)
{
	struct coordinator *c = user;
	struct error err;
	int r;

	r = fault ? error_set(&err, -EINVAL, "%s", fault->text)
		  : tls_identity_serves(now, ROLE_SERVER, c->config->tls, &err);
	if (r < 0) {
		log_warn("%s; its former certificate stays in use", err.text);
		return;
	}
	log_info("certificate=renewed");
	rpc_server_renew(c->server, now);
}

int doors_open(struct coordinator *c, const char *listen, struct error *err)
{
	int r = rpc_create(&c->rpc, c->loop, err);

	if (r == 0)
		r = open_main(c, listen, err);
	if (r == 0 && c->config->health)
		r = open_health(c, err);
	if (r == 0 && c->config->kub)
		r = open_kub(c, err);
	if (r < 0)
		return r;
	if (is_encrypted(c))
		renew_begin(&c->renew, c->loop, c->config->tls, &c->tls,
			    on_renewed, c);
	launches_set_address(c->launches, rpc_server_address(c->server));
	return 0;
}

void doors_close(struct coordinator *c)
{
	renew_end(&c->renew);
	rpc_server_destroy(c->kub);
	rpc_server_destroy(c->health);
	rpc_server_destroy(c->server);
	rpc_destroy(c->rpc);
	tls_identity_fini(&c->tls);
	explicit_bzero(&c->token, sizeof(c->token));
}
