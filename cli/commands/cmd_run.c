/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "cli/commands/jobfile_from_args.h"
#include "cli/commands/run_kube.h"
#include "cli/commands/run_status.h"
#include "cli/commands/run_view.h"
#include "jobfile/exit.h"
#include "runner/local/listen.h"
#include "runner/local/local.h"
#include "runner/local/previous_run.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The programs of the former run have so long to end after its checkpoint. */
#define ENDS_WITHIN SECONDS(60)

/* The job, where its file is, and where its state goes. */
struct run_order {
	struct jobfile *job;
	char *text; /* composed of options; NULL: a file */
	char path[PATH_MAX];
	struct state_dir dir;
	int lock;   /* of the folder, for this run; negative: none */
	bool quiet; /* only errors are told */

	struct hosts *hosts; /* NULL: this machine */
	char hosts_file[PATH_MAX], listen[LISTEN_MAX];
};

static void order_fini(struct run_order *order)
{
	jobfile_destroy(order->job);
	hosts_destroy(order->hosts);
	free(order->text);
	if (order->lock >= 0)
		close(order->lock);
}

static bool has_options(const struct args *args)
{
	return args->name || args->app || args->ranks || args->min ||
	       args->max || args->checkpoint_dir || args->at.n || args->env.n ||
	       args->has_command;
}

/* Returns 0 or an exit status. */
static int read_file(struct run_order *order, const struct args *args,
		     struct error *err)
{
	const char *file = args->words.at[0];

	if (!realpath(file, order->path)) {
		error_errno(err, "%s", file);
		return EXIT_JOBFILE;
	}
	return jobfile_read(&order->job, file, args->folder, err) < 0
		       ? EXIT_JOBFILE
		       : 0;
}

static int read_options(struct run_order *order, const struct args *args,
			struct error *err)
{
	char dir[PATH_MAX];

	if (!getcwd(dir, sizeof(dir))) {
		error_errno(err, "working directory");
		return EXIT_SYSTEM;
	}
	if (jobfile_from_args(&order->text, args, dir, err) < 0)
		return EXIT_USAGE;
	return jobfile_parse(&order->job, "command line", order->text,
			     strlen(order->text), dir, err) < 0
		       ? EXIT_JOBFILE
		       : 0;
}

static msec_t patience_of(const struct run_order *order)
{
	return order->job->checkpoint_deadline + ENDS_WITHIN;
}

static void tell_waiting(void *user)
{
	const struct run_order *order = user;

	if (!order->quiet)
		fprintf(stderr,
			"bellows: the former run of %s is still ending: "
			"waiting for that, %d s at most\n",
			order->job->name, (int)(patience_of(order) / 1000));
}

/* The programs are given absolute paths, also by --state. */
static int make_state(struct run_order *order, const struct args *args,
		      struct error *err)
{
	struct state_dir given;
	int r;

	r = state_dir_of(&given, &args->lookup, order->job->name, err);
	if (r == 0)
		r = state_dir_make(&given, err);
	if (r < 0)
		return r;
	if (!realpath(given.path, order->dir.path))
		return error_errno(err, "%s", given.path);
	order->lock = previous_run_await(&order->dir, order->job->name,
					 patience_of(order), tell_waiting,
					 order, err);
	if (order->lock < 0)
		return order->lock;
	if (!order->text)
		return 0;
	if (snprintf(order->path, sizeof(order->path), "%s/job.yaml",
		     order->dir.path) >= (int)sizeof(order->path))
		return error_set(err, -ENAMETOOLONG, "%s: path too long",
				 order->dir.path);
	return state_dir_write(&order->dir, "job.yaml", order->text,
			       strlen(order->text), err);
}

/* Returns 0 or an exit status. */
static int find_hosts(struct run_order *order, const struct args *args,
		      struct error *err)
{
	int r;

	if (!args->hosts)
		return 0;
	if (!realpath(args->hosts, order->hosts_file)) {
		error_errno(err, "%s", args->hosts);
		return EXIT_JOBFILE;
	}
	if (hosts_read(&order->hosts, args->hosts, err) < 0)
		return EXIT_JOBFILE;
	r = listen_choose(order->listen, args->listen, order->hosts, err);
	return r == 0 ? 0 : r == -EINVAL ? EXIT_USAGE : EXIT_SYSTEM;
}

static int prepare(struct run_order *order, const struct args *args,
		   struct error *err)
{
	int code;

	if (adapter_files_load(&args->adapters, err) < 0)
		return EXIT_USAGE;
	if (args->timeline && file_check(args->timeline, err) < 0)
		return EXIT_SYSTEM;
	code = args->words.n ? read_file(order, args, err)
			     : read_options(order, args, err);
	if (code == 0 &&
	    jobfile_check_stated(order->job, args->want, args->grant, err) < 0)
		code = EXIT_USAGE;
	if (code == 0)
		code = find_hosts(order, args, err);
	if (code != 0)
		return code;
	return make_state(order, args, err) < 0 ? EXIT_SYSTEM : 0;
}

static int run(const struct run_order *order, const struct args *args,
	       const struct output *output)
{
	struct run_view view = {.args = args, .output = output};
	const struct local_config config = {
		.lookup = &args->lookup,
		.lifetime = args->lifetime,
		.adapters = &args->adapters,
		.dir = &order->dir,
		.lock = order->lock,
		.job_file = order->path,
		.folder = args->folder ? order->job->folder : NULL,
		.job = order->job,
		.want = args->want,
		.grant = args->grant,
		.hosts = order->hosts,
		.hosts_file = order->hosts_file,
		.listen = order->hosts ? order->listen : args->listen,
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

static int check_words(const struct args *args, struct error *err)
{
	if (args->words.n && has_options(args))
		return error_set(err, -EINVAL,
				 "run takes a job file or the options that "
				 "describe one, not both");
	if (!args->words.n && !has_options(args))
		return error_set(err, -EINVAL,
				 "run needs a job file, or options and a "
				 "command; see 'bellows help run'");
	if (!args->words.n && args->folder)
		return error_set(err, -EINVAL,
				 "--folder is for a job file; without one, "
				 "directories start from where run is called");
	return 0;
}

static int run_here(struct run_order *order, const struct args *args,
		    const struct output *output)
{
	struct error err;
	int code = prepare(order, args, &err);

	return code != 0 ? output_fail(output, code, "%s", err.text)
			 : run(order, args, output);
}

int cmd_run(const struct args *args, const struct output *output)
{
	struct run_order order = {.lock = -1, .quiet = args->quiet};
	struct error err;
	int code;

	if (args->status && run_status_clear(args->status, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	if (check_words(args, &err) < 0)
		code = output_fail(output, EXIT_USAGE, "%s", err.text);
	else if (args->lookup.on)
		code = run_kube(args, output);
	else
		code = run_here(&order, args, output);
	/* before the lock is given back: a run that is over has its status */
	if (args->status)
		code = run_status_keep(args->status, code, output);
	order_fini(&order);
	return code;
}
