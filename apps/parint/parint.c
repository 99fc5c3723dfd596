/* SPDX-License-Identifier: Apache-2.0 */

/*
 * parint: a program whose cost is known, to measure rescaling with
 *
 * After the benchmark of the Kub paper (section III-C): `iterations` times over
 * an array of `array_size` doubles, `nloop` arithmetic operations on each.  The
 * ranks share the elements and exchange one word an iteration: whether anyone
 * was told by SIGUSR1 to save.  That word makes them all stop after the same
 * iteration, whenever the signals arrive.
 */

#include "apps/parint/array_file.h"
#include "apps/parint/options.h"
#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <time.h>

struct run {
	struct options options;
	int rank, ranks;
	struct checkpoint_header facts; /* iteration: done so far */
	struct slice slice;
	uint64_t shown;    /* iteration of the last progress line */
	double shown_when; /* 0: none was printed */
};

static volatile sig_atomic_t told_to_save;

static void on_save(int signo)
{
	told_to_save = 1;
}

static void catch_signals(void)
{
	const struct sigaction save = {.sa_handler = on_save,
				       .sa_flags = SA_RESTART};

	sigaction(SIGUSR1, &save, NULL);
	/* A file that may not grow is an error of write(), as a full disk is.
	 */
	signal(SIGXFSZ, SIG_IGN);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void show(struct run *run)
{
	struct timespec t;

	if (run->rank > 0)
		return;
	printf("parint: iteration %" PRIu64 " of %" PRIu64,
	       run->facts.iteration, run->facts.iterations);
	if (run->options.steps) {
		clock_gettime(CLOCK_REALTIME, &t);
		printf(" at %lld.%06ld", (long long)t.tv_sec, t.tv_nsec / 1000);
	}
	printf("\n");
	run->shown = run->facts.iteration;
	run->shown_when = now();
}

/* The first one, then at most ten a second; --steps: every one. */
static void show_progress(struct run *run)
{
	if (run->rank == 0 &&
	    (run->options.steps || now() - run->shown_when >= 0.1))
		show(run);
}

static void show_last(struct run *run)
{
	if (run->shown_when > 0 && run->shown != run->facts.iteration)
		show(run);
}

static bool all_told_to_save(void)
{
	int mine = told_to_save, any;

	if (mine)
		told_to_save = 0;
	MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return any;
}

/* True if the checkpoint is written. */
static bool save(struct run *run)
{
	const char *path = run->options.checkpoint;
	double began = now();
	struct error err;

	show_last(run);
	if (!path) {
		if (run->rank == 0)
			printf("parint: cannot write checkpoint: there is no "
			       "--checkpoint; computing on\n");
		return false;
	}
	if (array_file_save(path, run->facts, &run->slice, &err) < 0) {
		if (run->rank == 0)
			printf("parint: %s; computing on\n", err.text);
		return false;
	}
	if (run->rank == 0)
		printf("parint: checkpoint at iteration %" PRIu64 ", %" PRIu64
		       " bytes, wrote in %.3f s\n",
		       run->facts.iteration,
		       checkpoint_bytes(run->facts.array_size), now() - began);
	return true;
}

/* True if all iterations are done, false if the rest is left to the next. */
static bool compute(struct run *run)
{
	while (run->facts.iteration < run->facts.iterations) {
		if (all_told_to_save() && save(run))
			return false;
		slice_compute(&run->slice, run->facts.nloop);
		run->facts.iteration++;
		show_progress(run);
	}
	show_last(run);
	return true;
}

/* Says on one rank why all are leaving; returns the exit status. */
static int leave_with(const struct run *run, int status, const char *reason)
{
	if (run->rank == 0)
		fprintf(stderr, "parint: %s\n", reason);
	return status;
}

/* The array as it begins or as the checkpoint has it; EX_OK if it is there. */
static int load_or_init(struct run *run)
{
	const char *path = run->options.checkpoint;
	double from = now();
	struct error err;
	int r;

	r = path ? array_file_load(path, &run->facts, &run->slice, &err) : 1;
	if (r < 0)
		return leave_with(run, r == -EBADMSG ? EX_DATAERR : EX_IOERR,
				  err.text);
	if (r == 1)
		slice_fill(&run->slice);
	else if (run->rank == 0)
		printf("parint: read %" PRIu64 " bytes in %.3f s\n"
		       "parint: resumed at iteration %" PRIu64 " of %" PRIu64
		       "\n",
		       checkpoint_bytes(run->facts.array_size), now() - from,
		       run->facts.iteration, run->facts.iterations);
	return EX_OK;
}

static int find_folder(const struct run *run)
{
	CLEANUP(free) char *path = NULL;
	struct error err;
	struct stat st;
	int found = 1;

	if (run->rank == 0 && run->options.checkpoint) {
		const char *folder;

		path = strdup(run->options.checkpoint);
		folder = path ? dirname(path) : "";
		found = stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
		if (!found)
			error_set(&err, -ENOENT,
				  "the folder '%.200s' for the checkpoint "
				  "does not exist",
				  folder);
	}
	MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return found ? EX_OK : leave_with(run, EX_CANTCREAT, err.text);
}

/* In huge pages if there are any: a checkpoint is read into fresh memory, and
 * page faults would take longer than the copying. */
static double *allocate(uint64_t n)
{
	const size_t huge = 2 << 20;
	size_t size = ((n + 1) * sizeof(double) + huge - 1) / huge * huge;
	double *x = aligned_alloc(huge, size);

	if (x)
		madvise(x, size, MADV_HUGEPAGE);
	return x;
}

static int find_memory(struct run *run)
{
	int mine, all;

	run->slice = slice_of(run->facts.array_size, (unsigned)run->rank,
			      (unsigned)run->ranks);
	run->slice.x = allocate(run->slice.n);
	mine = run->slice.x != NULL;
	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return all ? EX_OK : leave_with(run, EX_OSERR, "out of memory");
}

static int work(struct run *run)
{
	uint64_t digest;
	int status;

	run->facts.array_size = run->options.array_size;
	run->facts.iterations = run->options.iterations;
	run->facts.nloop = run->options.nloop;
	status = find_folder(run);
	if (status == EX_OK)
		status = find_memory(run);
	if (status == EX_OK)
		status = load_or_init(run);
	if (status != EX_OK || !compute(run))
		return status;
	digest = array_file_digest(
		digest_elements(run->slice.x, run->slice.first, run->slice.n));
	if (run->rank == 0)
		printf("parint: digest %016" PRIx64 "\n", digest);
	return EX_OK;
}

int main(int argc, char **argv)
{
	struct run run = {0};
	struct error err;
	double from;
	int r;

	catch_signals();
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	r = options_parse(&run.options, argc, argv, &err);
	if (r == 0 && (run.options.help || run.options.version)) {
		fputs(run.options.help ? options_help : "parint " VERSION "\n",
		      stdout);
		return EX_OK;
	}
	from = now();
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
	if (run.options.steps && run.rank == 0)
		printf("parint: MPI_Init took %.3f s\n", now() - from);
	r = r < 0 ? leave_with(&run, EX_USAGE, err.text) : work(&run);
	MPI_Finalize();
	free(run.slice.x);
	return r;
}
