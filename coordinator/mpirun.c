/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/mpirun.h"

#include "base/list.h"
#include "base/log.h"
#include "coordinator/state_dir.h"
#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

struct mpirun {
	struct loop *loop;
	pid_t pid; /* 0: has ended */
	unsigned epoch;
	int log;
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

	if (config->log)
		snprintf(path, sizeof(path), "%s", config->log);
	else
		snprintf(path, sizeof(path), "%s/epoch-%u.mpiexec", config->dir,
			 config->epoch);
	fd = open(path,
		  O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC |
			  O_NOFOLLOW,
		  0600);
	return fd >= 0 ? fd : error_errno(err, "%s", path);
}

/* Ours and then the user's, who may have many; NULL without memory. */
static char **environment(const struct mpirun *run,
			  const struct mpirun_config *config)
{
	char epoch[32], tmpdir[4200];
	const char *const ours[] = {
		tmpdir, "OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		epoch, /* last: not for epoch 0 */
	};
	size_t users = 0, n = LENGTH(ours) - (config->epoch == 0);
	CLEANUP(free) const char **entries = NULL;

	while (config->env[users])
		users++;
	entries = calloc(n + users, sizeof(*entries));
	if (!entries)
		return NULL;
	snprintf(epoch, sizeof(epoch), "BELLOWS_EPOCH=%u", config->epoch);
	snprintf(tmpdir, sizeof(tmpdir), "TMPDIR=%s", run->tmpdir);
	memcpy(entries, ours, n * sizeof(*entries));
	memcpy(entries + n, config->env, users * sizeof(*entries));
	return spawn_environment(NULL, entries, n + users);
}

static int spawn_it(struct mpirun *run, const struct mpirun_config *config,
		    struct error *err)
{
	CLEANUP(free) char **env = environment(run, config);
	struct spawn child = {.argv = config->argv,
			      .envp = (const char *const *)env,
			      .dir = config->cwd,
			      .in = -1,
			      .new_session = true,
			      .on_parent_death = SIGKILL};

	run->log = open_log(config, err);
	if (run->log < 0)
		return run->log;
	child.out = config->out > 0 ? config->out : run->log;
	child.err = run->log;
	if (!env)
		return error_set(err, -ENOMEM, "out of memory");
	return spawn(&child, &run->pid, err);
}

int mpirun_start(struct mpirun **out, const struct mpirun_config *config,
		 struct error *err)
{
	CLEANUP(mpirun_destroy) struct mpirun *run = calloc(1, sizeof(*run));
	int r;

	if (!run)
		return error_set(err, -ENOMEM, "out of memory");
	run->log = -1;
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

void mpirun_signal(struct mpirun *run, int signo)
{
	if (run->pid > 0)
		kill(run->pid, signo);
}

void mpirun_note(struct mpirun *run, const char *text, size_t n)
{
	if (write(run->log, text, n) < 0)
		log_debug("epoch=%u a line of mpiexec is lost", run->epoch);
}

void mpirun_end(struct mpirun *run)
{
	mpirun_signal(run, SIGTERM);
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
	if (run->log >= 0)
		close(run->log);
	free(run);
	return NULL;
}
