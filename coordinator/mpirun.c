/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/mpirun.h"

#include "base/log.h"
#include "coordinator/state_dir.h"
#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

enum { ENV_MAX = 32 };

struct mpirun {
	struct loop *loop;
	pid_t pid; /* 0: has ended */
	unsigned epoch;
	char tmpdir[4096];
	void (*ended)(void *user, int status);
	void *user;
};

static void on_end(void *user, pid_t pid, int status)
{
	struct mpirun *run = user;

	run->pid = 0;
	/* session directories it could not or did not remove */
	state_dir_remove(run->tmpdir);
	log_debug("epoch=%u mpiexec ended status=%d", run->epoch, status);
	run->ended(run->user, status);
}

static int open_log(const struct mpirun_config *config, struct error *err)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "%s/epoch-%u.mpiexec", config->dir,
		 config->epoch);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	return fd >= 0 ? fd : error_errno(err, "%s", path);
}

static int spawn_it(struct mpirun *run, const struct mpirun_config *config,
		    struct error *err)
{
	char epoch[32], tmpdir[4200];
	const char *entries[ENV_MAX] = {
		epoch,
		tmpdir,
		"OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
	};
	size_t n = 4;
	CLEANUP(free) char **env = NULL;
	CLEANUP(close) int log = open_log(config, err);
	struct spawn child = {.argv = config->argv,
			      .in = -1,
			      .out = log,
			      .err = log,
			      .new_session = true,
			      .on_parent_death = SIGKILL};

	if (log < 0)
		return log;
	snprintf(epoch, sizeof(epoch), "BELLOWS_EPOCH=%u", config->epoch);
	snprintf(tmpdir, sizeof(tmpdir), "TMPDIR=%s", run->tmpdir);
	for (size_t i = 0; config->env[i] && n < ENV_MAX; i++)
		entries[n++] = config->env[i];
	env = spawn_environment(NULL, entries, n);
	if (!env)
		return error_set(err, -ENOMEM, "out of memory");
	child.envp = (const char *const *)env;
	return spawn(&child, &run->pid, err);
}

int mpirun_start(struct mpirun **out, const struct mpirun_config *config,
		 struct error *err)
{
	CLEANUP(mpirun_destroy) struct mpirun *run = calloc(1, sizeof(*run));
	int r;

	if (!run)
		return error_set(err, -ENOMEM, "out of memory");
	run->loop = config->loop;
	run->epoch = config->epoch;
	run->ended = config->ended;
	run->user = config->user;
	snprintf(run->tmpdir, sizeof(run->tmpdir), "%s/mpi-%u", config->dir,
		 config->epoch);
	if (mkdir(run->tmpdir, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", run->tmpdir);
	r = spawn_it(run, config, err);
	if (r == 0)
		r = loop_child_add(run->loop, run->pid, on_end, run, err);
	if (r < 0)
		return r;
	*out = STEAL(run);
	return 0;
}

bool mpirun_has_ended(const struct mpirun *run)
{
	return run->pid == 0;
}

void mpirun_kill(struct mpirun *run)
{
	if (run->pid > 0)
		kill(-run->pid, SIGKILL);
}

struct mpirun *mpirun_destroy(struct mpirun *run)
{
	if (!run)
		return NULL;
	if (run->pid > 0) {
		mpirun_kill(run);
		loop_child_remove(run->loop, run->pid);
	}
	state_dir_remove(run->tmpdir);
	free(run);
	return NULL;
}
