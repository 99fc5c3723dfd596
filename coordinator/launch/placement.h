/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_PLACEMENT_H
#define COORDINATOR_LAUNCH_PLACEMENT_H

/*
 * The binding of the ranks of one start: planned, told to mpiexec, compared
 *
 * The plan is core/binding's.  mpiexec of Open MPI 4.1 takes it as a rankfile,
 * whose numbers are those of the kernel (rmaps_rank_file_physical), and each of
 * them one processor and not a whole core (hwloc_base_use_hwthreads_as_cpus):
 *
 *     rank 0=127.1.0.1 slot=0,36
 *     rank 1=127.1.0.2 slot=1:*
 *
 * Each rank must be in it, with a slot, so a rank that is not bound is given
 * all processors of its executor.  mpiexec copies host and slots of a line into
 * 64 bytes, and dies of more.  A list that is too long is written as a whole
 * package, if it is one (1:*); if it is not, no rank of the start is bound.
 */

#include "core/layout.h"
#include "core/processor_set.h"
#include "jobfile/jobfile.h"

struct placement {
	struct processor_set *planned; /* by rank; NULL: none is bound */
	unsigned ranks;
	char trouble[512]; /* what is not as asked for; "": nothing */
};

/* Begins as zeroes.  -ENODEV with a sentence if the job file is strict and the
 * ranks cannot be bound as it asks for. */
int placement_plan(struct placement *placement, const struct jobfile *job,
		   const struct ledger *ledger, const struct layout *layout,
		   struct error *err);
void placement_fini(struct placement *placement);

int placement_write_rankfile(const struct placement *placement,
			     const char *path, const struct ledger *ledger,
			     const struct layout *layout, struct error *err);

/* Whether the rank is bound as planned.  found: a list of processors, as its
 * executor has read it.  -EXDEV with a sentence if it is not. */
int placement_compare(const struct placement *placement, unsigned rank,
		      const char *found, struct error *err);

/* The ranks from one on, as far as they fit: "0=0,36 1=1,37 2-3=2-3,38-39".
 * Returns the first that does not; that of ranks without a plan: their number.
 */
unsigned placement_text(const struct placement *placement, unsigned from,
			char *text, size_t n);

#endif
