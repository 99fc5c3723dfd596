/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/task_run.h"

#include "base/list.h"
#include "loop/spawn.h"
#include "supersteps/words.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GROUP "bellows-task-"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- begin ---- */

/* What MPI has put there would have an mpiexec of the task join this program's
 * ranks.  BELLOWS_EPOCH stays, by which an executor knows what it has to end.
 */
static bool is_of_mpi(const char *variable)
{
	static const char *const theirs[] = {"OMPI_", "PMIX_", "BELLOWS_GATE"};
	static const char allow[] = "OMPI_ALLOW_";

	for (size_t i = 0; i < LENGTH(theirs); i++)
		if (strncmp(variable, theirs[i], strlen(theirs[i])) == 0)
			return strncmp(variable, allow, strlen(allow)) != 0;
	return false;
}

static int make_environment(struct task_run *run, struct error *err)
{
	size_t n = 0;

	while (environ[n])
		n++;
	run->environment = calloc(n + 1, sizeof(*run->environment));
	if (!run->environment)
		return error_set(err, -ENOMEM, "out of memory");
	n = 0;
	for (char **at = environ; *at; at++)
		if (!is_of_mpi(*at))
			run->environment[n++] = *at;
	return 0;
}

void task_run_clear(const struct cgroup_base *base)
{
	unsigned n = cgroup_clear(base, GROUP);

	if (n > 0)
		fprintf(stderr,
			"supersteps: %u control groups of programs that have "
			"ended are removed\n",
			n);
}

int task_run_init(struct task_run *run, const struct cgroup_base *base,
		  struct error *err)
{
	char name[SUPERSTEPS_NAME_MAX + 128];
	int r = make_environment(run, err);

	if (r < 0 || !base)
		return r;
	snprintf(name, sizeof(name), GROUP "%d-%s", getpid(), run->of->name);
	r = cgroup_create(&run->group, base, name, err);
	run->has_group = r == 0;
	if (r < 0)
		cgroup_fini(&run->group);
	if (r == 0 && run->of->memory > 0)
		r = cgroup_set_memory(&run->group,
				      (uint64_t)(run->of->memory * 1048576),
				      err);
	return r;
}

int task_run_share(struct task_run *run, unsigned shares, struct error *err)
{
	double began = now();
	int r = 0;

	run->result = (struct task_result){.change = 0};
	if (!run->has_group || run->shares == shares)
		return 0;
	r = cgroup_set_processors(&run->group, shares / 1000.0, err);
	run->shares = shares;
	run->result.change = now() - began;
	return r;
}

/* ---- the process ---- */

/* What the group had before this step, to be taken off. */
static void read_usage(struct task_run *run, struct cgroup_usage *usage)
{
	struct error ignored;

	*usage = (struct cgroup_usage){.processor_us = 0};
	if (run->has_group)
		cgroup_read(&run->group, usage, &ignored);
}

static void on_child_end(void *user, pid_t pid, int status)
{
	struct task_run *run = user;
	struct task_result *result = &run->result;
	struct cgroup_usage usage;

	read_usage(run, &usage);
	result->seconds = now() - run->began;
	result->processor_us = usage.processor_us - result->processor_us;
	result->throttled_us = usage.throttled_us - result->throttled_us;
	result->memory_peak = usage.memory_peak;
	result->status = status;
	run->pid = 0;
	run->on_end(run->user);
}

static int start(struct task_run *run, unsigned step, double workload,
		 struct error *err)
{
	CLEANUP(free) char **words = NULL;
	int r = supersteps_words(&words, run->of->command, step, workload, err);
	struct spawn what = {
		.in = -1,
		.out = run->out,
		.err = -1,
		.new_session = true,
		.on_parent_death = SIGKILL,
		.joins = run->group.joins,
		.n_joins = run->has_group ? run->group.n_joins : 0,
	};
	struct cgroup_usage usage;

	if (r < 0)
		return r;
	what.argv = (const char *const *)words;
	what.envp = run->environment;
	read_usage(run, &usage);
	run->result.processor_us = usage.processor_us;
	run->result.throttled_us = usage.throttled_us;
	run->began = now();
	r = spawn(&what, &run->pid, err);
	if (r == 0)
		r = loop_child_add(run->loop, run->pid, on_child_end, run, err);
	return r;
}

void task_run_start(struct task_run *run, unsigned step, double workload)
{
	struct error err;

	if (start(run, step, workload, &err) == 0)
		return;
	snprintf(run->result.error, sizeof(run->result.error), "%.*s",
		 (int)sizeof(run->result.error) - 1, err.text);
	run->result.status = 127 << 8;
	run->on_end(run->user);
}

void task_run_fini(struct task_run *run)
{
	struct error ignored;

	if (run->pid > 0) {
		loop_child_remove(run->loop, run->pid);
		kill(-run->pid, SIGKILL);
		run->pid = 0;
	}
	free(run->environment);
	run->environment = NULL;
	if (!run->has_group)
		return;
	cgroup_kill(&run->group, &ignored);
	cgroup_remove(&run->group, &ignored);
	run->has_group = false;
}
