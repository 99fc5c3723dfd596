/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILER_PROGRAM_RUN_H
#define PROFILER_PROGRAM_RUN_H

/*
 * A program that is run by mpiexec once, on this machine, and measured
 *
 * Before it, the triad says what the memory can do.  The program's output goes
 * to standard error.  Its processes are a session; when the run is over none of
 * them is left.
 */

#include "base/error.h"
#include "base/time.h"
#include "profiler/mpi_records.h"
#include "profiler/touched.h"

struct program_config {
	const char *const *command; /* ends with NULL */
	unsigned ranks, cores;
	msec_t limit;        /* from the start of mpiexec */
	const char *library; /* path of MPI_TIME_LIBRARY */
};

struct program_run {
	int status;  /* of mpiexec, as of wait(2) */
	bool is_cut; /* it was ended at the limit */
	double seconds;
	struct mpi_records mpi;

	double triad; /* bytes a processor second of the triad */

	/* the same by pages that are used, each with its standard error */
	double triad_touched, triad_touched_error, touched, touched_error;
	unsigned looks;
	bool has_touched;
	struct error no_touched; /* why it has not */

	/* the same by hardware counters */
	double triad_counted, counted, instructions_per_cycle;
	bool has_counters;
	struct error no_counters; /* why it has not */
};

/* 0 whatever the program's end was; -ECANCELED: a signal has ended it; other
 * failures of this machine with a sentence. */
int program_run(struct program_run *out, const struct program_config *config,
		struct error *err);

#endif
