/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/parint/array_file.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <mpi.h>
#include <time.h>

/* What is digested and then read or written in one piece: it fits a cache. */
enum { CHUNK = 256 * 1024 };

static int rank(void)
{
	int me;

	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	return me;
}

/* One answer for all: 0, or the errno of a rank that failed, negative. */
static int agree(int mine)
{
	int all;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return all;
}

uint64_t array_file_digest(uint64_t mine)
{
	uint64_t all;

	MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

static int write_all(int fd, const void *data, size_t size, uint64_t at)
{
	const char *p = data;

	while (size > 0) {
		ssize_t n = pwrite(fd, p, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* The end of the file before its time is -EBADMSG. */
static int read_all(int fd, void *data, size_t size, uint64_t at)
{
	char *p = data;

	while (size > 0) {
		ssize_t n = pread(fd, p, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		p += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static uint64_t place(uint64_t element)
{
	return CHECKPOINT_ARRAY_AT + element * sizeof(double);
}

static uint64_t chunk_at(const struct slice *slice, uint64_t i)
{
	const uint64_t most = CHUNK / sizeof(double);

	return slice->n - i < most ? slice->n - i : most;
}

static int write_slice(int fd, const struct slice *slice, uint64_t *digest)
{
	*digest = 0;
	for (uint64_t i = 0, n; i < slice->n; i += n) {
		const double *x = &slice->x[i];
		int r;

		n = chunk_at(slice, i);
		*digest += digest_elements(x, slice->first + i, n);
		r = write_all(fd, x, n * sizeof(*x), place(slice->first + i));
		if (r < 0)
			return r;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

static int read_slice(int fd, struct slice *slice, uint64_t *digest)
{
	*digest = 0;
	for (uint64_t i = 0, n; i < slice->n; i += n) {
		double *x = &slice->x[i];
		int r;

		n = chunk_at(slice, i);
		r = read_all(fd, x, n * sizeof(*x), place(slice->first + i));
		if (r < 0)
			return r;
		*digest += digest_elements(x, slice->first + i, n);
	}
	return 0;
}

/* Rank 0 makes the file, alone: whatever lay there before is no obstacle. */
static int create_temporary(const char *temporary)
{
	int fd;

	if (unlink(temporary) < 0 && errno != ENOENT)
		return -errno;
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}

/* The descriptor, or -errno; the others do not create, so a rank that does not
 * see the directory of rank 0 says so. */
static int open_temporary(const char *temporary)
{
	int first = 0, fd = -1;

	if (rank() == 0) {
		fd = create_temporary(temporary);
		first = fd < 0 ? fd : 0;
	}
	MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (first < 0)
		return first;
	if (rank() > 0)
		fd = open(temporary, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int sync_folder_of(const char *path)
{
	CLEANUP(free) char *copy = strdup(path);
	CLEANUP(close) int fd = -1;

	if (!copy)
		return -ENOMEM;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Some file systems have nothing to sync there and say EINVAL. */
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

static int write_header(int fd, struct checkpoint_header *header)
{
	char page[CHECKPOINT_ARRAY_AT] = {0};
	struct timespec now;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	memcpy(header->magic, CHECKPOINT_MAGIC, sizeof(header->magic));
	header->version = CHECKPOINT_VERSION;
	header->array_at = CHECKPOINT_ARRAY_AT;
	header->written =
		(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	header->seal = checkpoint_seal(header);
	memcpy(page, header, sizeof(*header));
	r = write_all(fd, page, sizeof(page), 0);
	if (r < 0)
		return r;
	return fsync(fd) < 0 ? -errno : 0;
}

/* Rank 0, when everyone's slice is on the disk. */
static int publish(int fd, struct checkpoint_header *header,
		   const char *temporary, const char *path)
{
	int r = write_header(fd, header);

	if (r < 0)
		return r;
	if (rename(temporary, path) < 0)
		return -errno;
	return sync_folder_of(path);
}

int array_file_save(const char *path, struct checkpoint_header facts,
		    const struct slice *slice, struct error *err)
{
	CLEANUP(free) char *temporary = NULL;
	CLEANUP(close) int fd = -1;
	uint64_t mine = 0;
	int r;

	r = asprintf(&temporary, "%s.tmp", path) < 0 ? -ENOMEM : 0;
	if (r < 0)
		temporary = NULL;
	r = agree(r);
	if (r == 0) {
		fd = open_temporary(temporary);
		r = agree(fd < 0 ? fd : write_slice(fd, slice, &mine));
		facts.digest = array_file_digest(mine);
	}
	if (r == 0 && rank() == 0)
		r = publish(fd, &facts, temporary, path);
	r = agree(r);
	if (r < 0 && rank() == 0) {
		if (temporary)
			unlink(temporary);
		error_set(err, r, "cannot write checkpoint %s: %s", path,
			  strerror(-r));
	}
	return r;
}

static int unfit(const char *path, const char *what, uint64_t has,
		 uint64_t wanted, struct error *err)
{
	return error_set(err, -EBADMSG,
			 "checkpoint %s is of %s %" PRIu64 ", not %" PRIu64,
			 path, what, has, wanted);
}

static int compare(const char *path, const struct checkpoint_header *header,
		   const struct checkpoint_header *facts, struct error *err)
{
	if (header->array_size != facts->array_size)
		return unfit(path, "array size", header->array_size,
			     facts->array_size, err);
	if (header->nloop != facts->nloop)
		return unfit(path, "nloop", header->nloop, facts->nloop, err);
	if (header->iteration > facts->iterations)
		return error_set(err, -EBADMSG,
				 "checkpoint %s is at iteration %" PRIu64
				 ", beyond the %" PRIu64 " asked for",
				 path, header->iteration, facts->iterations);
	return 0;
}

/* Rank 0: opens and judges; 1 if there is no file. */
static int open_header(const char *path, const struct checkpoint_header *facts,
		       struct checkpoint_header *out, struct error *err)
{
	CLEANUP(close) int fd = -1;
	int r;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return error_errno(err, "cannot read checkpoint %s", path);
	r = checkpoint_header_read(out, fd, path, err);
	return r < 0 ? r : compare(path, out, facts, err);
}

/* What a save left that was cut off by the end of all ranks. */
static void remove_torn(const char *path)
{
	CLEANUP(free) char *temporary = NULL;

	if (asprintf(&temporary, "%s.tmp", path) < 0)
		temporary = NULL;
	else
		unlink(temporary);
}

int array_file_load(const char *path, struct checkpoint_header *facts,
		    struct slice *slice, struct error *err)
{
	struct checkpoint_header header = {0};
	CLEANUP(close) int fd = -1;
	uint64_t mine = 0, digest;
	int r = 0;

	if (rank() == 0) {
		remove_torn(path);
		r = open_header(path, facts, &header, err);
	}
	MPI_Bcast(&r, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (r != 0)
		return r;
	MPI_Bcast(&header, sizeof(header), MPI_BYTE, 0, MPI_COMM_WORLD);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	r = agree(fd < 0 ? -errno : read_slice(fd, slice, &mine));
	if (r < 0)
		return error_set(err, r, "cannot read checkpoint %s: %s", path,
				 strerror(-r));
	digest = array_file_digest(mine);
	if (digest != header.digest)
		return error_set(err, -EBADMSG,
				 "checkpoint %s is damaged: its digest is "
				 "%016" PRIx64 ", not %016" PRIx64,
				 path, digest, header.digest);
	facts->iteration = header.iteration;
	return 0;
}
