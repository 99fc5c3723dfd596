/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cm1_like: an MPI program that behaves like CM1 where a launcher sees it
 *
 * It reads namelist.input in its directory, prints a line for each step, writes
 * sets of restart files with CM1's names, sizes and order, goes on from set
 * rstnum if irst is not 0, and knows no signal.  The field that it computes is
 * the same, bit for bit, on any number of ranks; a rank has whole rows of it.
 *
 *     CM1_LIKE_STEP_MS=N      a step takes so long at least
 *     CM1_LIKE_HOLD=FILE      while there is FILE with a number of a step in
 * it, none is made behind that one CM1_LIKE_TEAR=K:P:HOW   half of part P (x s
 * u v w) of set K is written, the first time, and then: die, or stall
 * CM1_LIKE_DEAF=1         irst is ignored
 *
 * How it reads the namelist has nothing in common with the adapter.
 */

#include <ctype.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct model {
	int nx, ny, nz, ppnode, timeformat, irst, rstnum;
	double timax, dtl, rstfrq;
	int nstep, nrst;
	int rank, ranks, first, rows; /* of ny */
	float *field, *next;          /* with a row more at either side */
	float *all;                   /* rank 0: without them */
};

static void fail(const char *what)
{
	fprintf(stderr, "cm1_like: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 9);
	abort();
}

/* ---- namelist ---- */

/* The number behind "key =" on a line of its own within the group. */
static double number(const char *group, const char *key)
{
	char line[512], word[64];
	double value = 0;
	int within = 0;
	FILE *f = fopen("namelist.input", "r");

	if (!f)
		fail("there is no namelist.input");
	while (fgets(line, sizeof(line), f)) {
		for (char *c = line; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		if (sscanf(line, " &%63[a-z0-9]", word) == 1)
			within = strcmp(word, group) == 0;
		if (within && sscanf(line, " %63[a-z_0-9] =", word) == 1 &&
		    strcmp(word, key) == 0 && strchr(line, '='))
			value = strtod(strchr(line, '=') + 1, NULL);
	}
	fclose(f);
	return value;
}

static void read_namelist(struct model *m)
{
	m->nx = (int)number("param0", "nx");
	m->ny = (int)number("param0", "ny");
	m->nz = (int)number("param0", "nz");
	m->ppnode = (int)number("param0", "ppnode");
	m->timeformat = (int)number("param0", "timeformat");
	m->dtl = number("param1", "dtl");
	m->timax = number("param1", "timax");
	m->rstfrq = number("param1", "rstfrq");
	m->irst = number("param2", "irst") != 0 && !getenv("CM1_LIKE_DEAF");
	m->rstnum = (int)number("param2", "rstnum");
	if (m->nx < 1 || m->ny < m->ranks || m->nz < 1 || m->dtl <= 0)
		fail("there is no grid for so many ranks");
	if (m->ranks > m->ppnode && m->ranks % m->ppnode != 0)
		fail("ppnode does not divide the number of ranks");
}

/* ---- the field ---- */

static size_t row(const struct model *m)
{
	return (size_t)m->nx * (size_t)m->nz;
}

static void share_out(struct model *m)
{
	m->first = m->ny * m->rank / m->ranks;
	m->rows = m->ny * (m->rank + 1) / m->ranks - m->first;
	m->field = calloc((size_t)m->rows + 2, row(m) * sizeof(float));
	m->next = calloc((size_t)m->rows + 2, row(m) * sizeof(float));
	m->all = calloc((size_t)m->ny, row(m) * sizeof(float));
	if (!m->field || !m->next || !m->all)
		fail("out of memory");
}

static void begin(struct model *m)
{
	for (size_t i = 0; i < row(m) * (size_t)m->rows; i++) {
		size_t at = row(m) * (size_t)m->first + i;

		m->field[row(m) + i] = (float)(at * 2654435761U % 1000003);
	}
}

static void exchange(struct model *m)
{
	int n = (int)row(m), up = (m->rank + 1) % m->ranks;
	int down = (m->rank + m->ranks - 1) % m->ranks;
	float *first = m->field + n,
	      *last = m->field + (size_t)m->rows * row(m);

	MPI_Sendrecv(last, n, MPI_FLOAT, up, 0, m->field, n, MPI_FLOAT, down, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(first, n, MPI_FLOAT, down, 1, last + n, n, MPI_FLOAT, up,
		     1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute(struct model *m)
{
	size_t n = row(m);
	float *swap = m->field;

	exchange(m);
	for (size_t i = n; i < n * ((size_t)m->rows + 1); i++)
		m->next[i] = 0.5F * m->field[i] + 0.3F * m->field[i - n] +
			     0.2F * m->field[i + n] + (float)(m->nstep % 7);
	m->field = m->next;
	m->next = swap;
}

/* ---- restart files ---- */

static size_t floats_of(const struct model *m, char part)
{
	size_t nx = (size_t)m->nx, ny = (size_t)m->ny, nz = (size_t)m->nz;

	switch (part) {
	case 'x':
		return 267 * (nz + 1);
	case 's':
		return nx * ny * (19 * nz + 17);
	case 'u':
		return (nx + 1) * ny * nz;
	case 'v':
		return nx * (ny + 1) * nz;
	default:
		return nx * ny * 2 * (nz + 1);
	}
}

static void name_part(char name[32], int set, char part)
{
	snprintf(name, 32, "cm1rst_%06d_%c.dat", set, part);
}

static void tear(int set, char part)
{
	const char *wish = getenv("CM1_LIKE_TEAR");
	char at, how[8];
	int k;

	if (!wish || sscanf(wish, "%d:%c:%7s", &k, &at, how) != 3 || k != set ||
	    at != part)
		return;
	if (strcmp(how, "die") == 0)
		fail("dead within a restart file");
	for (;;)
		pause();
}

static void put(int fd, const void *data, size_t size, size_t at)
{
	if (pwrite(fd, data, size, (off_t)at) != (ssize_t)size)
		fail("cannot write a restart file");
}

/* In place, as Fortran's direct access does. */
static void write_part(const struct model *m, char part)
{
	size_t n = floats_of(m, part), size = n * sizeof(float);
	float *data = calloc(n, sizeof(float));
	char name[32];
	int old, fd;

	name_part(name, m->nrst, part);
	printf("   fname=%s\n", name);
	old = access(name, F_OK) == 0;
	fd = open(name, O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || !data)
		fail("cannot write a restart file");
	for (size_t i = 0; i < n; i++)
		data[i] = m->all[i % (row(m) * (size_t)m->ny)];
	if (part == 'x')
		memcpy(data, &m->nstep, sizeof(m->nstep));
	put(fd, data, size / 2, 0);
	if (!old)
		tear(m->nrst, part);
	put(fd, (char *)data + size / 2, size - size / 2, size / 2);
	if (ftruncate(fd, (off_t)size) < 0 || close(fd) < 0)
		fail("cannot write a restart file");
	free(data);
}

static void save(struct model *m)
{
	int counts[64], places[64], n = (int)row(m);

	for (int r = 0; r < m->ranks && r < 64; r++) {
		places[r] = m->ny * r / m->ranks * n;
		counts[r] = m->ny * (r + 1) / m->ranks * n - places[r];
	}
	MPI_Gatherv(m->field + n, m->rows * n, MPI_FLOAT, m->all, counts,
		    places, MPI_FLOAT, 0, MPI_COMM_WORLD);
	m->nrst++;
	if (m->rank != 0)
		return;
	printf("\n   Writing to restart file!\n");
	for (const char *part = "xsuvw"; *part; part++)
		write_part(m, *part);
	printf("\n");
	fflush(stdout);
}

static void get(const struct model *m, char part, void *data, size_t size)
{
	char name[32];
	struct stat st;
	int fd;

	name_part(name, m->rstnum, part);
	fd = open(name, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0 ||
	    (size_t)st.st_size != floats_of(m, part) * sizeof(float) ||
	    read(fd, data, size) != (ssize_t)size)
		fail("cannot read a restart file");
	close(fd);
}

static void go_on(struct model *m)
{
	size_t size = row(m) * (size_t)m->ny * sizeof(float);

	if (m->rank == 0) {
		printf("\n This is a restart.\n rstnum = %d\n", m->rstnum);
		get(m, 'x', &m->nstep, sizeof(m->nstep));
		get(m, 's', m->all, size);
	}
	m->nrst = m->rstnum;
	MPI_Bcast(&m->nstep, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(m->all, (int)(size / sizeof(float)), MPI_FLOAT, 0,
		  MPI_COMM_WORLD);
	memcpy(m->field + row(m), m->all + row(m) * (size_t)m->first,
	       row(m) * (size_t)m->rows * sizeof(float));
}

/* ---- time ---- */

static void take_time(void)
{
	const char *text = getenv("CM1_LIKE_STEP_MS");
	long ms = text ? strtol(text, NULL, 10) : 0;
	struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

static int is_held(const struct model *m)
{
	const char *path = getenv("CM1_LIKE_HOLD");
	FILE *f = path ? fopen(path, "r") : NULL;
	int step = 0, held;

	if (!f)
		return 0;
	held = fscanf(f, "%d", &step) == 1 && m->nstep >= step;
	fclose(f);
	return held;
}

static void wait_to_go_on(const struct model *m)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	while (m->rank == 0 && is_held(m))
		nanosleep(&pause, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void print_time(const struct model *m)
{
	static const struct {
		float seconds;
		const char *name;
	} units[] = {{1, "sec"}, {60, "min"}, {3600, "hour"}, {86400, "day"}};
	int i = m->timeformat >= 1 && m->timeformat <= 4 ? m->timeformat - 1
							 : 0;

	if (m->rank != 0)
		return;
	printf(" %10d %14.6f %s\n", m->nstep,
	       (float)(m->nstep * m->dtl) / units[i].seconds, units[i].name);
	fflush(stdout);
}

/* Writes up to a tenth of a step before it is due. */
static int is_due(const struct model *m)
{
	return m->rstfrq > 0 &&
	       m->nstep * m->dtl >= (m->nrst + 1) * m->rstfrq - 0.1 * m->dtl;
}

/* A restart shows the time that it goes on from, too. */
static void run(struct model *m)
{
	print_time(m);
	while (m->nstep * m->dtl < m->timax - 1e-6) {
		wait_to_go_on(m);
		compute(m);
		take_time();
		m->nstep++;
		print_time(m);
		if (is_due(m))
			save(m);
	}
}

int main(int argc, char **argv)
{
	struct model m = {0};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
	read_namelist(&m);
	share_out(&m);
	if (m.irst)
		go_on(&m);
	else
		begin(&m);
	run(&m);
	if (m.rank == 0)
		printf("\n Program terminated normally\n");
	free(m.field);
	free(m.next);
	free(m.all);
	MPI_Finalize();
	return 0;
}
