/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/process.h"

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

/* "<folder of this program>/<program>" if that can be run. */
static const char *look_beside(const char *program, char *path, size_t n)
{
	ssize_t k = readlink("/proc/self/exe", path, n - 1);
	char *slash;

	if (k < 0)
		return program;
	path[k] = '\0';
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + strlen(program) >= n)
		return program;
	strcpy(slash + 1, program);
	return access(path, X_OK) == 0 ? path : program;
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
	int r;

	argv[0] = look_beside(process->program, path, sizeof(path));
	r = spawn(&what, &process->pid, err);
	if (r < 0)
		return r;
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
