/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Preloaded into parint and counter: a rank naps before each sum of all ranks
 * (one an iteration of parint, two a step of counter) instead of computing
 *
 * The file that PACE_FILE names says how many microseconds this takes on one
 * rank; on more ranks it takes as much less.  A second number, if there is one,
 * is what it takes longer on every number of ranks.  The file is read each
 * time, so a test can stop a job or let it run to its end at any moment.  What
 * is computed, and so the digest, stays the same.
 *
 * If PACE_STEPS is set, only what has MPI_MAX for its operation counts, once a
 * step in either: then saving and going on from a checkpoint take no longer.
 *
 * A rank that waits for another one looks for messages again and again, and
 * yields in between; here it naps, for the processors are shared by many tests,
 * and longer the longer it waits.
 *
 * Open MPI 4.1 unloads the library of PMIx at its end while the thread of PMIx
 * may still run in it: of some ten thousand ranks one crashes after its last
 * word.  Here a rank keeps what it has loaded.
 */

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { YIELD_US = 100, YIELD_MAX_US = 1600, SLACK_NS = 1000 };

static long yield_us = YIELD_US;

__attribute__((constructor)) static void wake_in_time(void)
{
	prctl(PR_SET_TIMERSLACK, SLACK_NS);
}

static void nap(long us)
{
	const struct timespec t = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&t, NULL);
}

static long microseconds(int ranks)
{
	const char *path = getenv("PACE_FILE");
	FILE *f = path ? fopen(path, "r") : NULL;
	long us, fixed = 0;

	if (!f || fscanf(f, "%ld %ld", &us, &fixed) < 1) {
		fprintf(stderr, "pace: the file '%s' has no number\n",
			path ? path : "");
		abort();
	}
	fclose(f);
	return us / ranks + fixed;
}

int dlclose(void *handle)
{
	return 0;
}

int sched_yield(void)
{
	nap(yield_us);
	if (yield_us < YIELD_MAX_US)
		yield_us *= 2;
	return 0;
}

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type,
		  MPI_Op op, MPI_Comm comm)
{
	int ranks;

	yield_us = YIELD_US;
	if (op == MPI_MAX || !getenv("PACE_STEPS")) {
		MPI_Comm_size(comm, &ranks);
		nap(microseconds(ranks));
	}
	return PMPI_Allreduce(mine, all, count, type, op, comm);
}
