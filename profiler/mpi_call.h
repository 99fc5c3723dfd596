/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILER_MPI_CALL_H
#define PROFILER_MPI_CALL_H

/*
 * One call of MPI, from its begin to its end, within the preloaded library
 */

#include "profiler/mpi_time.h"

#include <mpi.h>
#include <stdbool.h>

struct mpi_call {
	enum mpi_class class;
	uint64_t began;
	bool counts;
};

#pragma GCC visibility push(hidden)

/* The function of Open MPI with that name; the process ends if there is none.
 */
void *mpi_call_find(const char *name);

/* The rank counts from now on. */
void mpi_call_count_from_here(void);
/* It counts no more. */
void mpi_call_count_to_here(void);

struct mpi_call mpi_call_begin(enum mpi_class class);
void mpi_call_end(const struct mpi_call *call, uint64_t bytes);

/* Bytes of count elements; 0 for MPI_IN_PLACE. */
uint64_t mpi_call_bytes(const void *buffer, int count, MPI_Datatype type);
/* The same of counts for each rank of comm. */
uint64_t mpi_call_bytes_v(const void *buffer, const int *counts,
			  MPI_Datatype type, MPI_Comm comm);
uint64_t mpi_call_bytes_all(const void *buffer, int count, MPI_Datatype type,
			    MPI_Comm comm);

#pragma GCC visibility pop

#endif
