/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/local/process.h"

#include "base/program.h"
#include "loop/spawn.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void on_end(void *user, pid_t pid, int status)
{
	struct process *process = user;

	process->running = false;
	process->status = status;
	process->on_end(process->user);
}

int process_start(struct process *process, struct loop *loop, const char **argv,
		  int out, int err_fd, struct error *err)
{
	char path[PATH_MAX];
	const struct spawn what = {
		.argv = argv,
		.in = -1,
		.out = out,
		.err = err_fd,
		.new_session = true,
		.on_parent_death = SIGTERM,
	};
	int r = program_find_beside(process->program, path, sizeof(path), err);

	if (r < 0)
		return r;
	argv[0] = path;
	r = spawn(&what, &process->pid, err);
	if (r < 0)
		return r;
	process->loop = loop;
	process->running = true;
	return loop_child_add(loop, process->pid, on_end, process, err);
}

void process_signal(const struct process *process, int signo)
{
	if (process->running)
		kill(process->pid, signo);
}

void process_kill(const struct process *process)
{
	if (process->running)
		kill(-process->pid, SIGKILL);
}

void process_fini(struct process *process)
{
	process_kill(process);
	if (process->running)
		loop_child_remove(process->loop, process->pid);
	process->running = false;
}
