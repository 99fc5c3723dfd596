/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "cli/commands/jobfile_from_args.h"
#include "cli/commands/run_kube.h"
#include "cli/commands/run_view.h"
#include "client/client.h"
#include "jobfile/exit.h"
#include "runner/local/listen.h"
#include "runner/local/local.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* The job, where its file is, and where its state goes. */
struct start {
	struct jobfile *job;
	char *text; /* composed of options; NULL: a file */
	char path[PATH_MAX];
	struct statedir dir;

	struct hosts *hosts; /* NULL: this machine */
	char hosts_file[PATH_MAX], listen[LISTEN_MAX];
};

static void start_fini(struct start *start)
{
	jobfile_destroy(start->job);
	hosts_destroy(start->hosts);
	free(start->text);
}

static bool has_options(const struct args *args)
{
	return args->name || args->app || args->ranks || args->min ||
	       args->max || args->checkpoint_dir || args->at.n || args->env.n ||
	       args->has_command;
}

/* Returns 0 or an exit status. */
static int read_file(struct start *start, const struct args *args,
		     struct error *err)
{
	const char *file = args->words.at[0];

	if (!realpath(file, start->path)) {
		error_errno(err, "%s", file);
		return EXIT_JOBFILE;
	}
	return jobfile_read(&start->job, file, err) < 0 ? EXIT_JOBFILE : 0;
}

static int read_options(struct start *start, const struct args *args,
			struct error *err)
{
	char dir[PATH_MAX];

	if (!getcwd(dir, sizeof(dir))) {
		error_errno(err, "working directory");
		return EXIT_SYSTEM;
	}
	if (jobfile_from_args(&start->text, args, dir, err) < 0)
		return EXIT_USAGE;
	return jobfile_parse(&start->job, "command line", start->text,
			     strlen(start->text), dir, err) < 0
		       ? EXIT_JOBFILE
		       : 0;
}

static int check_free(const struct start *start, struct error *err)
{
	char address[256];
	struct stamp stamp;

	if (statedir_address(&start->dir, address, sizeof(address), &stamp,
			     NULL) < 0 ||
	    client_probe(address) < 0)
		return 0;
	return error_set(err, -EBUSY,
			 "job %s runs already, its coordinator listens at %s",
			 start->job->name, address);
}

/* The programs are given absolute paths, also by --state. */
static int make_state(struct start *start, const struct args *args,
		      struct error *err)
{
	struct statedir given;
	int r;

	r = statedir_of(&given, &args->lookup, start->job->name, err);
	if (r == 0)
		r = statedir_make(&given, err);
	if (r < 0)
		return r;
	if (!realpath(given.path, start->dir.path))
		return error_errno(err, "%s", given.path);
	r = check_free(start, err);
	if (r < 0 || !start->text)
		return r;
	if (snprintf(start->path, sizeof(start->path), "%s/job.yaml",
		     start->dir.path) >= (int)sizeof(start->path))
		return error_set(err, -ENAMETOOLONG, "%s: path too long",
				 start->dir.path);
	return statedir_write(&start->dir, "job.yaml", start->text,
			      strlen(start->text), err);
}

/* Returns 0 or an exit status. */
static int find_hosts(struct start *start, const struct args *args,
		      struct error *err)
{
	int r;

	if (!args->hosts)
		return 0;
	if (!realpath(args->hosts, start->hosts_file)) {
		error_errno(err, "%s", args->hosts);
		return EXIT_JOBFILE;
	}
	if (hosts_read(&start->hosts, args->hosts, err) < 0)
		return EXIT_JOBFILE;
	r = listen_choose(start->listen, args->listen, start->hosts, err);
	return r == 0 ? 0 : r == -EINVAL ? EXIT_USAGE : EXIT_SYSTEM;
}

static int prepare(struct start *start, const struct args *args,
		   struct error *err)
{
	int code;

	if (adapter_files_load(&args->adapters, err) < 0)
		return EXIT_USAGE;
	if (args->timeline && file_check(args->timeline, err) < 0)
		return EXIT_SYSTEM;
	code = args->words.n ? read_file(start, args, err)
			     : read_options(start, args, err);
	if (code == 0)
		code = find_hosts(start, args, err);
	if (code != 0)
		return code;
	return make_state(start, args, err) < 0 ? EXIT_SYSTEM : 0;
}

static int run(const struct start *start, const struct args *args,
	       const struct output *output)
{
	struct run_view view = {.args = args, .output = output};
	const struct local_config config = {
		.lookup = &args->lookup,
		.lifetime = args->lifetime,
		.adapters = &args->adapters,
		.dir = &start->dir,
		.job_file = start->path,
		.job = start->job,
		.hosts = start->hosts,
		.hosts_file = start->hosts_file,
		.listen = start->hosts ? start->listen : args->listen,
	};
	struct loop *loop = NULL;
	struct error err;
	int code, r = loop_create(&loop, &err);

	if (r == 0)
		r = view_begin(&view, loop, &err);
	if (r == 0)
		r = local_start(&view.run, loop, &config, &run_view_events,
				&view, &err);
	code = r < 0 ? output_fail(output, EXIT_SYSTEM, "%s", err.text)
		     : view_follow(&view);
	view_end(&view);
	if (loop)
		loop_destroy(loop);
	return code;
}

int cmd_run(const struct args *args, const struct output *output)
{
	struct start start = {0};
	struct error err;
	int code;

	if (args->words.n && has_options(args))
		return output_fail(output, EXIT_USAGE,
				   "run takes a job file or the options that "
				   "describe one, not both");
	if (!args->words.n && !has_options(args))
		return output_fail(output, EXIT_USAGE,
				   "run needs a job file, or options and a "
				   "command; see 'bellows help run'");
	if (args->lookup.on)
		return run_kube(args, output);
	code = prepare(&start, args, &err);
	code = code != 0 ? output_fail(output, code, "%s", err.text)
			 : run(&start, args, output);
	start_fini(&start);
	return code;
}
