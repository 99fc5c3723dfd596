/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_H
#define COORDINATOR_SERVICE_H

/*
 * The methods of bellows.v1.Coordinator; user: the struct coordinator
 */

#include "core/job.h"
#include "proto/bellows.pb-c.h"
#include "rpc/server.h"

enum { SERVICE_METHODS = 11 };

extern const struct rpc_method service_methods[SERVICE_METHODS];

/* A state as messages have it. */
Bellows__V1__State service_state(enum job_state state);

#endif
