/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/supersteps/run/report.h"

#include "base/array.h"
#include "base/doubles.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

static const char head[] =
	"step,task,shares,workload,seconds,model_seconds,processor_s,"
	"throttled_s,memory_mib,change_s\n";

int report_begin(struct report *report, const struct supersteps *supersteps,
		 const char *log, struct error *err)
{
	*report = (struct report){.of = supersteps};
	report->errors = calloc(2 * supersteps->rules.tasks, sizeof(double));
	if (!report->errors)
		return error_set(err, -ENOMEM, "out of memory");
	report->model = report->errors + supersteps->rules.tasks;
	if (!log)
		return 0;
	report->log = fopen(log, "ae");
	if (!report->log)
		return error_errno(err, "cannot write %s", log);
	setvbuf(report->log, NULL, _IOLBF, BUFSIZ);
	fseek(report->log, 0, SEEK_END);
	if (ftell(report->log) == 0)
		fputs(head, report->log);
	return 0;
}

/* ---- failures ---- */

static void tell_failure(const struct supersteps_task *task,
			 const struct task_result *result, unsigned step)
{
	if (*result->error)
		fprintf(stderr, "supersteps: step %u: task %s: %s\n", step,
			task->name, result->error);
	else if (WIFSIGNALED(result->status))
		fprintf(stderr,
			"supersteps: step %u: task %s was killed by signal "
			"%d%s\n",
			step, task->name, WTERMSIG(result->status),
			task->memory > 0 ? ", maybe for want of memory" : "");
	else
		fprintf(stderr,
			"supersteps: step %u: task %s ended with status %d\n",
			step, task->name, WEXITSTATUS(result->status));
}

bool report_failures(const struct report *report,
		     const struct task_result *results, unsigned step)
{
	bool none = true;

	for (unsigned i = 0; i < report->of->rules.tasks; i++)
		if (results[i].status != 0) {
			tell_failure(&report->of->tasks[i], &results[i], step);
			none = false;
		}
	return none;
}

/* ---- steps ---- */

static void log_task(const struct report *report,
		     const struct supersteps_planning *planning,
		     const struct task_result *result, unsigned step,
		     unsigned task)
{
	fprintf(report->log, "%u,%s,%u,%.9g,%.6f,%.6f,%.6f,%.6f,%.1f,%.6f\n",
		step, report->of->tasks[task].name,
		share_at(&report->of->rules, planning->levels[task]),
		planning->workloads[task], result->seconds,
		planning->seconds[task], (double)result->processor_us / 1e6,
		(double)result->throttled_us / 1e6,
		(double)result->memory_peak / 1048576, result->change);
}

/* Seconds of the whole change: ranks change their shares side by side. */
static void add_change(struct report *report, const struct team *team)
{
	double most = 0, of_rank;

	for (int rank = 0; rank < team->ranks; rank++) {
		of_rank = 0;
		for (unsigned i = (unsigned)rank; i < report->of->rules.tasks;
		     i += (unsigned)team->ranks)
			of_rank += team->results[i].change;
		most = fmax(most, of_rank);
	}
	if (most > 0 && ARRAY_RESERVE(report->changes, report->n_changes,
				      report->room) == 0)
		report->changes[report->n_changes++] = most;
}

void report_step(struct report *report,
		 const struct supersteps_planning *planning,
		 const struct team *team, unsigned step)
{
	unsigned slowest = 0;

	for (unsigned i = 0; i < report->of->rules.tasks; i++) {
		const struct task_result *result = &team->results[i];

		if (result->seconds > team->results[slowest].seconds)
			slowest = i;
		report->errors[i] +=
			fabs(result->seconds - planning->seconds[i]);
		report->model[i] += planning->seconds[i];
		if (report->log)
			log_task(report, planning, result, step, i);
	}
	add_change(report, team);
	report->seconds += team->results[slowest].seconds;
	report->steps++;
	printf("supersteps: step %u of %u: %.3f s, %s was last%s\n", step + 1,
	       report->of->steps, team->results[slowest].seconds,
	       report->of->tasks[slowest].name,
	       report->is_changed ? ", with new shares" : "");
}

/* ---- the end ---- */

void report_end(struct report *report)
{
	size_t n = report->n_changes;

	qsort(report->changes, n, sizeof(*report->changes), doubles_compare);
	if (n > 0)
		printf("supersteps: the shares changed %zu times, in %.6f s "
		       "(median), %.6f s (99 %%)\n",
		       n, report->changes[n / 2],
		       report->changes[(n * 99) / 100]);
	for (unsigned i = 0; i < report->of->rules.tasks; i++)
		printf("supersteps: the profile of %s was wrong by %.1f %%\n",
		       report->of->tasks[i].name,
		       100 * report->errors[i] / report->model[i]);
	printf("supersteps: all %u steps are done, %u of them in %.3f s\n",
	       report->of->steps, report->steps, report->seconds);
}

void report_fini(struct report *report)
{
	if (report->log)
		fclose(report->log);
	free(report->changes);
	free(report->errors);
}
