/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler/mpi_records.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/test-records-XXXXXX";

static void write_record(int rank, const struct mpi_time_record *record,
			 size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/" MPI_TIME_FILE, folder, rank);
	f = fopen(path, "w");
	if (f) {
		fwrite(record, size, 1, f);
		fclose(f);
	}
}

static bool is(double value, double expected)
{
	return fabs(value - expected) < 1e-9 * (1 + fabs(expected));
}

static const uint64_t s = 1000000000;

static void ranks_are_taken_together(void)
{
	const struct mpi_time_record first = {
		.began = 10 * s,
		.ended = 20 * s,
		.of = {[MPI_COLLECTIVE] = {100, 1 * s, 5000},
		       [MPI_FILES] = {10, 5 * s, 0}},
	};
	const struct mpi_time_record second = {
		.began = 10 * s,
		.ended = 20 * s,
		.of = {[MPI_COLLECTIVE] = {100, 2 * s, 7000},
		       [MPI_POINT_TO_POINT] = {50, 4 * s, 100}},
	};
	struct mpi_records records;

	write_record(0, &first, sizeof(first));
	write_record(1, &second, sizeof(second));
	mpi_records_read(&records, folder, 4, 30 * s);
	CHECK(records.ranks == 2 && records.finished == 2);
	CHECK(is(records.seconds, 10));
	CHECK(is(records.least, 0.1) && is(records.mean, 0.35));
	CHECK(is(records.of[MPI_COLLECTIVE].share, 0.15));
	CHECK(is(records.of[MPI_COLLECTIVE].bytes_per_s, 600));
	CHECK(is(records.of[MPI_COLLECTIVE].calls_per_s, 10));
	CHECK(is(records.of[MPI_FILES].share, 0.25));
}

static void a_call_under_way_counts_up_to_now(void)
{
	const struct mpi_time_record stuck = {
		.began = 10 * s,
		.entered = 12 * s,
		.entered_class = MPI_POINT_TO_POINT,
		.of = {[MPI_POINT_TO_POINT] = {1, 1 * s, 0}},
	};
	struct mpi_records records;

	write_record(0, &stuck, sizeof(stuck));
	mpi_records_read(&records, folder, 1, 20 * s);
	CHECK(records.finished == 0);
	CHECK(is(records.least, 0.9));
}

static void a_record_that_is_not_whole_is_none(void)
{
	const struct mpi_time_record record = {.began = 1};
	struct mpi_records records;

	write_record(0, &record, sizeof(record) - 1);
	mpi_records_read(&records, folder, 1, 20 * s);
	CHECK(records.ranks == 0 && records.least == 0);
	mpi_records_read(&records, "/no/such", 2, 20 * s);
	CHECK(records.ranks == 0);
}

static void folder_is_removed(void)
{
	char path[128];

	for (int rank = 0; rank < 2; rank++) {
		snprintf(path, sizeof(path), "%s/" MPI_TIME_FILE, folder, rank);
		unlink(path);
	}
	CHECK(rmdir(folder) == 0);
}

int main(void)
{
	const struct test tests[] = {
		TEST(ranks_are_taken_together),
		TEST(a_call_under_way_counts_up_to_now),
		TEST(a_record_that_is_not_whole_is_none),
		TEST(folder_is_removed),
	};

	return mkdtemp(folder) ? run_tests(tests, 4) : 1;
}
