/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

#include "base/log.h"

#include <errno.h>

/*
 * What puts events into the queue; step.c takes them out
 */

void driver_put(struct driver *driver, const struct event *event)
{
	if (events_put(&driver->events, event) == 0)
		return;
	log_error("out of memory: the coordinator ends, and the job with it");
	loop_stop(driver->loop, -ENOMEM);
}

void driver_post_event(struct driver *driver, const struct job_event *event,
		       const char *reason)
{
	struct event posted = {.kind = EVENT_JOB, .job = *event};

	snprintf(posted.reason, sizeof(posted.reason), "%s", reason);
	driver_put(driver, &posted);
}

void driver_post(struct driver *driver, enum job_event_type type,
		 unsigned epoch, unsigned size, const char *reason)
{
	const struct job_event event = {
		.type = type, .now = loop_now(), .epoch = epoch, .size = size};

	driver_post_event(driver, &event, reason);
}

void driver_post_kind(struct driver *driver, enum event_kind kind,
		      unsigned epoch)
{
	const struct event event = {.kind = kind,
				    .job = {.now = loop_now(), .epoch = epoch}};

	driver_put(driver, &event);
}
