/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_INTERVAL_H
#define CORE_INTERVAL_H

/*
 * How long to compute between two checkpoints
 *
 * Too seldom, and a failure costs much work; too often, and the writing does.
 * J. W. Young (A first order approximation to the optimum checkpoint interval,
 * CACM 17(9), 1974) found sqrt(2 C M) for a checkpoint that costs C and a mean
 * time M between failures; J. T. Daly (A higher order estimate of the optimum
 * checkpoint interval for restart dumps, FGCS 22(3), 2006, equation 37) adds
 * what counts when C is not small beside M.
 *
 * What a checkpoint costs is all the time in which nothing is computed: where
 * to save is to leave, the start that follows is a part of it.
 */

#include "base/time.h"

struct interval_facts {
	msec_t cost;    /* of the last checkpoint; 0: none was measured */
	msec_t mtbf;    /* mean time between failures of one node */
	unsigned nodes; /* any of which ends the computing; at least 1 */
};

#define INTERVAL_COST_GUESS SECONDS(5) /* before one was measured */

enum {
	INTERVAL_SHARE = 10, /* checkpoints never take more than a tenth
			      * of the time, */
};
#define INTERVAL_LEAST SECONDS(1)           /* never are closer than this, */
#define INTERVAL_MOST  MINUTES(60 * 24 * 7) /* nor further apart */

msec_t interval_best(const struct interval_facts *facts);

#endif
