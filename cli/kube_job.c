/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kube_job.h"

#include "base/text.h"
#include "cli/commands/compose.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <string.h>

static int parse(struct jobfile **out, const char *path, const char *text,
		 const char *dir, struct error *err)
{
	return jobfile_parse(out, path, text, strlen(text), dir, err);
}

/* Whether the working directory is the same wherever the file is. */
static bool stands_alone(const char *path, const char *text)
{
	CLEANUP(jobfile_destroy) struct jobfile *here = NULL;
	CLEANUP(jobfile_destroy) struct jobfile *there = NULL;

	return parse(&here, path, text, "/here", NULL) == 0 &&
	       parse(&there, path, text, "/there", NULL) == 0 &&
	       strcmp(here->app.dir, there->app.dir) == 0;
}

/* The same text with a directory in it, if it has none.  NULL: it has one that
 * is relative. */
static char *complete(const char *path, const char *text)
{
	CLEANUP(free) char *more = NULL;

	if (stands_alone(path, text))
		return strdup(text);
	if (asprintf(&more, "%s\ndir: %s\n", text, KUBE_DATA) < 0)
		return NULL;
	return stands_alone(path, more) ? STEAL(more) : NULL;
}

static bool is_in_data(const char *path)
{
	size_t n = strlen(KUBE_DATA);

	return strncmp(path, KUBE_DATA, n) == 0 && (!path[n] || path[n] == '/');
}

static int read_text(char **out, const struct args *args, struct error *err)
{
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;

	if (!args->words.n)
		return compose(out, args, KUBE_DATA, err) < 0 ? EXIT_USAGE : 0;
	if (jobfile_read(&job, args->words.at[0], err) < 0)
		return EXIT_JOBFILE;
	*out = strdup(job->text);
	if (*out)
		return 0;
	error_set(err, -ENOMEM, "out of memory");
	return EXIT_INTERNAL;
}

int kube_job_read(struct kube_job *job, const struct args *args,
		  struct error *err)
{
	const char *path = args->words.n ? args->words.at[0] : "command line";
	CLEANUP(free) char *text = NULL;
	int code = read_text(&text, args, err);

	if (code != 0)
		return code;
	if (parse(&job->job, path, text, KUBE_DATA, err) < 0)
		return EXIT_JOBFILE;
	job->text = complete(path, text);
	if (!job->text) {
		error_set(err, -EINVAL,
			  "%s: dir: a pod has no folder of the job file to "
			  "take it from; an absolute one, as %s",
			  path, text_safe(job->job->app.dir).s);
		return EXIT_JOBFILE;
	}
	if (is_in_data(job->job->app.checkpoint_dir))
		return 0;
	error_set(err, -EINVAL,
		  "%s: checkpoint.dir: %s is not below " KUBE_DATA
		  ", where the volume is that all pods share",
		  path, text_safe(job->job->app.checkpoint_dir).s);
	return EXIT_JOBFILE;
}

void kube_job_fini(struct kube_job *job)
{
	jobfile_destroy(job->job);
	free(job->text);
}
