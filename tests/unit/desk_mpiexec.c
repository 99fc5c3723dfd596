/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/mpirun.h"
#include "tests/unit/desk.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The mpiexec of a desk, which is never run
 *
 * What was killed has ended only when the test, or the desk, says so: a process
 * that waits for a disk outlives SIGKILL for a while.
 */

enum { RUNS_MAX = 16 }; /* at one time */

struct mpirun {
	bool killed, ended;
	const char *words;
	void (*on_end)(void *user, int status);
	void *user;
};

static struct mpirun *runs[RUNS_MAX];

static struct mpirun **find(const struct mpirun *run)
{
	for (int i = 0; i < RUNS_MAX; i++)
		if (runs[i] == run)
			return &runs[i];
	return NULL;
}

int mpirun_start(struct mpirun **out, const struct mpirun_config *config,
		 struct error *err)
{
	struct mpirun **free_one = find(NULL);

	*out = calloc(1, sizeof(**out));
	assert(*out && free_one);
	(*out)->on_end = config->ended;
	(*out)->user = config->user;
	*free_one = *out;
	desk_count_run();
	return 0;
}

bool mpirun_has_ended(const struct mpirun *run)
{
	return run->ended;
}

void mpirun_signal(struct mpirun *run, int signo)
{
}

void mpirun_words(const struct mpirun *run, char *text, size_t n)
{
	snprintf(text, n, "%s", run->words ? run->words : "");
}

void mpirun_note(struct mpirun *run, const char *text, size_t n)
{
}

void mpirun_end(struct mpirun *run)
{
	run->killed = true;
}

void mpirun_kill(struct mpirun *run)
{
	run->killed = true;
}

struct mpirun *mpirun_destroy(struct mpirun *run)
{
	if (!run)
		return NULL;
	*find(run) = NULL;
	free(run);
	return NULL;
}

static bool is_dying(const struct mpirun *run)
{
	return run && run->killed && !run->ended;
}

unsigned desk_dying(void)
{
	unsigned n = 0;

	for (int i = 0; i < RUNS_MAX; i++)
		n += is_dying(runs[i]);
	return n;
}

bool desk_reap(void)
{
	for (int i = 0; i < RUNS_MAX; i++)
		if (is_dying(runs[i])) {
			runs[i]->ended = true;
			/* as of waitpid() */
			runs[i]->on_end(runs[i]->user, SIGKILL);
			return true;
		}
	return false;
}

bool desk_end_run(int status, const char *words)
{
	for (int i = 0; i < RUNS_MAX; i++)
		if (runs[i] && !runs[i]->ended) {
			runs[i]->ended = true;
			runs[i]->words = words;
			runs[i]->on_end(runs[i]->user, status);
			return true;
		}
	return false;
}
