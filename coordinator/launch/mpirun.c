/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/mpirun.h"

#include "base/log.h"
#include "base/shm.h"
#include "base/tree.h"
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
	struct shm shm;
	void (*ended)(void *user, int status);
	void *user;
};

/* What it could not or did not remove. */
static void remove_rest(struct mpirun *run)
{
	shm_end(&run->shm);
	tree_remove_path(run->tmpdir, NULL);
}

static void on_end(void *user, pid_t pid, int status)
{
	struct mpirun *run = user;

	run->pid = 0;
	remove_rest(run);
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
		  O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC |
			  O_NOFOLLOW,
		  0600);
	return fd >= 0 ? fd : error_errno(err, "%s", path);
}

/* Returns the environment of mpiexec: our variables, then those of the job
 * file; NULL if memory is exhausted. */
static char **environment(const struct mpirun *run,
			  const struct mpirun_config *config)
{
	char epoch[32], tmpdir[4200];
	const char *ours[5] = {tmpdir, "OMPI_ALLOW_RUN_AS_ROOT=1",
			       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
	size_t users = 0, n = 3;
	CLEANUP(free) const char **entries = NULL;

	if (config->epoch > 0)
		ours[n++] = epoch;
	if (*run->shm.word)
		ours[n++] = run->shm.word;
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
	struct error why;
	int r;

	if (!run)
		return error_set(err, -ENOMEM, "out of memory");
	run->log = -1;
	run->shm = SHM_NONE;
	run->loop = config->loop;
	run->epoch = config->epoch;
	run->ended = config->ended;
	run->user = config->user;
	snprintf(run->tmpdir, sizeof(run->tmpdir), "%s/mpi-%u", config->dir,
		 config->epoch);
	if (mkdir(run->tmpdir, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", run->tmpdir);
	if (shm_begin(&run->shm, config->ranks_here, run->tmpdir, &why) != 0)
		log_info("epoch=%u %s: their shared memory goes to %s",
			 config->epoch, why.text, run->tmpdir);
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

void mpirun_words(const struct mpirun *run, char *text, size_t n)
{
	off_t size = lseek(run->log, 0, SEEK_END);
	off_t from = size > (off_t)n - 1 ? size - (off_t)n + 1 : 0;
	ssize_t got = pread(run->log, text, n - 1, from);

	text[got > 0 ? got : 0] = '\0';
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
	remove_rest(run);
	if (run->log >= 0)
		close(run->log);
	free(run);
	return NULL;
}
