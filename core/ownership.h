/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_OWNERSHIP_H
#define CORE_OWNERSHIP_H

/*
 * Whose a checkpoint directory is
 *
 * Each coordinator leaves a numbered record in the directory, and the one with
 * the highest number has it.  A coordinator that begins takes the next number,
 * and goes on when no record with a lower one can be of a coordinator that
 * still lives:
 *
 *     left, no rank        it has ended in order, and so have its ranks
 *     left, or dead        it has ended; its ranks may compute until the leases
 *                          of their executors are over
 *     here                 it lives on this host: the one that begins is
 *                          refused, and takes no number
 *     elsewhere            nobody can tell from here: it is waited for
 *
 * One that lives elsewhere looks for newer records every second, and ends when
 * there is one.  If its file system does not let it look for OWNERSHIP_LEASE,
 * it lets nothing compute any more.  So after that time, and the time for which
 * what it saw may have been old, nothing of it computes.
 */

#include "base/time.h"

#include <stdbool.h>

#define OWNERSHIP_LEASE SECONDS(120)
/* NFS shows the content of a folder as it was up to so long ago: acdirmax of
 * nfs(5). */
#define OWNERSHIP_SLACK SECONDS(60)

/* What is seen of a record. */
struct ownership_sight {
	bool readable;     /* or else it is torn, or no record at all */
	bool left;         /* its coordinator says that it has ended, */
	bool without_rank; /* and that none of its ranks was left */
	bool same_boot;    /* it was written by the kernel that runs here, */
	bool same_host;    /* under the name that this host has */
	enum {
		OWNERSHIP_LOCK_FREE,
		OWNERSHIP_LOCK_HELD,    /* by its process, so that lives */
		OWNERSHIP_LOCK_UNKNOWN, /* the file system has no locks */
	} lock;
};

/* What a coordinator that begins does for the sake of a record: the later in
 * this list, the more of them it outweighs. */
enum ownership_step {
	OWNERSHIP_BEGIN,  /* it begins */
	OWNERSHIP_FENCE,  /* the same; no start before the leases are over that
			   * another one gave */
	OWNERSHIP_WAIT,   /* it claims the directory, and waits */
	OWNERSHIP_REFUSE, /* it ends, and changes nothing */
};

enum ownership_step ownership_judge(const struct ownership_sight *sight);

/* The directory is claimed, for that long.  step: what the records that are
 * older ask for. */
enum ownership_step ownership_after_claim(enum ownership_step step,
					  msec_t claimed_for);

/* Until when ranks may compute after a look that began at that instant and saw
 * no newer record. */
msec_t ownership_valid_until(msec_t looked);

#endif
