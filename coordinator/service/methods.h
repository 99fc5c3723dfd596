/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_METHODS_H
#define COORDINATOR_SERVICE_METHODS_H

/*
 * The methods of bellows.v1.Coordinator; user: the struct service
 */

#include "rpc/server.h"

enum { SERVICE_METHODS = 13 };

extern const struct rpc_method service_methods[SERVICE_METHODS];

#endif
