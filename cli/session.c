/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session_internal.h"

#include "base/backoff.h"
#include "cli/views/timeline.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

/* Patience with each step; see session.h. */
#define LISTEN SECONDS(10)
#define LEAVE  SECONDS(30) /* from any change to the coordinator's end */
#define FOLLOW SECONDS(10) /* from the coordinator's end to the monitor's */
#define DRAIN  SECONDS(2)  /* pipes that somebody else still holds */

enum { POLL = 20, MONITORS_MAX = 7 };

/* Ends the loop once nothing is left of the session. */
static void settle(void *user)
{
	struct session *session = user;

	pump_hold(&session->out, show_is_full(session->show));
	pump_hold(&session->err, show_is_full(session->show));
	if (session->coordinator.running || session->monitor.running)
		return;
	if (session->out.fd >= 0 || session->err.fd >= 0)
		return;
	show_over(session->show);
	if (show_is_empty(session->show))
		loop_stop(session->client.loop, 0);
}

static void on_output(void *user, const char *data, size_t n)
{
	struct session *session = user;

	show_output(session->show, false, data, n);
	pump_hold(&session->out, show_is_full(session->show));
}

/* Whoever still holds the pipes does not belong to the job any more. */
static void on_drained(void *user)
{
	struct session *session = user;

	pump_finish(&session->out);
	pump_finish(&session->err);
	settle(session);
}

static void check_drain(struct session *session)
{
	if (!session->coordinator.running && !session->monitor.running) {
		loop_timer_clear(&session->patience);
		loop_timer_set(session->client.loop, &session->poll, DRAIN,
			       on_drained, session);
	}
	settle(session);
}

static void on_coordinator_end(void *user)
{
	struct session *session = user;

	session->phase = SESSION_LEAVING;
	loop_timer_clear(&session->poll);
	loop_timer_clear(&session->revive);
	watch_stop(&session->watch);
	if (session->stop < STOP_TERMINATE)
		session_set_patience(session, FOLLOW);
	check_drain(session);
}

static int start_monitor(struct session *session, struct error *err);
static void give_up(struct session *session, int code, const char *why);

static void revive_monitor(void *user)
{
	struct session *session = user;
	struct error err;

	if (session->phase == SESSION_WATCHING && !session->over &&
	    start_monitor(session, &err) < 0)
		give_up(session, EXIT_SYSTEM, err.text);
}

static void on_monitor_end(void *user)
{
	struct session *session = user;

	if (session->phase != SESSION_WATCHING || session->over ||
	    session->stop >= STOP_TERMINATE) {
		check_drain(session);
		return;
	}
	if (session->monitors < MONITORS_MAX) {
		show_say(session->show,
			 "the monitor has ended, and its executors with it: "
			 "another one is started; see %s/monitor.log",
			 session->config->dir->path);
		loop_timer_set(session->client.loop, &session->revive,
			       backoff(session->monitors - 1, 500, 5000),
			       revive_monitor, session);
		return;
	}
	show_say(session->show, "the monitor has ended too often");
	session_terminate(session);
}

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct session *session = user;
	const Bellows__V1__Job *last = show_last(session->show);
	bool moved = !last || last->state != job->state;

	show_job(session->show, job);
	session->over = state_is_over(job->state);
	if (moved && session->asked && session->stop < STOP_TERMINATE)
		session_set_patience(session, LEAVE);
}

static void on_watch_end(void *user, int r, const struct error *err)
{
	struct session *session = user;

	if (session->stop < STOP_TERMINATE)
		session_set_patience(session, LEAVE);
}

static int start_monitor(struct session *session, struct error *err)
{
	const struct session_config *config = session->config;
	const char *argv[16 + ADAPTER_FILES_ARGS_MAX + 1] = {
		NULL,
		"--job",
		config->job_file,
		"--coordinator",
		session->client.address,
		"--state",
		config->dir->path,
	};
	const char **end;
	CLEANUP(close) int log = -1;
	char path[PATH_MAX + 16];

	end = adapter_files_put(&config->args->adapters, argv + 7);
	if (config->hosts) {
		*end++ = "--hosts";
		*end++ = config->hosts_file;
	}
	if (*session->token_file) {
		*end++ = "--token-file";
		*end++ = session->token_file;
	}
	session_tls_add(session, ROLE_MONITOR, "--tls", &end);
	session_tls_add(session, ROLE_EXECUTOR, "--executor-tls", &end);
	if (config->args->lookup.unencrypted)
		*end++ = "--unencrypted";
	snprintf(path, sizeof(path), "%s/monitor.log", config->dir->path);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		   0600);
	if (log < 0)
		return error_errno(err, "%s", path);
	session->monitors++;
	session->monitor.program = "bellows-monitor";
	session->monitor.on_end = on_monitor_end;
	session->monitor.user = session;
	return process_start(&session->monitor, session->client.loop, argv, log,
			     log, err);
}

static void give_up(struct session *session, int code, const char *why)
{
	snprintf(session->failure, sizeof(session->failure), "%s", why);
	session->failure_code = code;
	session_terminate(session);
}

static void tell_address(const struct session *session)
{
	const char *address = session->client.address;

	if (*session->tls)
		show_say(session->show,
			 "listening on %s, encrypted; who has %s and %s/client "
			 "may command the job",
			 address, session->token_file, session->tls);
	else
		show_say(session->show,
			 "listening on %s, not encrypted; who has %s may "
			 "command the job",
			 address, session->token_file);
}

/* The address was written: watch, and start who brings executors. */
static void begin(struct session *session)
{
	static const struct watch_events events = {
		.on_job = on_job,
		.on_end = on_watch_end,
	};
	struct error err;

	if (client_connect(&session->client, &err) < 0 ||
	    start_monitor(session, &err) < 0) {
		give_up(session, EXIT_SYSTEM, err.text);
		return;
	}
	if (session->config->hosts)
		tell_address(session);
	session->phase = SESSION_WATCHING;
	watch_start(&session->watch, &session->client, 0, &events, session);
}

static void look_for_address(void *user)
{
	struct session *session = user;
	struct client *client = &session->client;
	struct stamp stamp;
	struct error err;
	int r;

	r = statedir_address(session->config->dir, client->address,
			     sizeof(client->address), &stamp, &err);
	if (r == 0 && memcmp(&stamp, &session->old_address, sizeof(stamp))) {
		begin(session);
		return;
	}
	if (loop_now() - session->started >= LISTEN) {
		give_up(session, EXIT_UNREACHABLE,
			"the coordinator did not listen within 10 s");
		return;
	}
	loop_timer_set(client->loop, &session->poll, POLL, look_for_address,
		       session);
}

static int start_pumps(struct session *session, int out, int err_fd,
		       struct error *err)
{
	struct loop *loop = session->client.loop;
	int r, k;

	r = pump_start(&session->out, loop, out, false, on_output, settle,
		       session, err);
	k = pump_start(&session->err, loop, err_fd, true, session_on_error_line,
		       settle, session, err);
	return r < 0 ? r : k;
}

static int start_coordinator(struct session *session, struct error *err)
{
	const struct session_config *config = session->config;
	char log[4200];
	const char *argv[14 + ADAPTER_FILES_ARGS_MAX + 1] = {
		NULL,      "--job",           config->job_file,
		"--state", config->dir->path, "--log",
		log,
	};
	int out[2], errors[2], r;
	const char **end = adapter_files_put(&config->args->adapters, argv + 7);

	if (config->listen) {
		*end++ = "--listen";
		*end++ = config->listen;
	}
	if (*session->token_file) {
		*end++ = "--token-file";
		*end++ = session->token_file;
	}
	session_tls_add(session, ROLE_COORDINATOR, "--tls", &end);
	if (config->args->lookup.unencrypted)
		*end++ = "--unencrypted";
	snprintf(log, sizeof(log), "%s/coordinator.log", config->dir->path);
	if (pipe2(out, O_CLOEXEC) < 0)
		return error_errno(err, "pipe");
	if (pipe2(errors, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return error_errno(err, "pipe");
	}
	session->coordinator.program = "bellows-coordinator";
	session->coordinator.on_end = on_coordinator_end;
	session->coordinator.user = session;
	r = start_pumps(session, out[0], errors[0], err);
	if (r == 0)
		r = process_start(&session->coordinator, session->client.loop,
				  argv, out[1], errors[1], err);
	close(out[1]);
	close(errors[1]);
	return r;
}

static int start(struct session *session, struct error *err)
{
	const struct show_config show =
		show_of_run(session->config->args, session->config->output,
			    settle, session);
	char address[256];
	int r;

	r = client_loop(&session->client, err);
	if (r == 0)
		r = show_create(&session->show, session->client.loop, &show,
				err);
	if (r == 0)
		r = session_stop_init(session, err);
	if (r < 0)
		return r;
	/* what a former coordinator left is not the new one's address */
	statedir_address(session->config->dir, address, sizeof(address),
			 &session->old_address, NULL);
	r = session_token_init(session, err);
	if (r == 0)
		r = session_tls_init(session, err);
	if (r == 0)
		r = start_coordinator(session, err);
	if (r < 0)
		return r;
	session->started = loop_now();
	look_for_address(session);
	return 0;
}

/* The coordinator did not end by itself, or not at all. */
static int conclude_killed(const struct session *session)
{
	const Bellows__V1__Job *job = show_last(session->show);
	int status = session->coordinator.status;

	if (session->over)
		return job->exit_code;
	if (session->asked)
		return EXIT_CANCELLED;
	if (session->coordinator.running)
		return output_fail(session->config->output, EXIT_INTERNAL,
				   "the coordinator did not end");
	return output_fail(session->config->output, EXIT_INTERNAL,
			   "the coordinator was ended by signal %d (%s)",
			   WTERMSIG(status), strsignal(WTERMSIG(status)));
}

static int conclude(const struct session *session)
{
	const struct output *output = session->config->output;
	const Bellows__V1__Job *job = show_last(session->show);
	const char *why = session->last_error;
	int code;

	if (session->failure[0])
		return output_fail(output, session->failure_code, "%s",
				   session->failure);
	if (session->coordinator.running ||
	    !WIFEXITED(session->coordinator.status))
		return conclude_killed(session);

	code = WEXITSTATUS(session->coordinator.status);
	if (!session->client.channel && session->asked)
		return EXIT_CANCELLED;
	if (!session->client.channel)
		return output_fail(output, code ? code : EXIT_INTERNAL,
				   "the coordinator ended before it listened%s"
				   "%s",
				   why[0] ? ": " : "", why);
	if (code == 0 || session->asked ||
	    (session->over && !session->config->args->quiet))
		return code;
	if (session->over)
		return output_fail(output, code, "%s: %s",
				   state_name(job->state), job->reason);
	return output_fail(output, code,
			   "the coordinator ended with status %d%s%s", code,
			   why[0] ? ": " : "", why);
}

static void draw_timeline(const struct session *session)
{
	const char *path = session->config->args->timeline;
	const Bellows__V1__Job *job = show_last(session->show);
	struct error err;

	if (path && job && timeline_save(path, job, &err) < 0)
		fprintf(stderr, "bellows: no timeline: %s\n", err.text);
}

static void session_fini(struct session *session)
{
	watch_stop(&session->watch);
	loop_timer_clear(&session->poll);
	loop_timer_clear(&session->revive);
	loop_timer_clear(&session->patience);
	pump_fini(&session->out);
	pump_fini(&session->err);
	show_destroy(session->show);
	client_close(&session->client);
	session_tls_fini(session);
	session_token_fini(session);
}

int session_run(const struct session_config *config)
{
	struct session session = {.config = config};
	struct error err;
	int code, r;

	snprintf(session.client.name, sizeof(session.client.name), "%s",
		 config->job->name);
	r = start(&session, &err);
	if (r == 0) {
		r = loop_run(session.client.loop);
		draw_timeline(&session);
	}
	if (r < 0 && session.coordinator.running)
		process_kill(&session.coordinator);
	code = r < 0 ? output_fail(config->output, EXIT_SYSTEM, "%s", err.text)
		     : conclude(&session);
	session_fini(&session);
	return code;
}
