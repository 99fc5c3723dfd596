/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_SHORTFALL_H
#define COORDINATOR_SERVICE_SHORTFALL_H

/*
 * Why a job does not have the ranks that it is to have, in one sentence
 */

#include "core/job.h"

#include <stddef.h>

struct shortfall_facts {
	const struct job *job;
	const char *trouble;    /* of executors that do not come; "": none */
	const char *dropped;    /* why the last rescale was dropped; "": it was
				 * not */
	unsigned ready, wanted; /* executors */
	msec_t now;
};

/* "" if its size is its want, or a rescale to it is being carried out. */
void shortfall_describe(const struct shortfall_facts *facts, char *text,
			size_t n);

#endif
