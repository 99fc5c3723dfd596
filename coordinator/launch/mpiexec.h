/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_MPIEXEC_H
#define COORDINATOR_LAUNCH_MPIEXEC_H

/*
 * The words of mpiexec (Open MPI 4)
 *
 * Executors are named to mpiexec by addresses of 127.0.0.0/8 made from their
 * index in the ledger: nothing looks them up in DNS, nothing connects to them,
 * and the launcher knows the executors that they mean.
 *
 * Which network: loading UCX and libfabric costs MPI_Init 0.1 s and more, which
 * a host without such a network pays for nothing.  So where no executor reports
 * a fast network, MPI is told to use TCP and shared memory; where one does, and
 * whenever the job file says `mpi.network: any`, Open MPI chooses for itself.
 *
 * A host may have networks that lead nowhere, so both the daemons and the ranks
 * are told which one it is by the addresses of the executors (subnet.h).
 *
 * The tick is how often (in microseconds) a rank that waits looks whether
 * another one wants to connect by TCP.  Open MPI's 10 ms are waited for once a
 * hop in the first collective operation: 10 ms on 2 ranks, 20 ms on 4.  With
 * 1 ms it is 2 ms, and a rank that waits is asked for a poll() a millisecond.
 *
 * Tried, and worth less than 5 ms of MPI_Init (45 ms on 2 ranks, 23 ms of
 * processor time each): leaving out coll hcoll, coll han and adapt, io romio,
 * op avx, memory patcher, mpool hugepage, topo treematch and vprotocol, no
 * registration cache, and hwloc without its plug-ins.
 */

#include "coordinator/launch/subnet.h"
#include "core/layout.h"
#include "jobfile/jobfile.h"

enum {
	MPIEXEC_ARGS_MAX = 256,
	MPIEXEC_USERS_MAX = 192, /* mpi.arguments of the job file */
	ALIAS_MAX = 16
};

/* "127.1.0.3" for the member with index 2. */
void mpiexec_alias(char text[ALIAS_MAX], int member);
/* The member that an alias means, NO_MEMBER if none. */
int mpiexec_member(const char *alias);

/* What is chosen and why, for people. */
const char *mpiexec_network(const struct jobfile *job,
			    const struct ledger *ledger,
			    const struct layout *layout);

struct mpiexec_words {
	const char *argv[MPIEXEC_ARGS_MAX]; /* ends with NULL */
	size_t n;
	char ranks[16];
	char btl_subnet[SUBNET_MAX], oob_subnet[SUBNET_MAX];
};

/* All but the program that is to be run.  own: the address that executors reach
 * this host by, as the coordinator listens on it, or "" if none does.  hostfile
 * is a path, rankfile too, or NULL if ranks are not bound, agent the words of
 * mpiexec's remote-shell agent; all is borrowed from what is given.  -E2BIG for
 * more than MPIEXEC_USERS_MAX words in mpi.arguments. */
int mpiexec_words(struct mpiexec_words *out, const struct jobfile *job,
		  const struct ledger *ledger, const struct layout *layout,
		  const char *own, const char *hostfile, const char *rankfile,
		  const char *agent, struct error *err);

/* For a trial of the application on this host alone. */
struct mpiexec_trial_words {
	const char *argv[MPIEXEC_ARGS_MAX + ADAPTER_ARGS_MAX];
	char ranks[16];
};

/* app: what is to run, ends with NULL; all is borrowed.  -E2BIG as above. */
int mpiexec_trial(struct mpiexec_trial_words *out, const struct jobfile *job,
		  unsigned ranks, const char *const *app, struct error *err);

/* Writes the hostfile. */
int mpiexec_write_hostfile(const char *path, const struct ledger *ledger,
			   const struct layout *layout, struct error *err);

#endif
