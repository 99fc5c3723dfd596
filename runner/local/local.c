/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"
#include "jobfile/exit.h"
#include "runner/local/internal.h"
#include "runner/local/previous_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Patience with each step; see local.h. */
#define LISTEN    SECONDS(10)
#define LEAVE     SECONDS(30) /* from any change to the coordinator's end */
#define FOLLOW    SECONDS(10) /* from the coordinator's end to the monitor's */
#define DRAIN     SECONDS(2)  /* pipes that something else still holds */
#define TERMINATE SECONDS(5)  /* from SIGTERM to SIGKILL */
#define KILL      SECONDS(3)

#define POLL MSEC(20)

enum { MONITORS_MAX = 7, NUMBER_MAX = 12 };

static struct local *local_of(struct run *run)
{
	return CONTAINER(run, struct local, run);
}

static bool is_running(const struct local *local)
{
	return local->coordinator.running || local->monitor.running;
}

/* ---- the end ---- */

/* The run ends once nothing is left of it. */
static void settle(void *user)
{
	struct local *local = user;

	if (!is_running(local) && local->out.fd < 0 && local->err.fd < 0)
		local_conclude(local);
}

/* A process that still holds the pipes is not of the job: they are closed. */
static void on_drained(void *user)
{
	struct local *local = user;

	pipe_reader_finish(&local->out);
	pipe_reader_finish(&local->err);
	settle(local);
}

static void check_drain(struct local *local)
{
	if (!is_running(local)) {
		loop_timer_clear(&local->run.patience);
		loop_timer_set(local->run.client.loop, &local->poll, DRAIN,
			       on_drained, local);
	}
	settle(local);
}

static void give_up(struct local *local, int code, const char *why)
{
	snprintf(local->failure, sizeof(local->failure), "%s", why);
	local->failure_code = code;
	run_fail(&local->run);
}

/* ---- the kind ---- */

static bool hears(const struct run *run)
{
	return run->phase == RUN_WATCHING && !run->over;
}

static void asked(struct run *run)
{
	previous_run_mark_ending(local_of(run)->config.lock);
}

static void end(struct run *run)
{
	struct local *local = local_of(run);

	process_signal(&local->coordinator, SIGTERM);
	process_signal(&local->monitor, SIGTERM);
	run_set_patience(run, TERMINATE);
}

static void kill_all(struct run *run)
{
	struct local *local = local_of(run);

	process_kill(&local->coordinator);
	process_kill(&local->monitor);
	run_set_patience(run, KILL);
}

static void leave(struct run *run)
{
	local_conclude(local_of(run));
}

static void late(struct run *run)
{
	if (run->phase != RUN_LEAVING)
		run_say(run, "no answer: ending the programs");
}

static void hurry(struct run *run)
{
	struct local *local = local_of(run);

	if (!is_running(local))
		local_conclude(local);
	run_fail(run);
}

static void hold(struct run *run)
{
	struct local *local = local_of(run);

	pipe_reader_hold(&local->out, run->held);
	pipe_reader_hold(&local->err, run->held);
}

static void destroy(struct run *run)
{
	struct local *local = local_of(run);

	process_fini(&local->coordinator);
	process_fini(&local->monitor);
	loop_timer_clear(&local->poll);
	loop_timer_clear(&local->revive);
	pipe_reader_fini(&local->out);
	pipe_reader_fini(&local->err);
	run_fini(run);
	local_tls_fini(local);
	local_token_fini(local);
	free(local);
}

static const struct run_kind kind = {
	.ending = "ending the programs",
	.to_end = "end the programs",
	.hears = hears,
	.asked = asked,
	.end = end,
	.kill = kill_all,
	.leave = leave,
	.late = late,
	.hurry = hurry,
	.hold = hold,
	.destroy = destroy,
};

/* Puts an option at *end, if it has a value. */
static void add_option(const char ***end, const char *option, const char *value)
{
	if (!value)
		return;
	*(*end)++ = option;
	*(*end)++ = value;
}

/* Likewise; 0: it has none. */
static void add_number(const char ***end, const char *option, unsigned number,
		       char text[NUMBER_MAX])
{
	snprintf(text, NUMBER_MAX, "%u", number);
	add_option(end, option, number > 0 ? text : NULL);
}

/* Puts the options of a program of that role at *end: what it shows to others,
 * and asks of them. */
static void add_access(struct local *local, enum role role, const char ***end)
{
	add_option(end, "--token-file",
		   *local->token_file ? local->token_file : NULL);
	local_tls_add(local, role, "--tls", end);
	if (local->config.lookup->unencrypted)
		*(*end)++ = "--unencrypted";
}

/* ---- the monitor ---- */

static int start_monitor(struct local *local, struct error *err);

static void revive_monitor(void *user)
{
	struct local *local = user;
	struct error err;

	if (local->run.phase == RUN_WATCHING && !local->run.over &&
	    start_monitor(local, &err) < 0)
		give_up(local, EXIT_SYSTEM, err.text);
}

static void on_monitor_end(void *user)
{
	struct local *local = user;

	if (local->run.phase != RUN_WATCHING || local->run.over ||
	    local->run.stop >= STOP_END) {
		check_drain(local);
		return;
	}
	if (local->monitors < MONITORS_MAX) {
		run_say(&local->run,
			"the monitor has ended, and its executors with it: "
			"another one is started; see %s/monitor.log",
			local->config.dir->path);
		loop_timer_set(local->run.client.loop, &local->revive,
			       backoff(local->monitors - 1, 500, 5000),
			       revive_monitor, local);
		return;
	}
	run_say(&local->run, "the monitor has ended too often");
	run_fail(&local->run);
}

static int start_monitor(struct local *local, struct error *err)
{
	const struct local_config *config = &local->config;
	const char *argv[18 + ADAPTER_FILES_ARGS_MAX + 1] = {
		NULL,
		"--job",
		config->job_file,
		"--coordinator",
		local->run.client.address,
		"--state",
		config->dir->path,
	};
	const char **end;
	CLEANUP(close) int log = -1;
	char path[PATH_MAX + 16];

	end = adapter_files_put(config->adapters, argv + 7);
	add_option(&end, "--folder", config->folder);
	add_option(&end, "--hosts", config->hosts ? config->hosts_file : NULL);
	add_access(local, ROLE_MONITOR, &end);
	local_tls_add(local, ROLE_EXECUTOR, "--executor-tls", &end);
	snprintf(path, sizeof(path), "%s/monitor.log", config->dir->path);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		   0600);
	if (log < 0)
		return error_errno(err, "%s", path);
	local->monitors++;
	local->monitor.program = "bellows-monitor";
	local->monitor.on_end = on_monitor_end;
	local->monitor.user = local;
	return process_start(&local->monitor, local->run.client.loop, argv, log,
			     log, err);
}

/* ---- watching the job ---- */

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct local *local = user;
	bool moved = !local->run.known || local->run.state != job->state;

	run_job(&local->run, job);
	if (local->run.over || job->target == 0)
		asked(&local->run);
	if (moved && local->run.asked && local->run.stop < STOP_END)
		run_set_patience(&local->run, LEAVE);
}

static void on_watch_end(void *user, int r, const struct error *err)
{
	struct local *local = user;

	if (local->run.stop < STOP_END)
		run_set_patience(&local->run, LEAVE);
}

/* The address was written: watches the job, and starts the monitor. */
static void begin_watch(struct local *local)
{
	static const struct watch_events events = {
		.on_job = on_job,
		.on_end = on_watch_end,
	};
	struct error err;

	if (client_connect(&local->run.client, &err) < 0 ||
	    start_monitor(local, &err) < 0) {
		give_up(local, EXIT_SYSTEM, err.text);
		return;
	}
	if (local->config.hosts)
		local_tell_address(local);
	local->run.phase = RUN_WATCHING;
	watch_start(&local->run.watch, &local->run.client, 0, &events, local);
}

/* For another one; told once. */
static bool coordinator_waits(struct local *local)
{
	char text[700];

	if (state_dir_waiting(local->config.dir, text, sizeof(text), NULL) < 0)
		return false;
	if (!local->waits++)
		run_say(&local->run, "%s", text);
	local->started = loop_now();
	return true;
}

static void look_for_address(void *user)
{
	struct local *local = user;
	struct client *client = &local->run.client;
	struct stamp stamp;
	struct error err;
	int r = state_dir_address(local->config.dir, client->address,
				  sizeof(client->address), &stamp, &err);

	if (r == 0 && memcmp(&stamp, &local->old_address, sizeof(stamp))) {
		begin_watch(local);
		return;
	}
	if (!coordinator_waits(local) &&
	    loop_now() - local->started >= LISTEN) {
		give_up(local, EXIT_UNREACHABLE,
			"the coordinator did not listen within 10 s");
		return;
	}
	loop_timer_set(client->loop, &local->poll, POLL, look_for_address,
		       local);
}

/* ---- the coordinator ---- */

static void on_output(void *user, const char *data, size_t n)
{
	struct local *local = user;

	local->run.events->on_output(local->run.user, false, data, n);
}

static void on_coordinator_end(void *user)
{
	struct local *local = user;

	local->run.phase = RUN_LEAVING;
	loop_timer_clear(&local->poll);
	loop_timer_clear(&local->revive);
	watch_stop(&local->run.watch);
	/* who sees no end of the job waits for another coordinator */
	if (!local->run.over)
		process_signal(&local->monitor, SIGTERM);
	if (local->run.stop < STOP_END)
		run_set_patience(&local->run, FOLLOW);
	check_drain(local);
}

static int start_readers(struct local *local, int out, int err_fd,
			 struct error *err)
{
	struct loop *loop = local->run.client.loop;
	int r, k;

	r = pipe_reader_start(&local->out, loop, out, false, on_output, settle,
			      local, err);
	k = pipe_reader_start(&local->err, loop, err_fd, true,
			      local_on_error_line, settle, local, err);
	return r < 0 ? r : k;
}

static int start_coordinator(struct local *local, struct error *err)
{
	const struct local_config *config = &local->config;
	char log[4200], want[NUMBER_MAX], grant[NUMBER_MAX];
	const char *argv[20 + ADAPTER_FILES_ARGS_MAX + 1] = {
		NULL,      "--job",           config->job_file,
		"--state", config->dir->path, "--log",
		log,
	};
	int out[2], errors[2], r;
	const char **end = adapter_files_put(config->adapters, argv + 7);

	add_option(&end, "--folder", config->folder);
	add_number(&end, "--want", config->want, want);
	add_number(&end, "--grant", config->grant, grant);
	add_option(&end, "--listen", config->listen);
	add_access(local, ROLE_COORDINATOR, &end);
	snprintf(log, sizeof(log), "%s/coordinator.log", config->dir->path);
	if (pipe2(out, O_CLOEXEC) < 0)
		return error_errno(err, "pipe");
	if (pipe2(errors, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return error_errno(err, "pipe");
	}
	local->coordinator.program = "bellows-coordinator";
	local->coordinator.on_end = on_coordinator_end;
	local->coordinator.user = local;
	r = start_readers(local, out[0], errors[0], err);
	if (r == 0)
		r = process_start(&local->coordinator, local->run.client.loop,
				  argv, out[1], errors[1], err);
	close(out[1]);
	close(errors[1]);
	return r;
}

static int start(struct local *local, struct error *err)
{
	char address[256];
	int r;

	/* what a former coordinator left is not the new one's address */
	state_dir_address(local->config.dir, address, sizeof(address),
			  &local->old_address, NULL);
	r = local_token_init(local, err);
	if (r == 0)
		r = local_tls_init(local, err);
	if (r == 0)
		r = start_coordinator(local, err);
	if (r < 0)
		return r;
	local->started = loop_now();
	loop_timer_set(local->run.client.loop, &local->poll, 0,
		       look_for_address, local);
	return 0;
}

int local_start(struct run **out, struct loop *loop,
		const struct local_config *config,
		const struct run_events *events, void *user, struct error *err)
{
	struct local *local = calloc(1, sizeof(*local));
	int r;

	if (!local)
		return error_set(err, -ENOMEM, "out of memory");
	run_init(&local->run, &kind, loop, config->job->name, events, user);
	local->run.save_deadline = config->job->checkpoint_deadline;
	local->config = *config;
	r = start(local, err);
	if (r < 0)
		run_destroy(&local->run);
	else
		*out = &local->run;
	return r;
}
