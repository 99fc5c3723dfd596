/* SPDX-License-Identifier: Apache-2.0 */

/*
 * plate SIZE STEPS FILE [--restart]: heat in a square plate, with MPI
 *
 * The upper edge is hot, the others are cold; a step gives every inner cell the
 * mean of its four neighbours.  Rows are dealt to ranks in blocks.  A cell is
 * computed from the same numbers in the same order on every rank, so the
 * answer does not depend on the number of ranks.
 *
 * SIGTERM to rank 0 makes all of them write FILE and leave with status 0.  With
 * --restart they go on from FILE.  It knows nothing of Bellows.
 */

#include "state.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPORT_EVERY = 50 };

struct plate {
	int rank, ranks;
	size_t size, first, rows; /* rows first to first + rows - 1 are mine */
	uint64_t step, steps;
	double *now, *next; /* rows + 2 of them: with the neighbours' */
	const char *file;
};

static volatile sig_atomic_t asked;

static void on_signal(int signo)
{
	asked = 1;
}

static void die(const char *what, const char *about)
{
	fprintf(stderr, "plate: %s: %s\n", what, about);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- the checkpoint ---- */

static MPI_Offset place(const struct plate *p)
{
	return (MPI_Offset)(sizeof(struct state_head) +
			    p->first * p->size * sizeof(double));
}

/* Renamed when it is whole, so FILE is a whole one at any time. */
static void save(const struct plate *p)
{
	const struct state_head head = {STATE_MAGIC, p->size, p->step};
	const uint64_t mark = state_mark(&head);
	char path[4096];
	MPI_File f;

	snprintf(path, sizeof(path), "%s.new", p->file);
	if (MPI_File_open(MPI_COMM_WORLD, path,
			  MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f))
		die("cannot write", path);
	MPI_File_set_size(f, (MPI_Offset)state_bytes(p->size));
	MPI_File_write_at_all(f, place(p), p->now + p->size,
			      (int)(p->rows * p->size), MPI_DOUBLE,
			      MPI_STATUS_IGNORE);
	if (p->rank == 0)
		MPI_File_write_at(f, 0, &head, sizeof(head), MPI_BYTE,
				  MPI_STATUS_IGNORE);
	MPI_File_sync(f);
	MPI_Barrier(MPI_COMM_WORLD);
	if (p->rank == 0)
		MPI_File_write_at(
			f, (MPI_Offset)(state_bytes(p->size) - sizeof(mark)),
			&mark, sizeof(mark), MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	if (p->rank == 0 && rename(path, p->file) < 0)
		die("cannot rename to", p->file);
	if (p->rank == 0)
		printf("plate: saved at step %llu\n",
		       (unsigned long long)p->step);
}

static void restore(struct plate *p)
{
	struct state_head head;
	MPI_File f;

	if (MPI_File_open(MPI_COMM_WORLD, p->file, MPI_MODE_RDONLY,
			  MPI_INFO_NULL, &f))
		die("cannot read", p->file);
	MPI_File_read_at_all(f, 0, &head, sizeof(head), MPI_BYTE,
			     MPI_STATUS_IGNORE);
	if (memcmp(head.magic, STATE_MAGIC, sizeof(head.magic)) != 0 ||
	    head.size != p->size)
		die("not a checkpoint of this plate", p->file);
	MPI_File_read_at_all(f, place(p), p->now + p->size,
			     (int)(p->rows * p->size), MPI_DOUBLE,
			     MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	p->step = head.step;
	if (p->rank == 0)
		printf("plate: restarted at step %llu\n",
		       (unsigned long long)p->step);
}

/* ---- the computation ---- */

static void exchange(const struct plate *p)
{
	int n = (int)p->size, up, down;

	up = p->rank > 0 ? p->rank - 1 : MPI_PROC_NULL;
	down = p->rank + 1 < p->ranks ? p->rank + 1 : MPI_PROC_NULL;
	MPI_Sendrecv(p->now + p->size, n, MPI_DOUBLE, up, 0,
		     p->now + (p->rows + 1) * p->size, n, MPI_DOUBLE, down, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(p->now + p->rows * p->size, n, MPI_DOUBLE, down, 1, p->now,
		     n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step(struct plate *p)
{
	size_t n = p->size;
	double *swap = p->now;

	exchange(p);
	for (size_t i = 1; i <= p->rows; i++) {
		size_t row = p->first + i - 1;
		const double *at = p->now + i * n;
		double *to = p->next + i * n;

		memcpy(to, at, n * sizeof(double));
		if (row == 0 || row == n - 1)
			continue;
		for (size_t k = 1; k < n - 1; k++)
			to[k] = 0.25 *
				(at[k - n] + at[k + n] + at[k - 1] + at[k + 1]);
	}
	p->now = p->next;
	p->next = swap;
	p->step++;
}

static int run(struct plate *p)
{
	while (p->step < p->steps) {
		int leave = asked;

		MPI_Bcast(&leave, 1, MPI_INT, 0, MPI_COMM_WORLD);
		if (leave) {
			save(p);
			return 0;
		}
		step(p);
		if (p->rank == 0 && p->step % REPORT_EVERY == 0)
			printf("plate: step %llu of %llu\n",
			       (unsigned long long)p->step,
			       (unsigned long long)p->steps);
	}
	return 1;
}

/* ---- the answer ---- */

/* Bits of all cells, added up; the same for any number of ranks. */
static void answer(const struct plate *p)
{
	unsigned long long sum = 0, all;

	for (size_t i = 0; i < p->rows * p->size; i++) {
		unsigned long long bits;

		memcpy(&bits, p->now + p->size + i, sizeof(bits));
		sum += bits * (2 * (p->first * p->size + i) + 1);
	}
	MPI_Reduce(&sum, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0,
		   MPI_COMM_WORLD);
	if (p->rank == 0)
		printf("plate: answer %016llx on %d ranks\n", all, p->ranks);
}

static void deal(struct plate *p)
{
	size_t cells;

	MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
	if ((size_t)p->ranks > p->size)
		die("more ranks than rows", p->file);
	p->first = p->size * (size_t)p->rank / (size_t)p->ranks;
	p->rows = p->size * (size_t)(p->rank + 1) / (size_t)p->ranks - p->first;
	cells = (p->rows + 2) * p->size;
	p->now = calloc(cells, sizeof(double));
	p->next = calloc(cells, sizeof(double));
	if (!p->now || !p->next)
		die("out of memory", p->file);
	for (size_t k = 0; p->first == 0 && k < p->size; k++)
		p->now[p->size + k] = 100.0;
}

int main(int argc, char **argv)
{
	struct plate p = {0};

	if (argc < 4 || atol(argv[1]) < 3 || atol(argv[2]) < 1) {
		fputs("usage: plate SIZE STEPS FILE [--restart]\n", stderr);
		return 64;
	}
	p.size = (size_t)atol(argv[1]);
	p.steps = (uint64_t)atol(argv[2]);
	p.file = argv[3];
	MPI_Init(&argc, &argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	deal(&p);
	if (p.rank == 0)
		signal(SIGTERM, on_signal);
	if (argc > 4 && strcmp(argv[4], "--restart") == 0)
		restore(&p);
	else if (p.rank == 0)
		puts("plate: starting from step 0");
	if (run(&p))
		answer(&p);
	free(p.now);
	free(p.next);
	MPI_Finalize();
	return 0;
}
