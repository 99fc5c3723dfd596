/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a job file: a job within its bounds, which an executor reads as
 * the same from its text, or one sentence that names the file
 */

#include "jobfile/jobfile.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

static void sizes_are_within_bounds(const struct jobfile *job)
{
	HOLD(job->ranks.min >= 1 && job->ranks.min <= job->ranks.initial);
	HOLD(job->ranks.initial <= job->ranks.max);
	HOLD(job->ranks.max <= RANKS_MAX);
	HOLD(job->ranks_per_executor >= 1);
	HOLD(jobfile_accepts(job, job->ranks.initial, NULL) == 0);
	HOLD(jobfile_largest(job, job->ranks.max) >= job->ranks.initial);
	HOLD(job->n_schedule <= SCHEDULE_MAX);
	for (size_t i = 0; i < job->n_schedule; i++)
		HOLD(jobfile_accepts(job, job->schedule[i].ranks, NULL) == 0);
}

static void texts_are_as_promised(const struct jobfile *job)
{
	size_t n = strlen(job->name);

	HOLD(n >= 1 && n <= 40);
	HOLD(strspn(job->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n);
	HOLD(job->app.command[0] && *job->app.dir == '/');
	HOLD(*job->app.checkpoint_dir == '/');
	for (size_t i = 0; job->environment[i]; i++)
		HOLD(strchr(job->environment[i], '='));
	HOLD(job->launcher == LAUNCHER_SSH || !job->kub);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *copy = fuzz_copy(data, size);
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL, *again = NULL;
	struct error err = {""};
	int r = jobfile_parse(&job, "fuzz", copy, size, "/no/where", &err);

	if (r < 0) {
		HOLD(r == -EINVAL && !job);
		HOLD(strncmp(err.text, "fuzz:", 5) == 0);
		HOLD(!strchr(err.text, '\n') && !strchr(err.text, '\x1b'));
		return 0;
	}
	sizes_are_within_bounds(job);
	texts_are_as_promised(job);
	r = jobfile_parse(&again, "fuzz", job->text, strlen(job->text),
			  "/no/where", &err);
	HOLD(r == 0 && strcmp(again->name, job->name) == 0);
	HOLD(again->adapter == job->adapter);
	HOLD(memcmp(&again->ranks, &job->ranks, sizeof(job->ranks)) == 0);
	return 0;
}
