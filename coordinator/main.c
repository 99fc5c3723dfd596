/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/disk.h"
#include "base/log.h"
#include "base/program.h"
#include "base/rights.h"
#include "coordinator/coordinator.h"
#include "coordinator/exit_record.h"
#include "coordinator/journal/print.h"
#include "coordinator/run_records.h"
#include "coordinator/service/endpoints.h"
#include "jobfile/exit.h"
#include "loop/log_thread.h"
#include "loop/spawn.h"
#include "json/json.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

static int check(const struct coordinator_config *config)
{
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;
	struct error err;

	if (jobfile_read(&job, config->job, config->folder, &err) == 0)
		return EXIT_DONE;
	log_error("%s", err.text);
	return EXIT_JOBFILE;
}

static int show_history(const struct coordinator_config *config)
{
	struct error err;

	if (journal_print(coordinator_journal_dir(config), config->json, stdout,
			  &err) == 0)
		return EXIT_DONE;
	if (config->json)
		json_print_failure(EXIT_SYSTEM, err.text);
	else
		log_error("%s", err.text);
	return EXIT_SYSTEM;
}

/* The directory must be there, and writable, before anything is started. */
static int check_checkpoint_dir(const struct jobfile *job, struct error *err)
{
	int r = disk_check_directory(job->app.checkpoint_dir, err);

	return r < 0 ? error_wrap(err, r, "checkpoint.dir") : 0;
}

static void tell_address(const struct coordinator *c)
{
	char tls[80] = "";
	struct tm until;
	const struct tls_identity *identity = service_identity(c->service);

	if (tls_identity_is_there(identity))
		strftime(tls, sizeof(tls),
			 ", by mutual TLS; its certificate is valid until "
			 "%Y-%m-%d",
			 gmtime_r(&identity->until, &until));
	log_info("job=%s listening on %s%s", c->jobfile->name,
		 service_address(c->service), tls);
}

static void remember(const struct coordinator *c, int status)
{
	struct error err;

	if (c->config->once && status >= 0 &&
	    exit_is_final(status, c->told_to_end) &&
	    exit_record_write(c->config->state, status, &err) < 0)
		log_warn("that the job has ended is not kept: %s", err.text);
}

/* A job that is over, or of another name, is none that goes on. */
static int read_journal(struct former *former, struct journal_replay *replay,
			const char *dir, struct error *err)
{
	char path[4200];
	int r = run_records_make_journal(dir, err);

	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/journal", dir);
	r = journal_read(path, journal_replay_entry, replay, &former->end, err);
	if (r == -ENOENT)
		return 0;
	if (r == 0 && replay->any)
		former->replay = replay;
	if (former->end.torn)
		log_warn("%s: the last line is torn, and was not acted upon",
			 path);
	return r;
}

/* Whoever wrote to the journal before does so no more. */
static int prepare(struct coordinator *c, struct former *former,
		   struct error *err)
{
	static struct journal_replay replay; /* both are borrowed */
	static char dir[4096];
	int r = read_journal(former, &replay,
			     coordinator_journal_dir(c->config), err);

	if (r < 0) {
		log_error("%s", err->text);
		return EXIT_SYSTEM;
	}
	r = coordinator_prepare(c, program_dir(dir, sizeof(dir)), former, err);
	if (r < 0)
		log_error("%s", err->text);
	if (r == -EINVAL)
		return EXIT_JOBFILE;
	return r < 0 ? EXIT_SYSTEM : r;
}

/* More than 0: the status to end with. */
static int own(struct coordinator *c, struct error *err)
{
	int r = coordinator_own(c, err);

	if (r >= 0)
		return r;
	log_error("%s", err->text);
	return r == -EBUSY ? EXIT_SYSTEM : EXIT_CHECKPOINT;
}

/* log: see log_open(). */
static int drop_rights(const struct coordinator *c, int log,
		       struct log_thread **out, struct error *err)
{
	int r = 0;

	/* before there are threads, which it would not reach */
	if (!c->jobfile->keep_rights)
		r = rights_drop(err);
	if (r == 0 && log >= 0)
		r = log_thread_begin(out, c->loop, log, err);
	return r;
}

static int open_endpoints(const struct coordinator *c, struct error *err)
{
	const struct coordinator_config *config = c->config;
	char listen[4096];
	int r;

	snprintf(listen, sizeof(listen), "unix:%s/coordinator.sock",
		 config->state);
	r = endpoints_open(c->service, config->listen ? config->listen : listen,
			   err);
	if (r == 0)
		r = run_records_tell(config->state, service_address(c->service),
				     err);
	return r;
}

static int run(const struct coordinator_config *config, struct loop *loop,
	       struct former *former, int log)
{
	CLEANUP(log_thread_end) struct log_thread *log_thread = NULL;
	CLEANUP(coordinator_destroy) struct coordinator *c = NULL;
	struct error err;
	int r;

	r = coordinator_create(&c, loop, config, &err);
	if (r < 0) {
		log_error("%s", err.text);
		return r == -EINVAL ? EXIT_JOBFILE : EXIT_SYSTEM;
	}
	if (jobfile_check_stated(c->jobfile, config->want, config->grant,
				 &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	if (drop_rights(c, log, &log_thread, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	r = endpoints_check(c->service, &err);
	if (r < 0) {
		log_error("%s", err.text);
		return r == -EACCES ? EXIT_USAGE : EXIT_SYSTEM;
	}
	if (check_checkpoint_dir(c->jobfile, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_CHECKPOINT;
	}
	r = endpoints_open_health(c->service, &err);
	if (r < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	r = own(c, &err);
	if (r == 0)
		r = prepare(c, former, &err);
	if (r > 0)
		return r;
	if (open_endpoints(c, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	tell_address(c);
	r = driver_begin(c->driver, &err);
	if (r < 0) {
		log_error("%s", err.text);
		return r == -EBADMSG ? EXIT_UNREADABLE : EXIT_CHECKPOINT;
	}
	r = coordinator_run(c);
	remember(c, r);
	return r;
}

/* The status of a job that is over and is to stay so; negative: of none. */
static int former_end(const struct coordinator_config *config)
{
	int status = config->once ? exit_record_read(config->state) : -ENOENT;

	if (status >= 0)
		log_info("the job has ended before, with %d; another pod, or "
			 "an empty --state, begins it again",
			 status);
	return status;
}

/* What the command line asks for instead of running a job; negative: nothing.
 */
static int answer(const struct coordinator_config *config)
{
	if (config->help) {
		coordinator_print_help();
		return EXIT_DONE;
	}
	if (config->version) {
		puts("bellows-coordinator " VERSION);
		return EXIT_DONE;
	}
	if (config->check)
		return check(config);
	return config->history ? show_history(config) : -1;
}

int main(int argc, char **argv)
{
	struct coordinator_config config;
	struct loop *loop;
	struct error err;
	struct former former = {0};
	int r, lock, log;

	log_init("coordinator", LOG_INFO);
	program_set_path();
	if (coordinator_config_read(&config, argc, argv, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	if (config.verbose)
		log_init("coordinator", LOG_DEBUG);
	if (adapter_files_load(&config.adapters, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	r = answer(&config);
	if (r >= 0)
		return r;
	r = former_end(&config);
	if (r >= 0)
		return r;

	umask(077); /* ranks are not started from here */
	lock = run_records_lock(config.state, &err);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	spawn_raise_limit(); /* each connection needs a descriptor */
	/* without it PMIx (4.2) looks for the user's entry, and crashes where
	 * there is none, as in many a container */
	setenv("HOME", config.state, 0);
	if (lock >= 0)
		former.starts = run_records_former_starts(config.state);
	if (lock < 0 || run_records_set_aside(config.state, &err) < 0 ||
	    loop_create(&loop, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	if (log_open(config.log, &log, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	if (former.starts > 0)
		log_warn("the coordinator before was killed after start %u: "
			 "its executors may come back",
			 former.starts);
	r = run(&config, loop, &former, log);
	loop_destroy(loop);
	if (r == -EBUSY) /* what is there is another's */
		return EXIT_SYSTEM;
	run_records_clear(config.state);
	close(lock);
	return r < 0 ? EXIT_INTERNAL : r;
}
