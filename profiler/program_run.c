/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler/program_run.h"

#include "base/cleanup.h"
#include "base/list.h"
#include "base/scratch.h"
#include "base/shm.h"
#include "loop/loop.h"
#include "loop/spawn.h"
#include "profiler/counters.h"
#include "profiler/triad.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
	PAUSE_LEAST = 10, /* ms between two looks, */
	PAUSE_TIMES = 2,  /* and so many times what a look stops the program */
	KILLS_MAX = 1000, /* a millisecond apart */
	ENV_MAX = 6,
	WORDS_MAX = 32,
};
#define COUNTED_LEAST 0.1        /* of what the triad says that it moves */
#define PATIENCE      SECONDS(3) /* for mpiexec to end what it has started */

struct run {
	const struct program_config *config;
	struct program_run *out;
	struct loop *loop;
	struct scratch dir;
	struct shm shm;
	struct counters counters;
	struct touched touched;
	struct loop_timer look, limit, patience;
	struct triad triad;
	pid_t pid; /* of mpiexec, which leads the session; 0: has ended */
	bool uses_mpi, is_cancelled;
	double before[COUNTERS_OF_HARDWARE];
};

static void run_fini_at(struct run *run)
{
	counters_close(&run->counters);
	shm_end(&run->shm);
	scratch_remove(&run->dir, NULL);
	loop_destroy(run->loop);
}

static uint64_t now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

/* ---- what the machine can do ---- */

/* Bytes a processor second between two reads. */
static double counted(const double *from, const double *to)
{
	double seconds = 1e-9 * (to[COUNTER_PROCESSOR_TIME] -
				 from[COUNTER_PROCESSOR_TIME]);

	return seconds > 0 ? CACHE_LINE *
				     (to[COUNTER_CACHE_MISSES] -
				      from[COUNTER_CACHE_MISSES]) /
				     seconds
			   : 0;
}

static int read_counters(struct run *run, double *values)
{
	int r = counters_read(&run->counters, values, &run->out->no_counters);

	if (r < 0)
		run->out->has_counters = false;
	return r;
}

/* Some virtual machines have a counter that does not count. */
static void check_counters(struct run *run, const double *from)
{
	struct program_run *out = run->out;

	if (read_counters(run, run->before) < 0)
		return;
	out->triad_counted = counted(from, run->before);
	if (out->triad_counted >= COUNTED_LEAST * run->triad.bytes_per_s)
		return;
	out->has_counters = false;
	error_describe(&out->no_counters,
		       "the counter of cache misses saw %.2f GB/s of the %.2f "
		       "GB/s that the triad moves",
		       1e-9 * out->triad_counted,
		       1e-9 * run->triad.bytes_per_s);
}

/* Looks take time of a processor, and so there are none beside counters. */
static int measure_machine(struct run *run, struct error *err)
{
	struct program_run *out = run->out;
	unsigned processes = run->config->ranks < run->config->cores
				     ? run->config->ranks
				     : run->config->cores;
	double from[COUNTERS_OF_HARDWARE] = {0};
	int r = 0;

	out->has_counters =
		counters_open(&run->counters, counters_of_hardware,
			      COUNTERS_OF_HARDWARE, &out->no_counters) == 0 &&
		read_counters(run, from) == 0;
	if (out->has_counters)
		r = triad_measure(&run->triad, processes, false, err);
	if (r == 0 && out->has_counters)
		check_counters(run, from);
	if (out->has_counters)
		error_describe(&out->no_touched,
			       "not needed beside hardware counters");
	else if (r == 0 && touched_check(&out->no_touched) < 0)
		r = triad_measure(&run->triad, processes, false, err);
	else if (r == 0)
		r = triad_measure(&run->triad, processes, true, err);
	out->triad = run->triad.bytes_per_s;
	out->triad_touched = run->triad.touched;
	out->triad_touched_error = run->triad.touched_error;
	return r;
}

/* ---- looks ---- */

/* What comes before MPI_Init is not the program's work, nor what comes after
 * MPI_Finalize. */
static bool is_at_work(struct run *run)
{
	struct mpi_records now;

	mpi_records_read(&now, run->dir.path, run->config->ranks, now_ns());
	if (now.ranks > 0 && !run->uses_mpi) {
		run->uses_mpi = true;
		run->touched = (struct touched){.looks = 0};
	}
	return now.finished == 0;
}

static void on_look(void *user)
{
	struct run *run = user;
	pid_t pids[TOUCHED_PROCESSES_MAX];
	msec_t pause;
	size_t n;

	if (!is_at_work(run))
		return;
	n = session_find(run->pid, pids, TOUCHED_PROCESSES_MAX);
	pause = PAUSE_TIMES *
		touched_look(&run->touched, pids, n, run->triad.warm_us,
			     run->triad.warm_us / 2) /
		1000;
	loop_timer_set(run->loop, &run->look,
		       pause > PAUSE_LEAST ? pause : PAUSE_LEAST, on_look, run);
}

/* ---- the end ---- */

/* The rest of the session follows when mpiexec has ended. */
static void on_no_patience(void *user)
{
	const struct run *run = user;

	kill(run->pid, SIGKILL);
}

/* mpiexec ends its ranks. */
static void end_program(struct run *run)
{
	loop_timer_clear(&run->look);
	if (run->pid <= 0 || loop_timer_is_set(&run->patience))
		return;
	kill(run->pid, SIGTERM);
	loop_timer_set(run->loop, &run->patience, PATIENCE, on_no_patience,
		       run);
}

/* The records are read before the ranks end, for these may wait for each other
 * then. */
static void on_limit(void *user)
{
	struct run *run = user;

	run->out->is_cut = true;
	mpi_records_read(&run->out->mpi, run->dir.path, run->config->ranks,
			 now_ns());
	end_program(run);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct run *run = user;

	run->is_cancelled = true;
	end_program(run);
}

static size_t kill_session(pid_t session)
{
	pid_t pids[TOUCHED_PROCESSES_MAX];
	size_t n = session_find(session, pids, TOUCHED_PROCESSES_MAX);

	for (size_t i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	return n;
}

static void on_end(void *user, pid_t pid, int status)
{
	struct run *run = user;

	run->pid = 0;
	loop_timer_clear(&run->look);
	/* again, for a process may just be making another one */
	for (int i = 0; i < KILLS_MAX && kill_session(pid) > 0; i++)
		nanosleep(&(const struct timespec){.tv_nsec = 1000000}, NULL);
	run->out->status = status;
	loop_stop(run->loop, 0);
}

/* ---- the start ---- */

static char **make_environment(const struct run *run)
{
	char tmpdir[PATH_MAX + 16], records[PATH_MAX + 32];
	const char *entries[ENV_MAX] = {tmpdir, records,
					"OMPI_ALLOW_RUN_AS_ROOT=1",
					"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
	size_t n = 4;

	snprintf(tmpdir, sizeof(tmpdir), "TMPDIR=%s", run->dir.path);
	snprintf(records, sizeof(records), MPI_TIME_DIRECTORY "=%s",
		 run->dir.path);
	if (*run->shm.word)
		entries[n++] = run->shm.word;
	return spawn_environment(NULL, entries, n);
}

static char **make_words(const struct program_config *config, char *number,
			 const char *preload)
{
	const char *const words[] = {
		"mpiexec",
		"-np",
		number,
		"--oversubscribe",
		"--bind-to",
		"none",
		"--mca",
		"plm",
		"isolated",
		"--mca",
		"odls_base_sigkill_timeout",
		"0",
		"--mca",
		"pml",
		"ob1",
		"--mca",
		"btl",
		"self,vader",
		"--mca",
		"osc",
		"^ucx",
		"--mca",
		"mtl",
		"^ofi",
		"-x",
		preload,
	};
	static const char *const yielding[] = {"--mca", "mpi_yield_when_idle",
					       "1"};
	size_t n = 0, more = 0;
	const char **all;

	while (config->command[more])
		more++;
	all = calloc(WORDS_MAX + more + 1, sizeof(*all));
	if (!all)
		return NULL;
	for (; n < LENGTH(words); n++)
		all[n] = words[n];
	for (size_t i = 0;
	     config->ranks > config->cores && i < LENGTH(yielding); i++)
		all[n++] = yielding[i];
	memcpy(all + n, config->command, more * sizeof(*all));
	return (char **)all;
}

static int start(struct run *run, struct error *err)
{
	const char *others = getenv("LD_PRELOAD");
	char number[16], preload[2 * PATH_MAX];
	CLEANUP(free) char **env = make_environment(run);
	CLEANUP(free) char **words = NULL;
	struct spawn child = {.in = -1,
			      .out = STDERR_FILENO,
			      .err = -1,
			      .new_session = true,
			      .on_parent_death = SIGKILL};
	int r;

	snprintf(number, sizeof(number), "%u", run->config->ranks);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s%s%s",
		 run->config->library, others ? ":" : "", others ? others : "");
	words = make_words(run->config, number, preload);
	if (!env || !words)
		return error_set(err, -ENOMEM, "out of memory");
	child.argv = (const char *const *)words;
	child.envp = (const char *const *)env;
	r = spawn(&child, &run->pid, err);
	if (r < 0)
		return r;
	return loop_child_add(run->loop, run->pid, on_end, run, err);
}

static int prepare(struct run *run, struct error *err)
{
	const char *tmp = getenv("TMPDIR");
	int r = loop_create(&run->loop, err);

	if (r == 0)
		r = loop_signal_add(run->loop, SIGINT, on_signal, run, err);
	if (r == 0)
		r = loop_signal_add(run->loop, SIGTERM, on_signal, run, err);
	if (r == 0)
		r = loop_signal_add(run->loop, SIGHUP, on_signal, run, err);
	if (r == 0)
		r = scratch_make(&run->dir, tmp ? tmp : "/tmp",
				 "bellows-profile-", err);
	if (r == 0)
		shm_begin(&run->shm, run->config->ranks, run->dir.path, NULL);
	return r;
}

/* ---- the whole ---- */

static void conclude_looks(struct run *run)
{
	struct program_run *out = run->out;

	if (out->triad_touched <= 0) {
		error_describe(&out->no_touched,
			       "the triad could not be looked at, because the "
			       "machine is too busy");
		return;
	}
	out->has_touched =
		touched_rate(&run->touched, &out->touched, &out->touched_error);
	if (!out->has_touched)
		error_describe(&out->no_touched,
			       "only %u looks could be used; the program "
			       "computed for too short a time, or the machine "
			       "is too busy",
			       out->looks);
}

static void conclude(struct run *run)
{
	struct program_run *out = run->out;
	double after[COUNTERS_OF_HARDWARE];

	if (!out->is_cut)
		mpi_records_read(&out->mpi, run->dir.path, run->config->ranks,
				 now_ns());
	out->looks = run->touched.looks;
	if (!*out->no_touched.text)
		conclude_looks(run);
	if (!out->has_counters || read_counters(run, after) < 0)
		return;
	out->counted = counted(run->before, after);
	out->instructions_per_cycle =
		(after[COUNTER_INSTRUCTIONS] -
		 run->before[COUNTER_INSTRUCTIONS]) /
		(after[COUNTER_CYCLES] - run->before[COUNTER_CYCLES]);
}

int program_run(struct program_run *out, const struct program_config *config,
		struct error *err)
{
	CLEANUP(run_fini)
	struct run run = {.config = config,
			  .out = out,
			  .dir = SCRATCH_NONE,
			  .shm = SHM_NONE,
			  .counters = COUNTERS_NONE};
	msec_t began;
	int r;

	*out = (struct program_run){.status = 0};
	/* for this process and for all that it starts */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	r = measure_machine(&run, err);
	if (r == 0)
		r = prepare(&run, err);
	if (r == 0)
		r = start(&run, err);
	if (r < 0)
		return r;
	began = loop_now();
	if (!*out->no_touched.text)
		loop_timer_set(run.loop, &run.look, PAUSE_LEAST, on_look, &run);
	loop_timer_set(run.loop, &run.limit, config->limit, on_limit, &run);
	r = loop_run(run.loop);
	if (r < 0)
		return error_set(err, r, "waiting failed");
	out->seconds = 1e-3 * (double)(loop_now() - began);
	if (run.is_cancelled)
		return error_set(err, -ECANCELED, "interrupted");
	conclude(&run);
	return 0;
}
