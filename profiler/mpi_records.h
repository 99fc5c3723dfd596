/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILER_MPI_RECORDS_H
#define PROFILER_MPI_RECORDS_H

/*
 * What the ranks of a program have counted of their calls, together
 */

#include "profiler/mpi_time.h"

#include <stdbool.h>

/* Of the time from MPI_Init to MPI_Finalize, or to the end of the run; means
 * over the ranks. */
struct mpi_class_mean {
	double share, calls_per_s, bytes_per_s;
};

struct mpi_records {
	unsigned ranks;    /* that have called MPI_Init; 0: no more is known */
	unsigned finished; /* and MPI_Finalize */
	double seconds;
	struct mpi_class_mean of[MPI_CLASSES];
	/* Time in communication, which is all classes but files: of the rank
	 * that has least, and the mean. */
	double least, mean;
};

/* Reads those of ranks 0 to ranks - 1 in the directory.  now: of
 * CLOCK_MONOTONIC, in ns, for ranks that have not finished. */
void mpi_records_read(struct mpi_records *out, const char *dir, unsigned ranks,
		      uint64_t now);

#endif
