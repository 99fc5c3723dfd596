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
 * None of it touches the checkpoints before the checkpoint directory is this
 * coordinator's: see coordinator_own().
 *
 * A folder uses those below it.  What happens below comes up as a callback
 * that puts an event into the driver's queue.
 */

#include "base/cleanup.h"
#include "coordinator/checkpoint/owner.h"
#include "coordinator/config.h"
#include "coordinator/job/driver.h"
#include "coordinator/service/service.h"

struct coordinator {
	const struct coordinator_config *config;
	struct loop *loop;
	struct jobfile *jobfile;
	struct driver *driver; /* NULL: it is not prepared yet */
	struct service *service;
	struct checkpoint_owner *owner; /* NULL: it does not have the directory
					 */
	msec_t owned_until;             /* see driver_own_until() */
	struct loop_timer fence;
	bool told_to_end; /* by a signal */
};

/* No endpoint is open yet, see endpoints.h.  -EINVAL: the job file was refused.
 */
int coordinator_create(struct coordinator **out, struct loop *loop,
		       const struct coordinator_config *config,
		       struct error *err);

/* Takes the checkpoint directory, and waits for a coordinator elsewhere that
 * may have it.  More than 0: the status to end with, which the log explains.
 * -EBUSY: a job on this machine has it; another -errno: it cannot be used. */
int coordinator_own(struct coordinator *c, struct error *err);

/* Makes what runs the job; waits for ranks of a coordinator before this one
 * that nothing but its record tells of.  bindir: borrowed; so is former, until
 * it runs.  More than 0: as above.  -EINVAL: the job file was refused. */
int coordinator_prepare(struct coordinator *c, const char *bindir,
			const struct former *former, struct error *err);

/* Runs the job that has begun, see driver.h; returns the exit status. */
int coordinator_run(struct coordinator *c);
/* Says in the checkpoint directory that it has left.  Returns NULL. */
struct coordinator *coordinator_destroy(struct coordinator *c);

/* For own.c and coordinator.c: waits for the ranks of another one, and leaves
 * the directory. */
int coordinator_wait_fence(struct coordinator *c);
enum checkpoint_owner_end coordinator_judge_end(const struct coordinator *c);

DEFINE_CLEANUP(struct coordinator, coordinator_destroy)

#endif
