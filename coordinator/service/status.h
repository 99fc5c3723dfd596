/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_STATUS_H
#define COORDINATOR_SERVICE_STATUS_H

/*
 * The job as messages show it
 */

#include "core/job.h"
#include "proto/bellows.pb-c.h"

struct service;

/* 0 or -ENOMEM; status_unfill() follows in both cases.  The texts are the
 * service's. */
int status_fill(struct service *service, Bellows__V1__Job *out);
void status_unfill(Bellows__V1__Job *out);

Bellows__V1__State status_state(enum job_state state);

#endif
