/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler/triad.h"

#include "base/cleanup.h"
#include "base/time.h"
#include "profiler/touched.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum {
	CACHE_USUAL = 32 << 20,
	CHUNK = 1 << 16, /* elements */
	WARM_LEAST_US = 1000,
	WARM_MOST_US = 50000,
	LOOKS_MOST = 60,
	LOOKS_ENOUGH = 10,
};
#define MEASURE  MSEC(500)   /* by the clock */
#define PATIENCE SECONDS(60) /* for all arrays to be made */

/* Shared with a process, which writes. */
struct triad_told {
	_Atomic double bytes, seconds; /* of its processor */
};

struct triad_run {
	unsigned n;
	pid_t pids[TOUCHED_PROCESSES_MAX];
	struct triad_told *told; /* of each */
};

static double processor_seconds(void)
{
	struct timespec at;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void wait_ms(msec_t ms)
{
	const struct timespec time = {.tv_sec = ms / 1000,
				      .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

/* Bytes of the last level; a usual size if the kernel does not say. */
static size_t cache_size(void)
{
	static const char path[] =
		"/sys/devices/system/cpu/cpu0/cache/index%d/size";
	size_t size = 0;

	for (int i = 0; i < 8; i++) {
		char name[sizeof(path) + 8];
		CLEANUP(fclose) FILE *f = NULL;
		unsigned long kib;

		snprintf(name, sizeof(name), path, i);
		f = fopen(name, "re");
		if (f && fscanf(f, "%luK", &kib) == 1 && kib << 10 > size)
			size = kib << 10;
	}
	return size > 0 ? size : CACHE_USUAL;
}

/* ---- the processes ---- */

static void run_chunk(double *restrict a, size_t n)
{
	const double *restrict b = a + n, *restrict c = b + n;

	for (size_t i = 0; i < CHUNK; i++)
		a[i] = b[i] + 3 * c[i];
}

/* Until it is killed. */
static void compute(struct triad_told *told)
{
	size_t n = 2 * cache_size() / sizeof(double) / CHUNK * CHUNK, from = 0;
	double *a = malloc(3 * n * sizeof(double)), bytes = 0;

	for (size_t i = 0; a && i < 3 * n; i++)
		a[i] = (double)i;
	while (a) {
		run_chunk(a + from, n);
		from = (from + CHUNK) % n;
		bytes += 3 * sizeof(double) * CHUNK;
		atomic_store(&told->bytes, bytes);
		atomic_store(&told->seconds, processor_seconds());
	}
}

static int start(struct triad_run *run, struct error *err)
{
	pid_t parent = getpid(), made = fork();

	if (made < 0)
		return error_errno(err, "cannot measure the memory");
	if (made == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
		    getppid() == parent)
			compute(&run->told[run->n]);
		_exit(1);
	}
	run->pids[run->n++] = made;
	return 0;
}

static void end(struct triad_run *run)
{
	while (run->n > 0) {
		pid_t pid = run->pids[--run->n];

		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* ---- measuring ---- */

static bool all_compute(const struct triad_run *run)
{
	for (unsigned i = 0; i < run->n; i++)
		if (atomic_load(&run->told[i].seconds) <= 0)
			return false;
	return true;
}

static int wait_for_arrays(const struct triad_run *run, struct error *err)
{
	for (msec_t ms = 0; ms < PATIENCE && !all_compute(run); ms += 5)
		wait_ms(5);
	return all_compute(run)
		       ? 0
		       : error_set(err, -ENOMEM,
				   "cannot measure the memory: %u processes "
				   "did not get %zu MB each",
				   run->n, 6 * cache_size() >> 20);
}

static void add_up(const struct triad_run *run, double *bytes, double *seconds)
{
	*bytes = *seconds = 0;
	for (unsigned i = 0; i < run->n; i++) {
		*bytes += atomic_load(&run->told[i].bytes);
		*seconds += atomic_load(&run->told[i].seconds);
	}
}

static void look(struct triad *out, const struct triad_run *run)
{
	static struct touched touched;

	touched = (struct touched){.looks = 0};
	for (int i = 0; i < LOOKS_MOST && touched.looks < LOOKS_ENOUGH; i++) {
		touched_look(&touched, run->pids, run->n, out->warm_us,
			     out->warm_us / 2);
		wait_ms(10);
	}
	if (!touched_rate(&touched, &out->touched, &out->touched_error))
		out->touched = 0;
}

static int measure(struct triad *out, const struct triad_run *run,
		   struct error *err)
{
	double bytes[2], seconds[2];
	int r = wait_for_arrays(run, err);

	if (r < 0)
		return r;
	add_up(run, &bytes[0], &seconds[0]);
	wait_ms(MEASURE);
	add_up(run, &bytes[1], &seconds[1]);
	out->bytes_per_s = (bytes[1] - bytes[0]) / (seconds[1] - seconds[0]);
	/* twice what fills the last-level cache anew */
	out->warm_us = (long)(2e6 * (double)cache_size() / out->bytes_per_s);
	if (out->warm_us < WARM_LEAST_US)
		out->warm_us = WARM_LEAST_US;
	if (out->warm_us > WARM_MOST_US)
		out->warm_us = WARM_MOST_US;
	return 0;
}

int triad_measure(struct triad *out, unsigned processes, bool looks,
		  struct error *err)
{
	size_t size = processes * sizeof(struct triad_told);
	struct triad_run run = {.n = 0};
	int r = 0;

	*out = (struct triad){.touched = 0};
	run.told = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run.told == MAP_FAILED)
		return error_errno(err, "cannot measure the memory");
	while (run.n < processes && r == 0)
		r = start(&run, err);
	if (r == 0)
		r = measure(out, &run, err);
	if (r == 0 && looks)
		look(out, &run);
	end(&run);
	munmap(run.told, size);
	return r;
}
