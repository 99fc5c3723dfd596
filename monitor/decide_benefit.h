/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_DECIDE_BENEFIT_H
#define MONITOR_DECIDE_BENEFIT_H

/*
 * What core/scaler_benefit knows of the job, by the coordinator's messages
 *
 * Steps are measured while the job runs and does nothing else: not while
 * executors come, and not while the next start is wired up.
 */

#include "core/scaler_benefit.h"
#include "jobfile/jobfile.h"
#include "proto/bellows.pb-c.h"

/* Embedded in its owner. */
struct decide_benefit {
	unsigned *sizes;
	struct benefit benefit;
	struct step_meter meter;
	struct cost_rescales rescales;
	struct benefit_facts facts; /* of the last message */
	msec_t heard;               /* instant of it */
	/* what was logged last, so that it is logged once */
	unsigned stayed; /* at this size; 0: it is not decided */
	unsigned probe;
	uint64_t change;
	bool is_unknown; /* how many steps are left */
};

/* -ENOMEM. */
int decide_benefit_init(struct decide_benefit *decide,
			const struct jobfile *job);
void decide_benefit_fini(struct decide_benefit *decide);

void decide_benefit_on_job(struct decide_benefit *decide,
			   const Bellows__V1__Job *job, msec_t now);

/* What is to be asked now, with the reason for the coordinator; again is an
 * instant of the same clock as now. */
struct benefit_choice decide_benefit_choose(struct decide_benefit *decide,
					    msec_t now, char *reason, size_t n);
void decide_benefit_answered(struct decide_benefit *decide,
			     enum scaler_answer answer, msec_t now);

#endif
