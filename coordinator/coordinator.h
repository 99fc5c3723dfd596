/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_COORDINATOR_H
#define COORDINATOR_COORDINATOR_H

/*
 * The coordinator of one job: its folders, put together
 *
 *     service      calls from outside, and what is shown
 *        |
 *       job        the driver: events, the job, effects
 *      / | \
 *     launch  checkpoint  journal
 *        |
 *     members      executors
 *
 * A folder uses those below it.  What happens below comes up as a callback
 * that puts an event into the driver's queue.
 */

#include "base/cleanup.h"
#include "coordinator/config.h"
#include "coordinator/job/driver.h"
#include "coordinator/service/service.h"

struct coordinator {
	const struct coordinator_config *config;
	struct loop *loop;
	struct jobfile *jobfile;
	struct driver *driver;
	struct service *service;
	bool told_to_end; /* by a signal */
};

/* No endpoint is open yet, see endpoints.h.  former: borrowed until it runs.
 * -EINVAL: the job file was refused. */
int coordinator_create(struct coordinator **out, struct loop *loop,
		       const struct coordinator_config *config,
		       const char *bindir, const struct former *former,
		       struct error *err);
/* Runs the job that has begun, see driver.h; returns the exit status. */
int coordinator_run(struct coordinator *c);
struct coordinator *coordinator_destroy(struct coordinator *c);

DEFINE_CLEANUP(struct coordinator, coordinator_destroy)

#endif
