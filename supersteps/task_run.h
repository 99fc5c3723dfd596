/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_TASK_RUN_H
#define SUPERSTEPS_TASK_RUN_H

/*
 * A task: its control group, and its process in one step
 */

#include "base/time.h"
#include "cgroup/cgroup.h"
#include "loop/loop.h"
#include "supersteps/application.h"

/* What a task was in one step; sent from rank to rank as it is. */
struct task_result {
	double seconds, change; /* seconds of its process, of new shares */
	uint64_t processor_us, throttled_us, memory_peak;
	int status;      /* as of waitpid() */
	char error[160]; /* it could not be started; "" */
};

struct task_run {
	const struct supersteps_task *of;
	unsigned number; /* of the task */
	struct loop *loop;
	const char **environment; /* of its process */
	int out;             /* descriptor of its output; -1: this program's */
	struct cgroup group; /* if it has_group */
	bool has_group;
	unsigned shares; /* that the group has; 0: no limit */
	pid_t pid;       /* 0: it does not run */
	double began;
	struct task_result result;
	void (*on_end)(void *user);
	void *user;
};

/* Removes the control groups of tasks whose programs have ended, and kills what
 * is in them. */
void task_run_clear(const struct cgroup_base *base);

/* base NULL: its shares are not applied.  task_run_fini() in each case. */
int task_run_init(struct task_run *run, const struct cgroup_base *base,
		  struct error *err);

/* 1000 shares are one processor. */
int task_run_share(struct task_run *run, unsigned shares, struct error *err);

/* Runs the task's command; on_end is called when its process has ended, or has
 * not been started. */
void task_run_start(struct task_run *run, unsigned step, double workload);

/* Kills what runs, and removes the group. */
void task_run_fini(struct task_run *run);

#endif
