/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/executor.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/shm.h"
#include "executor/disk.h"
#include "executor/host.h"
#include "executor/launcher_setup.h"
#include "executor/opening.h"
#include "executor/probe.h"
#include "executor/processors.h"
#include "executor/ready.h"
#include "executor/tmpdir.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"
#include "rpc/connect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>

#define LEAVE_TIMEOUT SECONDS(2)

/* ---- leaving ---- */

static void on_ended(void *user, const struct rpc_status *status,
		     const ProtobufCMessage *answer)
{
	struct executor *ex = user;

	loop_stop(ex->loop, ex->exit_code);
}

static void say_good_bye(void *user)
{
	struct executor *ex = user;
	Bellows__V1__EndExecRequest request =
		BELLOWS__V1__END_EXEC_REQUEST__INIT;

	request.name = (char *)ex->config->name;
	request.incarnation = ex->incarnation;
	request.reason = ex->leave_reason;
	rpc_call_unary(ex->channel, CALL_END_EXEC, &request.base,
		       &bellows__v1__ack__descriptor, LEAVE_TIMEOUT, on_ended,
		       ex);
}

/* First no process is left, then what they printed is sent. */
static void on_left(struct executor *ex)
{
	if (ex->exit_code == EXIT_UNREACHABLE)
		loop_stop(ex->loop, ex->exit_code);
	else
		output_finish(ex->output, LEAVE_TIMEOUT, say_good_bye, ex);
}

void executor_leave(struct executor *ex, int code, const char *reason)
{
	if (!session_step(&ex->session, SESSION_EV_LEAVE))
		return;
	log_info("leaving: %s", reason);
	snprintf(ex->leave_reason, sizeof(ex->leave_reason), "%s", reason);
	ex->exit_code = code;
	loop_timer_clear(&ex->grace);
	ready_tell(ex);
	if (ex->stream)
		executor_beat(ex);
	launcher_setup_end(ex);
	opening_forget(ex);
	executor_kill_ranks(ex, on_left);
}

static void on_interrupt(void *user, int signo, pid_t sender)
{
	executor_leave(user, 128 + signo, strsignal(signo));
}

static void on_grace(void *user)
{
	struct executor *ex = user;

	log_warn("not released within %lld s: ending %u ranks",
		 (long long)ex->config->grace / 1000, ranks_count(ex->ranks));
	executor_leave(ex, 128 + SIGTERM, "its grace is over");
}

bool executor_ask_for_release(struct executor *ex, const char *why)
{
	if (ex->config->grace == 0 ||
	    !session_step(&ex->session, SESSION_EV_DRAIN))
		return false;
	log_info("%s: %u ranks may go on for %lld s", why,
		 ranks_count(ex->ranks), (long long)ex->config->grace / 1000);
	ex->leave_by = loop_now() + ex->config->grace;
	loop_timer_set(ex->loop, &ex->grace, ex->config->grace, on_grace, ex);
	ready_tell(ex);
	executor_beat(ex);
	return true;
}

static void on_terminate(void *user, int signo, pid_t sender)
{
	struct executor *ex = user;
	bool first = !ex->told_to_leave;

	ex->told_to_leave = true;
	if (first && ex->session == SESSION_DRAINING) {
		log_info("told to leave: it has asked for that already");
		return;
	}
	if (!executor_ask_for_release(ex, "told to leave"))
		on_interrupt(ex, signo, sender);
}

/* Before there is anything to be cleared away. */
static int catch_signals(struct executor *ex, struct error *err)
{
	int r = loop_signal_add(ex->loop, SIGTERM, on_terminate, ex, err);

	return r < 0 ? r
		     : loop_signal_add(ex->loop, SIGINT, on_interrupt, ex, err);
}

/* ---- life ---- */

/* -ENOKEY: the command line lacks something. */
static int connect_to(struct executor *ex, struct error *err)
{
	const struct executor_config *config = ex->config;
	const struct connect_config how = {
		.target = config->coordinator,
		.peer = COORDINATOR_TLS_NAME,
		.token_file = config->token_file,
		.tls = config->tls,
		.unencrypted = config->unencrypted,
	};

	return connect_open(&ex->channel, &ex->renew, ex->rpc, ex->loop, &how,
			    err);
}

static int set_up(struct executor *ex, const char *socket,
		  const char *const *env, struct error *err)
{
	int r = rpc_create(&ex->rpc, ex->loop, err);

	if (r == 0)
		r = connect_to(ex, err);
	if (r == 0)
		r = output_create(&ex->output, ex->loop, ex->channel,
				  ex->config->name, err);
	if (r == 0)
		r = ranks_create(&ex->ranks, ex->loop, ex->output, socket,
				 &executor_ranks_events, ex, err);
	if (r == 0)
		r = tail_create(&ex->tail, ex->loop, &executor_tail_events, ex,
				err);
	if (r == 0)
		r = programs_create(&ex->programs, ex->loop, env, err);
	if (r == 0)
		r = disk_create(&ex->disk, ex, err);
	if (r == 0)
		r = probe_create(&ex->probe, ex, err);
	return r;
}

static void tear_down(struct executor *ex)
{
	session_step(&ex->session, SESSION_EV_LEAVE);
	ready_tell(ex);
	launcher_setup_end(ex);
	loop_timer_clear(&ex->grace);
	loop_timer_clear(&ex->beat);
	loop_timer_clear(&ex->again);
	loop_timer_clear(&ex->patience);
	loop_timer_clear(&ex->kill);
	loop_timer_clear(&ex->full);
	lease_end(&ex->lease);
	renew_end(&ex->renew);
	rpc_channel_destroy(ex->channel);
	rpc_destroy(ex->rpc);
	opening_forget(ex);
	save_destroy(ex->save);
	tail_destroy(ex->tail);
	disk_destroy(ex->disk);
	probe_destroy(ex->probe);
	programs_destroy(ex->programs);
	ranks_destroy(ex->ranks);
	output_destroy(ex->output);
	jobfile_destroy(ex->job);
	unconfirmed_clear(&ex->reports);
}

static void make_shared_memory(struct executor *ex)
{
	struct error err;

	if (shm_begin(&ex->shm, ex->config->slots, ex->tmpdir.path, &err) != 0)
		log_warn("%s: their shared memory goes to %s; in a pod, mount "
			 "an emptyDir with medium: Memory at /dev/shm",
			 err.text, ex->tmpdir.path);
}

static int run(struct executor *ex, const char *bindir)
{
	char socket[4200], gate[4300], tmpdir[4200], path[8192];
	const char *before = getenv("PATH");
	const char *env[] = {gate, tmpdir, path, ex->shm.word, NULL};
	struct error err;
	int r;

	r = catch_signals(ex, &err);
	if (r == 0)
		r = ready_begin(ex->config->ready, &err);
	if (r == 0)
		r = tmpdir_make(ex, &err);
	if (r < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	snprintf(socket, sizeof(socket), "%s/gate", ex->tmpdir.path);
	snprintf(gate, sizeof(gate), "BELLOWS_GATE=%s", socket);
	snprintf(tmpdir, sizeof(tmpdir), "TMPDIR=%s", ex->tmpdir.path);
	snprintf(path, sizeof(path), "PATH=%s:%s", bindir,
		 before ? before : "/usr/local/bin:/usr/bin:/bin");
	setenv("PATH", path + strlen("PATH="), 1);
	/* PMIx (4.2) crashes without it if the user has no entry either */
	setenv("HOME", ex->tmpdir.path, 0);
	make_shared_memory(ex);
	if (!*ex->shm.word)
		env[LENGTH(env) - 2] = NULL;
	ex->env = env;
	ex->bindir = bindir;
	r = set_up(ex, socket, env, &err);
	if (r < 0) {
		log_error("%s", err.text);
		r = r == -ENOKEY ? EXIT_USAGE : EXIT_SYSTEM;
	} else {
		executor_lose_patience(ex);
		executor_join(ex);
		r = loop_run(ex->loop);
	}
	tear_down(ex); /* env is this function's */
	return r;
}

void executor_begin_life(struct executor *ex)
{
	ex->served = 0;
	if (getrandom(&ex->incarnation, sizeof(ex->incarnation), 0) < 0)
		ex->incarnation = (uint64_t)loop_now();
}

int executor_run(const struct executor_config *config, struct loop *loop,
		 const char *bindir)
{
	struct executor ex = {
		.config = config,
		.loop = loop,
		.lease.loop = loop,
		.claim = CLAIM_NONE,
		.tmpdir = SCRATCH_NONE,
		.shm = SHM_NONE,
	};
	struct error err;
	int r;

	bellows__v1__checkpoint_report__init(&ex.judged);
	unconfirmed_init(&ex.reports);
	host_machine(ex.machine);
	host_node(ex.node);
	processors_begin(&ex);
	executor_begin_life(&ex);
	r = run(&ex, bindir);
	processors_end(&ex);
	claim_leave(&ex.claim);
	shm_end(&ex.shm);
	if (scratch_remove(&ex.tmpdir, &err) < 0)
		log_warn("%s", err.text);
	return r;
}
