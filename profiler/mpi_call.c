/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler/mpi_call.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct mpi_time_record *record; /* NULL: nothing is counted */
static __thread bool is_first_thread;  /* it has called MPI_Init */
static __thread unsigned depth;

static uint64_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

/* A library that was loaded with RTLD_LOCAL, as by an interpreter, is searched
 * neither by RTLD_NEXT nor by RTLD_DEFAULT. */
static void *find(void *where, const char *name)
{
	void *found = dlsym(where, name), *library;

	if (found)
		return found;
	library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
	found = library ? dlsym(library, name) : NULL;
	if (found)
		return found;
	fprintf(stderr, "%s: %s is in no library of this process\n",
		MPI_TIME_LIBRARY, name);
	abort();
}

void *mpi_call_find(const char *name)
{
	return find(RTLD_NEXT, name);
}

/* As MPI_COMM_WORLD, which this library must not name: programs without MPI
 * load it, too.  The linker may have moved it into the program. */
static void *find_object(const char *name)
{
	return find(RTLD_DEFAULT, name);
}

static struct mpi_time_record *map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	void *at = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (ftruncate(fd, sizeof(*record)) == 0)
		at = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

void mpi_call_count_from_here(void)
{
	int (*find_rank)(MPI_Comm, int *) = mpi_call_find("PMPI_Comm_rank");
	MPI_Comm world = find_object("ompi_mpi_comm_world");
	const char *dir = getenv(MPI_TIME_DIRECTORY);
	char path[PATH_MAX];
	int rank = 0;

	if (!dir || record)
		return;
	find_rank(world, &rank);
	snprintf(path, sizeof(path), "%s/" MPI_TIME_FILE, dir, rank);
	record = map(path);
	if (!record) {
		fprintf(stderr,
			"%s: %s: %s: the calls of this rank are not counted\n",
			MPI_TIME_LIBRARY, path, strerror(errno));
		return;
	}
	is_first_thread = true;
	record->began = now();
}

void mpi_call_count_to_here(void)
{
	if (!record || !is_first_thread)
		return;
	record->ended = now();
	is_first_thread = false;
}

struct mpi_call mpi_call_begin(enum mpi_class class)
{
	struct mpi_call call = {.class = class};

	if (!is_first_thread || depth++ > 0)
		return call;
	call.counts = true;
	call.began = now();
	record->entered_class = class;
	record->entered = call.began;
	return call;
}

void mpi_call_end(const struct mpi_call *call, uint64_t bytes)
{
	struct mpi_class_time *of;

	if (!is_first_thread)
		return;
	depth--;
	if (!call->counts)
		return;
	of = &record->of[call->class];
	of->ns += now() - call->began;
	of->calls++;
	of->bytes += bytes;
	record->entered = 0;
}

/* ---- bytes ---- */

static uint64_t size_of(MPI_Datatype type)
{
	static int (*find_size)(MPI_Datatype, int *);
	static MPI_Datatype none;
	int size = 0;

	if (!find_size) {
		none = find_object("ompi_mpi_datatype_null");
		find_size = mpi_call_find("PMPI_Type_size");
	}
	if (type != none)
		find_size(type, &size);
	return size > 0 ? (uint64_t)size : 0;
}

static int size_of_comm(MPI_Comm comm)
{
	static int (*find_size)(MPI_Comm, int *);
	static int (*is_inter)(MPI_Comm, int *);
	static int (*find_remote)(MPI_Comm, int *);
	int size = 0, inter = 0;

	if (!find_size) {
		is_inter = mpi_call_find("PMPI_Comm_test_inter");
		find_remote = mpi_call_find("PMPI_Comm_remote_size");
		find_size = mpi_call_find("PMPI_Comm_size");
	}
	is_inter(comm, &inter);
	(inter ? find_remote : find_size)(comm, &size);
	return size;
}

uint64_t mpi_call_bytes(const void *buffer, int count, MPI_Datatype type)
{
	if (buffer == MPI_IN_PLACE || count <= 0)
		return 0;
	return (uint64_t)count * size_of(type);
}

uint64_t mpi_call_bytes_v(const void *buffer, const int *counts,
			  MPI_Datatype type, MPI_Comm comm)
{
	uint64_t all = 0;

	if (buffer == MPI_IN_PLACE || !counts)
		return 0;
	for (int i = size_of_comm(comm) - 1; i >= 0; i--)
		all += counts[i] > 0 ? (uint64_t)counts[i] : 0;
	return all * size_of(type);
}

uint64_t mpi_call_bytes_all(const void *buffer, int count, MPI_Datatype type,
			    MPI_Comm comm)
{
	if (buffer == MPI_IN_PLACE || count <= 0)
		return 0;
	return mpi_call_bytes(buffer, count, type) *
	       (uint64_t)size_of_comm(comm);
}
