/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_LAYOUT_WORKLOAD_H
#define SIM_LAYOUT_WORKLOAD_H

/*
 * Jobs whose layout is simulated, read from comma-separated values
 *
 * The first row names the columns.  `benchmark` and `submit_s` have to be
 * there; `ranks` and `profile` may be, else a job has those of its program.
 * Other columns are passed over, for they may hold what was measured.
 */

#include "sim/layout_pace.h"

enum {
	LAYOUT_JOBS_MAX = 10000,
	LAYOUT_JOB_RANKS_MAX = 10000,
	LAYOUT_SECONDS_MAX = 1000000000, /* of a submission: 31 years */
};

struct layout_job {
	unsigned program; /* index in the pace */
	unsigned number;  /* of the jobs of that program, from 0 */
	double submit;    /* seconds */
	unsigned ranks;
	enum place_profile profile; /* that the policies are told */
	unsigned line;
};

struct layout_workload {
	const char *path;
	struct layout_job *jobs; /* in order of submission */
	unsigned n;
	size_t room;
};

/* -EINVAL with "PATH:LINE: what is wrong"; -ENOMEM; -errno of the file.
 * layout_workload_fini() in each case. */
int layout_workload_read(struct layout_workload *workload, const char *path,
			 const struct layout_pace *pace, struct error *err);

void layout_workload_fini(struct layout_workload *workload);

static inline void layout_workload_fini_at(struct layout_workload *workload)
{
	layout_workload_fini(workload);
}

#endif
