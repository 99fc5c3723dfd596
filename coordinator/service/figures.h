/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_FIGURES_H
#define COORDINATOR_SERVICE_FIGURES_H

/*
 * The job in figures, for Prometheus
 *
 * Names are those of docs/metrics.md: one prefix, seconds, counters that end
 * with _total.  There are as many values for a job of a thousand executors as
 * for one of two.
 */

#include "coordinator/journal/history.h"
#include "core/member.h"
#include "jobfile/jobfile.h"

#include <stdio.h>

/* All borrowed. */
struct figures {
	const struct jobfile *jobfile;
	const struct job *job;
	const struct history *history;
	const struct ledger *ledger;
	unsigned executors_wanted;
	msec_t now;
};

void figures_print(const struct figures *figures, FILE *to);

#endif
