/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SWF_WORKLOAD_H
#define SIM_SWF_WORKLOAD_H

/*
 * The jobs of a log as a workload
 *
 * A job of a log is rigid: it ran for t seconds on p processors, which are p
 * ranks here.  How it would have run on another number is not in the log, so a
 * job is made malleable by a rule:
 *
 *   - it may have from p/4, rounded up, to so many times p ranks, and no more
 *     than there are slots;
 *   - on n ranks it takes t * (1/5 + 4/5 * p/n), so a fifth of what it took is
 *     sequential (Amdahl's law, with the sequential part as Gustafson measures
 *     it: of the run on p.  "Reevaluating Amdahl's law", CACM 1988).  On p/4
 *     ranks that is 3.4 times as long, on 2p ranks 0.6 times.
 *
 * A share of the jobs with more than one processor is made so, drawn by a seed.
 * A job that is malleable with one share is so with every larger one, too.
 */

#include "sim/swf.h"
#include "sim/workload.h"

struct swf_rule {
	unsigned malleable; /* percent */
	unsigned grow;      /* the most ranks, as a multiple of p */
	unsigned seed;
	double move; /* seconds for which a rescale stops a job */
};

/* One set of jobs, the first of which is submitted at 0.  0 or -ENOMEM, with a
 * sentence; -EINVAL if the jobs have too many different sizes. */
int swf_workload(struct workload **out, const struct swf_log *log,
		 const struct swf_rule *rule, struct error *err);

#endif
