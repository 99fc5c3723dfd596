/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MEASURED_H
#define SIM_MEASURED_H

/*
 * What Bellows takes, where a workload does not say it
 *
 * The figures are medians of docs/performance.md, measured on 2 cores.  A
 * rescale takes no time beside another start here: it takes 0.06 to 0.19 s to 2
 * to 6 ranks, less than a start, because the new ranks are wired up while the
 * old ones compute.
 */

#include "base/time.h"
#include "sim/curve.h"

/* From mpiexec to the first step: the line through "Two launchers", stream. */
struct curve measured_start(void);

/* From a decision until the checkpoint of a rescale is ordered: the pods start
 * meanwhile ("The time line of a grow"). */
#define MEASURED_DELAY_OF_PODS ((usec_t)2400000)

#endif
