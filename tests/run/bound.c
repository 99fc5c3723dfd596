/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are bound by one thing each
 *
 *     bound ring|alltoall|loop|triad|late SECONDS   with MPI
 *     bound alone SECONDS                           a loop without MPI
 *     bound fail|quit                               ends early, after MPI_Init
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	MESSAGE = 1 << 15,     /* doubles of a ring */
	ELEMENTS = 12 << 20,   /* doubles of an array of the triad */
	PIECE = 1 << 16,       /* of it between two looks at the clock */
	OPERATIONS = 20000000, /* of the loop, likewise */
	LATE = 40,             /* times that the late rank computes */
};

static double *array;
static int rank, ranks;

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void send_around(void)
{
	MPI_Sendrecv(array, MESSAGE, MPI_DOUBLE, (rank + 1) % ranks, 0,
		     array + MESSAGE, MESSAGE, MPI_DOUBLE,
		     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void send_to_all(void)
{
	MPI_Alltoall(array, MESSAGE / ranks, MPI_DOUBLE, array + MESSAGE,
		     MESSAGE / ranks, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* Eight chains of operations that need registers alone. */
static void compute(void)
{
	double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	for (int i = 0; i < OPERATIONS / 8; i++)
		for (int k = 0; k < 8; k++)
			x[k] = x[k] * 0.9999999 + 1e-7;
	for (int k = 0; k < 8; k++)
		array[k] = x[k];
}

static void stream(void)
{
	static size_t from;
	double *restrict a = array + from;
	const double *b = a + ELEMENTS, *c = b + ELEMENTS;

	for (size_t i = 0; i < PIECE; i++)
		a[i] = b[i] + 3 * c[i];
	from = (from + PIECE) % ELEMENTS;
}

/* The first rank computes, and all others wait for it: so long that it hardly
 * matters how soon they have a processor again. */
static void come_late(void)
{
	for (int i = 0; rank == 0 && i < LATE; i++)
		compute();
	MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
	const char *name;
	void (*step)(void);
} modes[] = {
	{"ring", send_around}, {"alltoall", send_to_all}, {"loop", compute},
	{"triad", stream},     {"late", come_late},       {"alone", compute},
};

/* All ranks make the same number of steps: the first one's clock decides. */
static void run(void (*step)(void), double seconds, int uses_mpi, int agrees)
{
	double begun = now();
	int goes_on = 1;

	while (goes_on) {
		step();
		goes_on = now() - begun < seconds;
		if (uses_mpi && agrees)
			MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
}

static int find_mode(const char *name)
{
	int n = (int)(sizeof(modes) / sizeof(modes[0]));

	for (int i = 0; i < n; i++)
		if (strcmp(modes[i].name, name) == 0)
			return i;
	return -1;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
	int mode = find_mode(name), uses_mpi = strcmp(name, "alone") != 0;

	array = calloc(3 * (size_t)ELEMENTS, sizeof(*array));
	if (!array)
		return 1;
	if (uses_mpi)
		MPI_Init(&argc, &argv);
	if (strcmp(name, "fail") == 0)
		exit(3);
	if (mode < 0)
		return 64;
	if (uses_mpi) {
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	}
	for (size_t i = 0; modes[mode].step == stream && i < 3u * ELEMENTS; i++)
		array[i] = (double)i;
	run(modes[mode].step, seconds, uses_mpi,
	    modes[mode].step != compute && modes[mode].step != stream);
	if (uses_mpi)
		MPI_Finalize();
	printf("%s: %g\n", name, array[1]);
	return 0;
}
