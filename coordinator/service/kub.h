/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_KUB_H
#define COORDINATOR_SERVICE_KUB_H

/*
 * mpi_monitor.Monitor: the calls of Kub's own programs (proto/kub.proto)
 *
 * Each call is turned into what bellows.v1.Coordinator has for it, see
 * docs/kub.md.  A job that does not ask for the service answers UNIMPLEMENTED.
 */

#include "rpc/server.h"

enum { KUB_METHODS = 6 };

/* user: the struct service. */
extern const struct rpc_method kub_methods[KUB_METHODS];

#endif
