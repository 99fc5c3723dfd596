/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_ENDPOINTS_H
#define COORDINATOR_SERVICE_ENDPOINTS_H

/*
 * Endpoints: where a coordinator can be reached, and by which callers
 *
 *     --listen   bellows.v1.Coordinator: callers with a certificate of the job
 *                (roles.h) and the token; health and reflection
 *     --health   GET /healthz, by HTTP: all, for probes have no certificate
 *     --kub      mpi_monitor.Monitor alone: all, for Kub's programs have
 *                neither certificate nor token
 *     --metrics  metrics in the format of Prometheus: anybody
 *
 * Without --tls the first of them is not encrypted, and serves Kub's programs
 * too.  Then it is on this machine only, and a port asks for a token, unless
 * --unencrypted says otherwise.
 */

#include "coordinator/service/service.h"

/* Reads the token and the certificate, and refuses what would be open to others
 * without being asked for.  -EACCES: the command line does not fit the job. */
int endpoints_check(struct service *service, struct error *err);

/* The address of --health alone, before all others. */
int endpoints_open_health(struct service *service, struct error *err);

/* All but that.  listen: the address of the first endpoint. */
int endpoints_open(struct service *service, const char *listen,
		   struct error *err);
void endpoints_close(struct service *service);

/* Whether only the caller of the first endpoint can read the answer. */
bool endpoints_keep_secrets(const struct service *service);

#endif
