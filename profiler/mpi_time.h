/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILER_MPI_TIME_H
#define PROFILER_MPI_TIME_H

/*
 * What the library bellows-mpi-time.so counts in each rank of a program
 *
 * The library is preloaded (LD_PRELOAD) into the ranks.  It has the calls of
 * MPI under both of their names, MPI_Send and PMPI_Send, because those of
 * Fortran (Open MPI 4: mpif.h, mpi and mpi_f08 alike) call the latter.  After
 * MPI_Init each rank maps the file rank-N of the directory that the environment
 * names, and counts there: a rank that is killed leaves what it has counted.
 *
 * Calls of the thread that called MPI_Init are counted, the outermost alone.
 */

#include <stdint.h>

#define MPI_TIME_LIBRARY   "bellows-mpi-time.so"
#define MPI_TIME_DIRECTORY "BELLOWS_MPI_TIME" /* in the environment */
#define MPI_TIME_FILE      "rank-%d"          /* of MPI_COMM_WORLD */

enum mpi_class {
	MPI_POINT_TO_POINT,
	MPI_COLLECTIVE,
	MPI_ONE_SIDED,
	MPI_FILES,
	MPI_CLASSES
};

struct mpi_class_time {
	uint64_t calls, ns, bytes; /* bytes that this rank hands over */
};

/* Instants are ns of CLOCK_MONOTONIC; 0: not yet. */
struct mpi_time_record {
	uint64_t began;   /* MPI_Init has returned */
	uint64_t ended;   /* MPI_Finalize was called */
	uint64_t entered; /* the call that is under way; 0: none is */
	uint64_t entered_class;
	struct mpi_class_time of[MPI_CLASSES];
};

#endif
