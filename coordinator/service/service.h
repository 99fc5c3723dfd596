/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_SERVICE_H
#define COORDINATOR_SERVICE_SERVICE_H

/*
 * What of a job is reached from outside: the calls, and what the ranks print
 *
 * Calls are turned into what the driver is asked for; what changes of the job
 * goes to all that watch it.
 */

#include "coordinator/config.h"
#include "coordinator/job/driver.h"
#include "tls/identity.h"

struct service;

/* The output of the ranks goes to files in config->state. */
int service_create(struct service **out, struct loop *loop,
		   const struct coordinator_config *config,
		   const struct jobfile *jobfile, struct error *err);
/* Ends all calls.  Returns NULL. */
struct service *service_destroy(struct service *service);

/* What the driver tells the service; user: the struct service. */
extern const struct driver_events service_driver_events;

/* Before endpoints are opened. */
void service_set_driver(struct service *service, struct driver *driver);

/* The address of the first endpoint, once it is open. */
const char *service_address(const struct service *service);
/* The certificate; it may be none. */
const struct tls_identity *service_identity(const struct service *service);

#endif
