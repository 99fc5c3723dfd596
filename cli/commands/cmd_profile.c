/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "cli/commands/args.h"
#include "cli/commands/profile_program.h"
#include "cli/views/meter.h"
#include "cli/views/output.h"
#include "cli/views/profile_table.h"
#include "jobfile/exit.h"
#include "supersteps/measuring.h"
#include "supersteps/task_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEAT = 3 };

struct profiling {
	const struct args *args;
	struct loop *loop;
	struct supersteps *of;
	char path[PATH_MAX]; /* of the profile */
	struct measuring measuring;
	struct task_run *runs; /* of each task */
	int out;               /* of the tasks */
	struct meter meter;
	bool is_running; /* the task that is measured now */
	bool is_stopped; /* by a signal */
};

static void profiling_fini_at(struct profiling *profiling)
{
	for (unsigned i = 0; profiling->runs && i < profiling->of->rules.tasks;
	     i++)
		task_run_fini(&profiling->runs[i]);
	free(profiling->runs);
	measuring_fini(&profiling->measuring);
	supersteps_destroy(profiling->of);
	loop_destroy(profiling->loop);
	if (profiling->out >= 0)
		close(profiling->out);
}

/* ---- the command line ---- */

/* "1,2,4" */
static int read_axis(const char *what, const char *text, double *axis,
		     unsigned *n, struct error *err)
{
	const char *whole = text;
	char *end;

	for (*n = 0; text && *n < SHARE_AXIS_MAX; text = end + 1) {
		axis[(*n)++] = strtod(text, &end);
		if (end == text || (*end && *end != ','))
			break;
		if (!*end)
			return 0;
	}
	if (!text)
		return 0;
	return error_set(err, -EINVAL,
			 "--%s: '%.60s' is no list of at most %d numbers, as "
			 "100,200,400",
			 what, whole, SHARE_AXIS_MAX);
}

static int read_wish(struct measuring_wish *wish, const struct args *args,
		     struct error *err)
{
	struct measuring_axes *axes = &wish->axes;
	int r;

	*wish = (struct measuring_wish){
		.repeat = args->repeat ? args->repeat : REPEAT,
		.processors = (double)sysconf(_SC_NPROCESSORS_ONLN),
	};
	r = read_axis("workloads", args->workloads, axes->workloads,
		      &axes->n_workloads, err);
	return r < 0 ? r
		     : read_axis("shares", args->shares, axes->shares,
				 &axes->n_shares, err);
}

static int check_commands(const struct profiling *profiling, struct error *err)
{
	for (unsigned i = 0; i < profiling->of->rules.tasks; i++)
		if (!profiling->of->tasks[i].command)
			return error_set(err, -EINVAL,
					 "%s: the task %s has no 'command' "
					 "that could be measured",
					 profiling->args->words.at[0],
					 profiling->of->tasks[i].name);
	return 0;
}

/* ---- measuring ---- */

static void on_task_end(void *user)
{
	struct profiling *profiling = user;

	profiling->is_running = false;
	loop_stop(profiling->loop, 0);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct profiling *profiling = user;

	profiling->is_stopped = true;
	loop_stop(profiling->loop, 0);
}

static int begin_runs(struct profiling *profiling, struct error *err)
{
	CLEANUP(free) struct cgroup_base *base = calloc(1, sizeof(*base));
	unsigned tasks = profiling->of->rules.tasks;
	int r;

	profiling->runs = calloc(tasks, sizeof(*profiling->runs));
	if (!base || !profiling->runs)
		return error_set(err, -ENOMEM, "out of memory");
	r = cgroup_base_find(base, profiling->args->group, "", err);
	if (r == 0)
		task_run_clear(base);
	for (unsigned i = 0; i < tasks && r == 0; i++) {
		profiling->runs[i] = (struct task_run){
			.of = &profiling->of->tasks[i],
			.number = i,
			.loop = profiling->loop,
			.out = profiling->out,
			.on_end = on_task_end,
			.user = profiling,
		};
		r = task_run_init(&profiling->runs[i], base, err);
	}
	return r;
}

static int begin(struct profiling *profiling, struct error *err)
{
	struct loop *loop;
	int r = loop_create(&profiling->loop, err);

	if (r < 0)
		return r;
	loop = profiling->loop;
	r = loop_signal_add(loop, SIGINT, on_signal, profiling, err);
	if (r == 0)
		r = loop_signal_add(loop, SIGTERM, on_signal, profiling, err);
	if (r < 0)
		return r;
	profiling->out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (profiling->out < 0)
		return error_errno(err, "cannot open /dev/null");
	return begin_runs(profiling, err);
}

static int check_result(const struct task_run *run,
			const struct measured_cell *cell, struct error *err)
{
	const struct task_result *result = &run->result;
	char how[64];

	if (*result->error)
		return error_set(err, -ECHILD, "%s: %s", run->of->name,
				 result->error);
	if (WIFSIGNALED(result->status))
		snprintf(how, sizeof(how), "was killed by signal %d",
			 WTERMSIG(result->status));
	else
		snprintf(how, sizeof(how), "ended with status %d",
			 WEXITSTATUS(result->status));
	return result->status == 0
		       ? 0
		       : error_set(err, -ECHILD,
				   "%s %s, with a workload of %g and %g shares",
				   run->of->name, how, cell->workload,
				   cell->shares);
}

static int measure(struct profiling *profiling, struct measured_cell *cell,
		   struct error *err)
{
	struct task_run *run = &profiling->runs[cell->task];
	const struct task_result *result = &run->result;
	int r = task_run_share(run, (unsigned)cell->shares, err);

	if (r < 0)
		return r;
	profiling->is_running = true;
	task_run_start(run, 0, cell->workload);
	/* what could not be started has ended already */
	r = profiling->is_running ? loop_run(profiling->loop) : 0;
	if (r < 0)
		return error_set(err, r, "waiting failed");
	if (profiling->is_stopped)
		return error_set(err, -ECANCELED, "interrupted");
	r = check_result(run, cell, err);
	if (r < 0)
		return r;
	meter_add(&profiling->meter);
	return measuring_add(&profiling->measuring, cell, result->seconds,
			     (double)result->processor_us / 1e6,
			     (double)result->throttled_us / 1e6, err);
}

static int measure_all(struct profiling *profiling, struct error *err)
{
	struct measured_cell *cell;
	int r = 0;

	meter_begin(&profiling->meter, "measuring",
		    measuring_left(&profiling->measuring),
		    !profiling->args->no_progress && !profiling->args->json,
		    profiling->args->term);
	while (r == 0 && (cell = measuring_next(&profiling->measuring)))
		r = measure(profiling, cell, err);
	meter_hide(&profiling->meter);
	return r;
}

/* ---- the whole ---- */

static int fail(const struct profiling *profiling, const struct output *output,
		int r, const struct error *err)
{
	size_t left = measuring_left(&profiling->measuring);

	if (r == -ECANCELED || r == -ECHILD)
		return output_fail(
			output, r == -ECANCELED ? EXIT_CANCELLED : EXIT_SYSTEM,
			"%s; %zu measurements are left, and the same command "
			"goes on with them",
			err->text, left);
	return output_fail(output, EXIT_SYSTEM, "%s", err->text);
}

int cmd_profile(const struct args *args, const struct output *output)
{
	CLEANUP(profiling_fini)
	struct profiling profiling = {
		.args = args, .out = -1, .measuring = {.file = -1}};
	struct measuring_wish wish;
	struct error err;
	int r;

	if (args->has_command)
		return profile_program(args, output);
	if (args->ranks || args->limit)
		return output_fail(output, EXIT_USAGE,
				   "--%s goes with -- COMMAND",
				   args->ranks ? "ranks" : "limit");
	r = read_wish(&wish, args, &err);
	if (r < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	r = supersteps_read_unmeasured(&profiling.of, args->words.at[0],
				       profiling.path, &err);
	if (r == 0)
		r = check_commands(&profiling, &err);
	if (r == 0)
		r = measuring_begin(&profiling.measuring, profiling.of, &wish,
				    profiling.path, &err);
	if (r < 0)
		return output_fail(output,
				   r == -EINVAL ? EXIT_JOBFILE : EXIT_SYSTEM,
				   "%s", err.text);
	r = begin(&profiling, &err);
	if (r == 0)
		r = measure_all(&profiling, &err);
	if (r < 0)
		return fail(&profiling, output, r, &err);
	(args->json ? profile_print_json
		    : profile_print_text)(stdout, &profiling.measuring);
	return EXIT_DONE;
}
