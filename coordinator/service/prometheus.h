/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_PROMETHEUS_H
#define COORDINATOR_SERVICE_PROMETHEUS_H

/*
 * The job in numbers, for Prometheus
 *
 * Names are those of docs/metrics.md: one prefix, seconds, counters that end
 * with _total.  There are as many values for a job of a thousand executors as
 * for one of two.
 */

#include "coordinator/journal/history.h"
#include "core/eta.h"
#include "core/member.h"
#include "jobfile/jobfile.h"

#include <stdio.h>

/* All borrowed. */
struct prometheus_source {
	const struct jobfile *jobfile;
	const struct job *job;
	const struct history *history;
	const struct ledger *ledger;
	unsigned executors_wanted;
	struct eta eta;
	msec_t stall; /* for how long it stands still; 0: it does not */
	msec_t now;
};

void prometheus_print(const struct prometheus_source *source, FILE *to);

#endif
