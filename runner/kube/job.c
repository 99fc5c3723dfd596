/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/job.h"

#include "base/text.h"

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

/* What the API would refuse only when other objects are made. */
static int check_name(const char *name, struct error *err)
{
	if (name[0] != '-' && name[strlen(name) - 1] != '-' &&
	    (name[0] < '0' || name[0] > '9'))
		return 0;
	return error_set(err, -EINVAL,
			 "name: '%s' cannot be that of a Service in a cluster: "
			 "it begins with a letter and does not end with '-'",
			 name);
}

int kube_job_parse(struct kube_job *job, const char *path, const char *text,
		   struct error *err)
{
	int r = parse(&job->job, path, text, KUBE_DATA, err);

	if (r < 0)
		return r;
	job->text = complete(path, text);
	if (!job->text)
		return error_set(err, -EINVAL,
				 "%s: dir: a pod has no folder of the job file "
				 "to take it from; an absolute one, as %s",
				 path, text_safe(job->job->app.dir).s);
	if (is_in_data(job->job->app.checkpoint_dir))
		return check_name(job->job->name, err);
	return error_set(err, -EINVAL,
			 "%s: checkpoint.dir: %s is not below " KUBE_DATA
			 ", where the volume is that all pods share",
			 path, text_safe(job->job->app.checkpoint_dir).s);
}

void kube_job_fini(struct kube_job *job)
{
	jobfile_destroy(job->job);
	free(job->text);
}
