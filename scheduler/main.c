/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/program.h"
#include "jobfile/exit.h"
#include "loop/spawn.h"
#include "scheduler/clock.h"
#include "scheduler/service.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

/* ---- its folder ---- */

/* Makes the folder and what it stands in. */
static int make_folder(const struct state_dir *dir, struct error *err)
{
	struct state_dir part = *dir;

	for (char *at = strchr(part.path + 1, '/'); at;
	     at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(part.path, 0700) < 0 && errno != EEXIST)
			return error_errno(err, "cannot make %s", part.path);
		*at = '/';
	}
	return state_dir_make(dir, err);
}

/* The descriptor holds the lock.  -EBUSY: another scheduler has it. */
static int lock_folder(const struct state_dir *dir, struct error *err)
{
	char path[PATH_MAX + 16], holder[32] = "";
	CLEANUP(close) int fd = -1;
	int n;

	snprintf(path, sizeof(path), "%s/lock", dir->path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return error_errno(err, "%s", path);
	n = lock_take(fd);
	if (n < 0) {
		if (n != -EBUSY)
			return error_set(err, n, "%s: %s", path, strerror(-n));
		if (pread(fd, holder, sizeof(holder) - 1, 0) < 0)
			*holder = '\0';
		return error_set(err, -EBUSY,
				 "another scheduler (process %.20s) has the "
				 "queue in %s; --state DIR names another one",
				 holder, dir->path);
	}
	n = snprintf(holder, sizeof(holder), "%d", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, holder, (size_t)n, 0) != n)
		return error_errno(err, "%s", path);
	return STEAL_FD(fd);
}

static int find_folder(struct state_dir *dir,
		       const struct scheduler_config *config, struct error *err)
{
	struct state_dir given;
	int r = state_dir_of_queue(&given, &config->lookup, err);

	if (r == 0)
		r = make_folder(&given, err);
	if (r == 0 && !realpath(given.path, dir->path))
		r = error_errno(err, "%s", given.path);
	return r;
}

/* ---- running ---- */

static void on_terminate(void *user, int signo, pid_t sender)
{
	struct loop *loop = user;

	loop_stop(loop, 0);
}

static int catch_signals(struct loop *loop, struct error *err)
{
	int r = loop_signal_add(loop, SIGTERM, on_terminate, loop, err);

	return r < 0 ? r
		     : loop_signal_add(loop, SIGINT, on_terminate, loop, err);
}

static void tell(const struct scheduler *scheduler,
		 const struct service *service)
{
	size_t running = 0, waiting = 0;

	list_for_each (at, &scheduler->jobs) {
		const struct queue_job *life =
			&CONTAINER(at, struct queued, link)->record.life;

		running += life->runs;
		waiting += !life->runs && !life->over;
	}
	log_info("listening on %s policy=%s slots=%u running=%zu waiting=%zu",
		 rpc_server_address(service->server), scheduler->policy->name,
		 scheduler->config->slots, running, waiting);
}

static void tell_end(const struct scheduler *scheduler)
{
	size_t running = 0;

	list_for_each (at, &scheduler->jobs)
		running += CONTAINER(at, struct queued, link)->record.life.runs;
	if (running > 0)
		log_info("%zu job%s; the next scheduler of %s goes on with it",
			 running, running == 1 ? " runs on" : "s run on",
			 scheduler->dir.path);
}

static int serve(struct scheduler *scheduler, struct service *service,
		 struct error *err)
{
	const struct scheduler_config *config = scheduler->config;
	struct loop *loop = scheduler->loop;
	int r = rpc_create(&scheduler->rpc, loop, err);

	scheduler->on_change = service_on_change;
	scheduler->user = service;
	if (r == 0)
		r = place_open(&scheduler->place, loop, config, &scheduler->dir,
			       err);
	if (r == 0)
		r = catch_signals(loop, err);
	if (r == 0)
		r = scheduler_begin(scheduler, err);
	if (r == 0)
		r = service_open(service, scheduler, err);
	if (r < 0)
		return r;
	tell(scheduler, service);
	r = loop_run(loop);
	tell_end(scheduler);
	return r < 0 ? error_set(err, r, "the queue was taken over") : 0;
}

static int run(const struct scheduler_config *config, struct loop *loop,
	       struct error *err)
{
	struct scheduler scheduler = {
		.config = config,
		.loop = loop,
		.policy = config->policy,
		.since = clock_wall(),
	};
	struct service service = {0};
	CLEANUP(close) int lock = -1;
	int r = find_folder(&scheduler.dir, config, err);

	if (r == 0)
		lock = lock_folder(&scheduler.dir, err);
	if (r < 0 || lock < 0)
		return r < 0 ? r : lock;
	r = serve(&scheduler, &service, err);
	service_close(&service);
	scheduler_end(&scheduler);
	rpc_destroy(scheduler.rpc);
	return r;
}

int main(int argc, char **argv)
{
	struct scheduler_config config;
	struct loop *loop = NULL;
	struct error err;
	int r, log;

	log_init("scheduler", LOG_INFO);
	program_set_path();
	if (scheduler_config_read(&config, argc, argv, &err) < 0 ||
	    adapter_files_load(&config.adapters, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	if (config.help) {
		scheduler_print_help();
		return EXIT_DONE;
	}
	if (config.version) {
		puts("bellows-scheduler " VERSION);
		return EXIT_DONE;
	}
	if (config.verbose)
		log_init("scheduler", LOG_DEBUG);
	umask(077);
	spawn_raise_limit();
	clock_begin();
	r = log_open(config.log, &log, &err);
	if (r == 0)
		r = loop_create(&loop, &err);
	if (r == 0)
		r = run(&config, loop, &err);
	if (loop)
		loop_destroy(loop);
	if (r == 0)
		return EXIT_DONE;
	log_error("%s", err.text);
	return r == -EACCES   ? EXIT_USAGE
	       : r == -EINVAL ? EXIT_JOBFILE
			      : EXIT_SYSTEM;
}
