/* SPDX-License-Identifier: Apache-2.0 */

/*
 * counter: a foreign MPI program, with a checkpoint of its own
 *
 * usage: counter STEPS [--from FILE] [--save FILE] [--each N] [--how FILE]
 *
 * Adds up numbers, shared among the ranks, for STEPS steps, as fast as it can
 * (pace.c makes them last).  On SIGUSR2 to any rank it writes FILE and leaves;
 * with --each it writes FILE every N steps and goes on.  What --how names may
 * say how it writes: "place" is over what is there, "torn" the same and no more
 * than a part of it, "not" nothing.
 */

#include <inttypes.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1000 };

static volatile sig_atomic_t told;

static void on_signal(int signo)
{
	told = 1;
}

static uint64_t part(uint64_t step, int rank, int ranks)
{
	uint64_t sum = 0;

	for (uint64_t i = (uint64_t)rank; i < NUMBERS; i += (uint64_t)ranks)
		sum += (i + 1) * (step ^ i) * UINT64_C(0x9e3779b97f4a7c15);
	return sum;
}

static const char *read_how(const char *path)
{
	static char how[16];
	FILE *f = path ? fopen(path, "r") : NULL;

	how[0] = '\0';
	if (f && fscanf(f, "%15s", how) != 1)
		how[0] = '\0';
	if (f)
		fclose(f);
	return how;
}

static void save_in_place(const char *path, uint64_t step, uint64_t sum,
			  int torn)
{
	FILE *f = fopen(path, "w");

	if (!f || fprintf(f, "%" PRIu64, step) < 0 ||
	    (!torn && fprintf(f, " %" PRIu64 "\n", sum) < 0) || fclose(f) != 0)
		MPI_Abort(MPI_COMM_WORLD, 9);
	printf("saved step %" PRIu64 "\n", step);
}

static void save(const char *path, uint64_t step, uint64_t sum, const char *how)
{
	char temporary[4200];
	FILE *f;

	if (strcmp(how, "not") == 0)
		return;
	if (*how) {
		save_in_place(path, step, sum, strcmp(how, "torn") == 0);
		return;
	}
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	f = fopen(temporary, "w");
	if (!f || fprintf(f, "%" PRIu64 " %" PRIu64 "\n", step, sum) < 0 ||
	    fclose(f) != 0 || rename(temporary, path) < 0)
		MPI_Abort(MPI_COMM_WORLD, 9);
	printf("saved step %" PRIu64 "\n", step);
}

static void load(const char *path, uint64_t *step, uint64_t *sum)
{
	FILE *f = fopen(path, "r");

	if (!f || fscanf(f, "%" SCNu64 " %" SCNu64, step, sum) != 2)
		MPI_Abort(MPI_COMM_WORLD, 9);
	fclose(f);
}

static const char *option(int argc, char **argv, const char *name)
{
	for (int i = 2; i + 1 < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return argv[i + 1];
	return NULL;
}

int main(int argc, char **argv)
{
	const char *from = option(argc, argv, "--from");
	const char *to = option(argc, argv, "--save");
	const char *each = option(argc, argv, "--each");
	uint64_t steps = strtoull(argv[1], NULL, 10), step = 0, sum = 0;
	int rank, ranks, leave = 0;

	signal(SIGUSR2, on_signal);
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (from)
		load(from, &step, &sum);
	if (rank == 0 && from)
		printf("from step %" PRIu64 "\n", step);
	while (step < steps && !leave) {
		uint64_t mine = part(++step, rank, ranks), all;
		int asked = told;

		MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM,
			      MPI_COMM_WORLD);
		MPI_Allreduce(&asked, &leave, 1, MPI_INT, MPI_MAX,
			      MPI_COMM_WORLD);
		sum += all;
		if (rank == 0 && step % 10 == 0)
			printf("step %" PRIu64 " of %" PRIu64 "\n", step,
			       steps);
		if (rank == 0 && to &&
		    (leave || (each && step % strtoull(each, NULL, 10) == 0)))
			save(to, step, sum,
			     read_how(option(argc, argv, "--how")));
	}
	if (rank == 0 && !leave)
		printf("sum %016" PRIx64 " on %d\n", sum, ranks);
	MPI_Finalize();
	return 0;
}
