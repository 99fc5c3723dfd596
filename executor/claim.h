/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_CLAIM_H
#define EXECUTOR_CLAIM_H

/*
 * A proof that nothing is left of a former executor of this name on this host
 *
 * The claim is an abstract unix socket, whose name is made of the executor's
 * name, its coordinator and its network namespace.  The executor holds it, and
 * each of its ranks and their children inherit it.  The kernel gives the name
 * to another process only when all of them have ended.  So a new executor that
 * holds the claim which the former one held says that no rank of the former one
 * can compute any more, and need not wait for the end of its lease.
 *
 * A program that closes descriptors which it does not know leaves the claim. As
 * long as its parent, which is the rank, runs, the claim is held.
 *
 * The claim is held until the executor ends.  If it is another process's, or if
 * the host cannot be told from others, there is none.
 */

#include <stdint.h>

struct claim {
	int fd;         /* -1: it is not held */
	uint64_t value; /* the same for the same socket; never 0 */
};

#define CLAIM_NONE ((struct claim){.fd = -1})

/* Takes it, unless it is held already.  Returns its value, 0 if it is not to be
 * had.  machine: as of host_machine(); "": the host is not known. */
uint64_t claim_take(struct claim *claim, const char *machine,
		    const char *coordinator, const char *name);
void claim_leave(struct claim *claim);

#endif
