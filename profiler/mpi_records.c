/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler/mpi_records.h"

#include "base/file.h"

#include <limits.h>
#include <stdio.h>

static bool read_record(struct mpi_time_record *record, const char *dir,
			unsigned rank)
{
	char path[PATH_MAX];
	size_t size;

	snprintf(path, sizeof(path), "%s/" MPI_TIME_FILE, dir, (int)rank);
	return file_read(path, (char *)record, sizeof(*record), &size, NULL) ==
		       0 &&
	       size == sizeof(*record) && record->began > 0;
}

static void add(struct mpi_records *out, struct mpi_time_record *record,
		uint64_t now)
{
	uint64_t end = record->ended > 0 ? record->ended : now;
	double seconds = 1e-9 * (double)(end - record->began), share = 0;

	if (end <= record->began)
		return;
	if (record->entered > 0 && record->entered < end &&
	    record->entered_class < MPI_CLASSES)
		record->of[record->entered_class].ns += end - record->entered;
	for (int i = 0; i < MPI_CLASSES; i++) {
		const struct mpi_class_time *of = &record->of[i];
		struct mpi_class_mean *mean = &out->of[i];

		mean->share += 1e-9 * (double)of->ns / seconds;
		mean->calls_per_s += (double)of->calls / seconds;
		mean->bytes_per_s += (double)of->bytes / seconds;
		if (i != MPI_FILES)
			share += 1e-9 * (double)of->ns / seconds;
	}
	if (out->ranks == 0 || share < out->least)
		out->least = share;
	out->mean += share;
	out->seconds += seconds;
	out->finished += record->ended > 0;
	out->ranks++;
}

void mpi_records_read(struct mpi_records *out, const char *dir, unsigned ranks,
		      uint64_t now)
{
	struct mpi_time_record record;

	*out = (struct mpi_records){0};
	for (unsigned rank = 0; rank < ranks; rank++)
		if (read_record(&record, dir, rank))
			add(out, &record, now);
	if (out->ranks == 0)
		return;
	for (int i = 0; i < MPI_CLASSES; i++) {
		out->of[i].share /= out->ranks;
		out->of[i].calls_per_s /= out->ranks;
		out->of[i].bytes_per_s /= out->ranks;
	}
	out->mean /= out->ranks;
	out->seconds /= out->ranks;
}
