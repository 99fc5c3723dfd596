/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/jobfile.h"
#include "apps/adapters.h"
#include "apps/generic/generic.h"
#include "base/list.h"
#include "jobfile/check_scale.h"
#include "jobfile/reader.h"
#include "yaml/load.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* What a job's members point into: freed at once. */
struct block {
	struct block *next;
	max_align_t data[];
};

void *jobfile_alloc(struct jobfile *job, size_t size)
{
	struct block *block = calloc(1, sizeof(*block) + size);

	if (!block)
		return NULL;
	block->next = job->memory;
	job->memory = block;
	return block->data;
}

struct jobfile *jobfile_destroy(struct jobfile *job)
{
	struct block *next;

	if (!job || atomic_fetch_sub(&job->shares, 1) > 0)
		return NULL;
	for (struct block *block = job->memory; block; block = next) {
		next = block->next;
		free(block);
	}
	free(job);
	return NULL;
}

struct jobfile *jobfile_share(struct jobfile *job)
{
	atomic_fetch_add(&job->shares, 1);
	return job;
}

int jobfile_accepts(const struct jobfile *job, unsigned ranks,
		    struct error *err)
{
	if (ranks < job->ranks.min)
		return error_set(err, -EINVAL,
				 "%u is less than ranks.min, which is %u",
				 ranks, job->ranks.min);
	if (ranks > job->ranks.max)
		return error_set(err, -EINVAL,
				 "%u is more than ranks.max, which is %u",
				 ranks, job->ranks.max);
	return job->adapter->accepts
		       ? job->adapter->accepts(&job->app, ranks, err)
		       : 0;
}

size_t jobfile_sizes(const struct jobfile *job, unsigned *sizes)
{
	size_t n = 0;

	for (unsigned ranks = job->ranks.min; ranks <= job->ranks.max; ranks++)
		if (jobfile_accepts(job, ranks, NULL) == 0)
			sizes[n++] = ranks;
	return n;
}

const char *jobfile_unit(const struct jobfile *job)
{
	return job->adapter->unit ? job->adapter->unit : "steps";
}

int jobfile_find_checkpoint(const struct jobfile *job, struct checkpoint *out,
			    struct error *err)
{
	int r = job->adapter->checkpoint(&job->app, out, err);

	if (r != 0)
		*out = (struct checkpoint){0};
	return r;
}

bool jobfile_saves_unasked(const struct jobfile *job)
{
	int signo;

	return job->adapter->save(&job->app, &signo) == SAVE_WATCH;
}

bool jobfile_mpiexec_passes(int signo)
{
	return signo == SIGUSR1 || signo == SIGUSR2;
}

unsigned jobfile_largest(const struct jobfile *job, unsigned limit)
{
	unsigned n = limit < job->ranks.max ? limit : job->ranks.max;

	while (n >= job->ranks.min && jobfile_accepts(job, n, NULL) < 0)
		n--;
	return n >= job->ranks.min ? n : 0;
}

int jobfile_check_stated(const struct jobfile *job, unsigned want,
			 unsigned grant, struct error *err)
{
	int r = want > 0 ? jobfile_accepts(job, want, err) : 0;

	if (r < 0)
		return error_wrap(err, r, "--want");
	if (grant == 0 || jobfile_largest(job, grant) > 0)
		return 0;
	return error_wrap(err, jobfile_accepts(job, grant, err), "--grant");
}

static int make_absolute(struct reader *reader, const char *from,
			 const char **path)
{
	size_t size;
	char *whole;

	while (*path && strncmp(*path, "./", 2) == 0)
		*path += 2;
	if (*path && **path == '/')
		return 0;
	if (!*path || !**path || strcmp(*path, ".") == 0)
		return value_keep(reader, from, path);
	size = strlen(from) + strlen(*path) + 2;
	whole = jobfile_alloc(reader->job, size);
	if (!whole)
		return reader_no_memory(reader);
	snprintf(whole, size, "%s/%s", strcmp(from, "/") == 0 ? "" : from,
		 *path);
	*path = whole;
	return 0;
}

/* The defaults that depend on something. */
static int settle(struct reader *reader, const char *dir)
{
	static const char *const none[] = {NULL};
	struct jobfile *job = reader->job;
	const char **files[] = {&job->mpi_key, &job->threshold.ca_file,
				&job->threshold.token_file};
	int r;

	if (job->ranks.max == 0)
		job->ranks.max = job->ranks.initial;
	if (reader_line(reader, "scale.policy") == 0)
		job->policy =
			job->n_schedule > 0 ? SCALE_SCHEDULE : SCALE_MANUAL;
	if (!job->environment)
		job->environment = (const char **)none;
	if (!job->mpi_arguments)
		job->mpi_arguments = (const char **)none;
	r = make_absolute(reader, dir, &job->app.dir);
	for (size_t i = 0; i < LENGTH(files) && r == 0; i++)
		if (*files[i])
			r = make_absolute(reader, dir, files[i]);
	return r < 0 ? r
		     : make_absolute(reader, job->app.dir,
				     &job->app.checkpoint_dir);
}

static int check_ranks(struct reader *reader)
{
	const struct jobfile *job = reader->job;
	unsigned line = reader_line(reader, "ranks.initial");

	if (job->ranks.initial < job->ranks.min)
		return reader_refuse(reader, line, "ranks.initial",
				     "%u is less than ranks.min; at least %u",
				     job->ranks.initial, job->ranks.min);
	if (job->ranks.initial > job->ranks.max)
		return reader_refuse(reader, line, "ranks.initial",
				     "%u is more than ranks.max; at most %u",
				     job->ranks.initial, job->ranks.max);
	return 0;
}

/* The section of the generic adapter says nothing to another. */
static int check_section(struct reader *reader)
{
	if (reader->job->adapter == &adapter_generic)
		return 0;
	for (size_t i = 0; i < SCHEMA_KEYS; i++)
		if (schema_is_within(&schema_keys[i], "generic.") &&
		    reader->lines[i] > 0)
			return reader_refuse(reader, reader->lines[i],
					     schema_keys[i].path,
					     "is not for app: %s; app: "
					     "generic, or without it",
					     reader->job->adapter->name);
	return 0;
}

static int refuse_key(struct reader *reader, const char *key)
{
	unsigned line = reader_line(reader, key);

	if (line == 0)
		return 0;
	return reader_refuse(reader, line, key,
			     "app: %s does not take it; leave it out",
			     reader->job->adapter->name);
}

static int check_keys_of_some(struct reader *reader)
{
	const struct adapter *adapter = reader->job->adapter;
	int r = adapter->has_restart ? 0 : refuse_key(reader, "restart");

	return r == 0 && !adapter->has_settings ? refuse_key(reader, "settings")
						: r;
}

static int check_kub(struct reader *reader)
{
	const struct jobfile *job = reader->job;
	unsigned line = reader_line(reader, "kub");
	enum save_kind kind;
	int signo = 0;

	if (job->kub_private_key && !job->kub)
		return reader_refuse(reader,
				     reader_line(reader, "kub_private_key"),
				     "kub_private_key",
				     "is for kub: true; with that, or false");
	if (!job->kub)
		return 0;
	if (job->launcher != LAUNCHER_SSH)
		return reader_refuse(reader, line, "kub",
				     "Kub's executors are reached by ssh; true "
				     "with mpi.launcher: ssh, or false");
	if (job->adapter->log)
		return reader_refuse(reader, line, "kub",
				     "the log of app: %s, which proves that it "
				     "went on, is not followed on Kub's "
				     "executors; another app, or false",
				     job->adapter->name);
	kind = job->adapter->save(&job->app, &signo);
	if (kind == SAVE_SIGNAL_FIRST ||
	    (kind == SAVE_SIGNAL_ALL && !jobfile_mpiexec_passes(signo)))
		return reader_refuse(reader, line, "kub",
				     "this application saves at SIG%s to %s, "
				     "and Kub's executors get SIGUSR1 and "
				     "SIGUSR2 to all ranks by mpiexec, and no "
				     "other; one of these, or false",
				     sigabbrev_np(signo),
				     kind == SAVE_SIGNAL_ALL ? "all ranks"
							     : "rank 0 alone");
	return 0;
}

static int check_key(struct reader *reader)
{
	const struct jobfile *job = reader->job;

	if (!job->mpi_key || job->launcher == LAUNCHER_SSH)
		return 0;
	return reader_refuse(reader, reader_line(reader, "mpi.key"), "mpi.key",
			     "the stream launcher has no keys; with "
			     "mpi.launcher: ssh, or leave it out");
}

static int check_placement(struct reader *reader)
{
	const struct jobfile *job = reader->job;

	if (job->bind_strict && job->bind == BIND_NONE)
		return reader_refuse(
			reader, reader_line(reader, "placement.strict"),
			"placement.strict",
			"nothing says what ranks are bound to; true "
			"with placement.bind, or false");
	if (job->bind == BIND_NONE || !job->kub)
		return 0;
	return reader_refuse(reader, reader_line(reader, "placement.bind"),
			     "placement.bind",
			     "Kub's executors do not tell what ranks are bound "
			     "to; none, or without kub: true");
}

static int check_interval(struct reader *reader)
{
	if (reader->job->checkpoint_interval < 0 ||
	    !jobfile_saves_unasked(reader->job))
		return 0;
	return reader_refuse(reader, reader_line(reader, "checkpoint.interval"),
			     "checkpoint.interval",
			     "this application writes checkpoints when it "
			     "likes, and cannot be told to; auto or none");
}

static int check_stall(struct reader *reader)
{
	const struct jobfile *job = reader->job;
	char lost[32];

	if (job->stall_after == 0 && job->restarts_stalled)
		return reader_refuse(reader, reader_line(reader, "on_stall"),
				     "on_stall",
				     "nothing says when the job stands still; "
				     "restart with stall_after, or tell");
	if (job->stall_after == 0 || job->stall_after >= job->lost_after)
		return 0;
	return reader_refuse(
		reader, reader_line(reader, "stall_after"), "stall_after",
		"is less than lost_after, so that an executor "
		"which is cut off would be taken for a job that "
		"stands still; at least %s, or none",
		schema_duration(job->lost_after, lost, sizeof(lost)));
}

/* key: the one that the sentence in why is about. */
static int ask_adapter(const struct jobfile *job, const char **key,
		       struct error *why)
{
	*key = "app";
	if (job->adapter == &adapter_generic)
		return generic_check(&job->app, key, why);
	return job->adapter->check ? job->adapter->check(&job->app, why) : 0;
}

static int check_app(struct reader *reader)
{
	const struct jobfile *job = reader->job;
	const char *key;
	struct error why;

	if (ask_adapter(job, &key, &why) < 0) {
		unsigned line = reader_line(reader, key);

		if (reader->mend && job->adapter->mend)
			job->adapter->mend(&job->app, reader->mend);
		return reader_refuse(reader,
				     line ? line : reader_line(reader, "app"),
				     key, "%s", why.text);
	}
	if (jobfile_accepts(job, job->ranks.initial, &why) < 0)
		return reader_refuse(
			reader, reader_line(reader, "ranks.initial"),
			"ranks.initial", "%s; a size that the job accepts",
			why.text);
	return 0;
}

static int read_tree(struct reader *reader, const char *dir)
{
	static int (*const checks[])(struct reader *) = {
		check_ranks, check_section,   check_keys_of_some,
		check_app,   check_scale,     check_kub,
		check_key,   check_placement, check_interval,
		check_stall,
	};
	yaml_node_t *root = yaml_document_get_root_node(reader->document);
	int r;

	if (!root)
		return error_set(reader->err, -EINVAL,
				 "%s:1: job: the file is empty; at least name, "
				 "app, command, ranks and checkpoint",
				 reader->path);
	r = reader_section(reader, "", "", 1, root, reader->job);
	if (r == 0)
		r = reader_defaults(reader);
	if (r == 0)
		r = settle(reader, dir);
	for (size_t i = 0; i < LENGTH(checks) && r == 0; i++)
		r = checks[i](reader);
	return r;
}

/* It has some dozens of lines, and three levels. */
static const struct yaml_limits limits = {
	.what = "a job file",
	.bytes = JOBFILE_BYTES_MAX,
	.depth = 16,
	.values = 20000,
};

int jobfile_parse(struct jobfile **out, const char *path, const char *text,
		  size_t size, const char *dir, struct error *err)
{
	return jobfile_parse_mending(out, path, text, size, dir, NULL, err);
}

int jobfile_parse_mending(struct jobfile **out, const char *path,
			  const char *text, size_t size, const char *dir,
			  FILE *mend, struct error *err)
{
	CLEANUP(yaml_document_delete) yaml_document_t document = {0};
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;
	struct reader reader = {
		.path = path, .document = &document, .err = err, .mend = mend};
	int r;

	if (dir[0] != '/')
		return error_set(err, -EINVAL,
				 "%s: its folder '%s' is not an "
				 "absolute path",
				 path, dir);
	r = yaml_load(&document, &limits, path, text, size, err);
	if (r < 0)
		return r;
	job = calloc(1, sizeof(*job));
	if (job)
		job->text = jobfile_alloc(job, size + 1);
	if (!job || !job->text)
		return error_set(err, -ENOMEM, "out of memory");
	memcpy(job->text, text, size);
	reader.job = job;
	r = value_keep(&reader, dir, &job->folder);
	if (r == 0)
		r = read_tree(&reader, dir);
	if (r < 0)
		return r;
	*out = STEAL(job);
	return 0;
}
