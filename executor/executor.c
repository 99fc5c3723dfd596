/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/executor.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "executor/host.h"
#include "executor/process.h"
#include "executor/program.h"
#include "executor/save.h"
#include "jobfile/exit.h"
#include "proto/bellows.pb-c.h"
#include "rpc/client.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>

enum {
	CALL_TIMEOUT = 10000,
	LEAVE_TIMEOUT = 2000,
	KILL_AFTER = 3000,
	LOOK_AGAIN = 20,
};

struct executor {
	const struct config *config;
	struct loop *loop;
	struct rpc *rpc;
	struct rpc_channel *channel;
	struct rpc_stream *stream; /* NULL unless attached */
	uint64_t incarnation;
	char machine[MEMBER_TEXT_MAX];
	bool introduced;
	unsigned attempts;
	msec_t heartbeat;
	struct jobfile *job; /* NULL until the first JobInit */
	struct output *output;
	struct ranks *ranks;
	struct programs *programs;
	struct save *save;
	struct loop_timer beat, again, patience, leave;
	bool leaving;
	msec_t leave_since;
	char leave_reason[128];
	int exit_code;
	Bellows__V1__CheckpointReport judged; /* until it was delivered */
	char judged_text[512];
};

static void join(void *user);
static void leave(struct executor *ex, int code, const char *reason);

/* ---- up ---- */

static void report(struct executor *ex, Bellows__V1__Report *r)
{
	if (!ex->stream)
		return; /* said again once attached */
	if (!ex->introduced) {
		r->name = (char *)ex->config->name;
		r->incarnation = ex->incarnation;
		ex->introduced = true;
	}
	rpc_stream_send(ex->stream, &r->base);
}

static void beat(void *user)
{
	struct executor *ex = user;
	Bellows__V1__Heartbeat heartbeat = BELLOWS__V1__HEARTBEAT__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	heartbeat.ranks = ranks_count(ex->ranks);
	r.what_case = BELLOWS__V1__REPORT__WHAT_HEARTBEAT;
	r.heartbeat = &heartbeat;
	report(ex, &r);
	loop_timer_set(ex->loop, &ex->beat, ex->heartbeat, beat, ex);
}

static void on_arrived(void *user, unsigned epoch, unsigned rank, pid_t pid)
{
	Bellows__V1__GateArrived gate = BELLOWS__V1__GATE_ARRIVED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	gate.epoch = epoch;
	gate.rank = rank;
	gate.pid = (uint32_t)pid;
	r.what_case = BELLOWS__V1__REPORT__WHAT_GATE_ARRIVED;
	r.gate_arrived = &gate;
	report(user, &r);
}

static void on_up(void *user, unsigned epoch, const unsigned *numbers,
		  size_t n, const char *failure)
{
	Bellows__V1__RanksUp up = BELLOWS__V1__RANKS_UP__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	up.epoch = epoch;
	up.rank = (uint32_t *)numbers;
	up.n_rank = n;
	if (failure)
		up.failure = (char *)failure;
	r.what_case = BELLOWS__V1__REPORT__WHAT_RANKS_UP;
	r.ranks_up = &up;
	report(user, &r);
}

static void on_gone(void *user, unsigned epoch)
{
	struct executor *ex = user;
	Bellows__V1__RanksGone gone = BELLOWS__V1__RANKS_GONE__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	gone.epoch = epoch;
	r.what_case = BELLOWS__V1__REPORT__WHAT_RANKS_GONE;
	r.ranks_gone = &gone;
	report(ex, &r);
	if (ex->save)
		save_on_gone(ex->save, epoch);
}

static const struct ranks_events ranks_events = {on_arrived, on_up, on_gone};

static void on_program_end(void *user, uint64_t id, int status,
			   const char *text, const char *failure)
{
	Bellows__V1__ProgramEnded ended = BELLOWS__V1__PROGRAM_ENDED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	ended.launch = id;
	ended.status = (uint32_t)status;
	ended.text = (char *)text;
	if (failure)
		ended.failure = (char *)failure;
	r.what_case = BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED;
	r.program_ended = &ended;
	report(user, &r);
}

static void answer_probe(void *user, uint64_t token, int status,
			 const char *text, const char *failure)
{
	struct executor *ex = user;
	Bellows__V1__Probed probed = BELLOWS__V1__PROBED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;
	struct error err;
	int good = host_check(ex->job, &err);

	if (good == 0 && failure)
		good = error_set(&err, -EIO, "%s", failure);
	if (good == 0 && status != 0)
		good = error_set(&err, -ENOENT,
				 "cannot run orted: it is not in PATH");
	probed.token = token;
	if (good < 0)
		probed.failure = err.text;
	r.what_case = BELLOWS__V1__REPORT__WHAT_PROBED;
	r.probed = &probed;
	report(ex, &r);
}

/* ---- checkpoints ---- */

static void on_begun(void *user, unsigned epoch)
{
	Bellows__V1__SaveBegun begun = BELLOWS__V1__SAVE_BEGUN__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	begun.epoch = epoch;
	r.what_case = BELLOWS__V1__REPORT__WHAT_SAVE_BEGUN;
	r.save_begun = &begun;
	report(user, &r);
}

static void on_delivered(void *user, const struct rpc_status *status,
			 const ProtobufCMessage *answer)
{
	struct executor *ex = user;

	if (status->code == RPC_OK)
		ex->judged.epoch = 0;
	else
		log_warn("checkpoint report not delivered: %s",
			 status->message);
}

static void deliver_judgement(struct executor *ex)
{
	if (ex->judged.epoch == 0)
		return;
	rpc_call_unary(ex->channel, "/bellows.v1.Coordinator/Checkpointing",
		       &ex->judged.base, &bellows__v1__ack__descriptor,
		       CALL_TIMEOUT, on_delivered, ex);
}

static void on_judged(void *user, unsigned epoch,
		      const struct checkpoint *found, const char *failure)
{
	struct executor *ex = user;
	Bellows__V1__CheckpointReport *judged = &ex->judged;

	bellows__v1__checkpoint_report__init(judged);
	judged->name = (char *)ex->config->name;
	judged->epoch = epoch;
	judged->complete = judged->newer = failure == NULL;
	judged->step = found->step;
	judged->files = found->files;
	judged->bytes = found->bytes;
	if (failure) {
		snprintf(ex->judged_text, sizeof(ex->judged_text), "%s",
			 failure);
		judged->failure = ex->judged_text;
	}
	deliver_judgement(ex);
}

static const struct save_events save_events = {on_begun, on_judged};

/* ---- orders ---- */

static void obey_open(struct executor *ex, const Bellows__V1__Open *open)
{
	const struct ranks_command command = {
		.argv = open->argv,
		.n_argv = open->n_argv,
		.env = open->env,
		.n_env = open->n_env,
		.dir = open->dir,
		.ranks = open->ranks,
	};

	ranks_open(ex->ranks, open->epoch, &command);
}

static void on_order(void *user, const ProtobufCMessage *message)
{
	struct executor *ex = user;
	const Bellows__V1__Order *order = (const Bellows__V1__Order *)message;

	if (ex->leaving)
		return;
	switch (order->what_case) {
	case BELLOWS__V1__ORDER__WHAT_LAUNCH:
		programs_start(ex->programs, order->launch->launch,
			       order->launch->epoch, order->launch->command,
			       on_program_end, ex);
		return;
	case BELLOWS__V1__ORDER__WHAT_OPEN:
		obey_open(ex, order->open);
		return;
	case BELLOWS__V1__ORDER__WHAT_SIGNAL:
		ranks_signal(ex->ranks, order->signal->epoch,
			     (int)order->signal->signo, false);
		return;
	case BELLOWS__V1__ORDER__WHAT_SAVE:
		save_order(ex->save, order->save->epoch);
		return;
	case BELLOWS__V1__ORDER__WHAT_STOP:
		if (order->stop->patience == 0)
			save_cancel(ex->save, order->stop->epoch);
		ranks_stop(ex->ranks, order->stop->epoch,
			   order->stop->patience);
		return;
	case BELLOWS__V1__ORDER__WHAT_PROBE:
		programs_start(ex->programs, order->probe->token, 0,
			       "command -v orted >/dev/null", answer_probe,
			       ex);
		return;
	case BELLOWS__V1__ORDER__WHAT_RELEASE:
		leave(ex, EXIT_DONE, order->release->reason);
		return;
	case BELLOWS__V1__ORDER__WHAT__NOT_SET:
	case _BELLOWS__V1__ORDER__WHAT__CASE_IS_INT_SIZE:
		return; /* of a newer coordinator */
	}
}

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
	rpc_call_unary(ex->channel, "/bellows.v1.Coordinator/EndExec",
		       &request.base, &bellows__v1__ack__descriptor,
		       LEAVE_TIMEOUT, on_ended, ex);
}

/* First no process is left, then what they printed is sent. */
static void clear(void *user)
{
	struct executor *ex = user;
	bool late = loop_now() - ex->leave_since > KILL_AFTER;

	if (process_signal(0, false, late ? SIGKILL : 0) > 0) {
		loop_timer_set(ex->loop, &ex->leave, LOOK_AGAIN, clear, ex);
		return;
	}
	if (ex->exit_code == EXIT_UNREACHABLE)
		loop_stop(ex->loop, ex->exit_code);
	else
		output_finish(ex->output, LEAVE_TIMEOUT, say_good_bye, ex);
}

static void leave(struct executor *ex, int code, const char *reason)
{
	if (ex->leaving)
		return;
	log_info("leaving: %s", reason);
	snprintf(ex->leave_reason, sizeof(ex->leave_reason), "%s", reason);
	ex->leaving = true;
	ex->exit_code = code;
	ex->leave_since = loop_now();
	process_signal(0, false, SIGTERM);
	clear(ex);
}

static void on_patience(void *user)
{
	struct executor *ex = user;

	log_error("coordinator %s not reached for %lld s: ending %u ranks",
		  ex->config->coordinator,
		  (long long)ex->config->patience / 1000,
		  ex->ranks ? ranks_count(ex->ranks) : 0);
	leave(ex, EXIT_UNREACHABLE, "the coordinator is gone");
}

static void on_signal(void *user, int signo, pid_t sender)
{
	leave(user, 128 + signo, strsignal(signo));
}

/* ---- joining ---- */

static void lose_patience(struct executor *ex)
{
	if (!loop_timer_is_set(&ex->patience))
		loop_timer_set(ex->loop, &ex->patience, ex->config->patience,
			       on_patience, ex);
}

static void try_again(struct executor *ex)
{
	lose_patience(ex);
	loop_timer_clear(&ex->beat);
	loop_timer_set(ex->loop, &ex->again,
		       rpc_backoff(ex->attempts++, 100, 2000), join, ex);
}

static void on_detached(void *user, const struct rpc_status *status)
{
	struct executor *ex = user;

	ex->stream = NULL;
	if (ex->leaving)
		return;
	log_info("detached: %s %s", rpc_code_name(status->code),
		 status->message);
	try_again(ex);
}

static const struct rpc_stream_events stream_events = {
	.on_message = on_order,
	.on_end = on_detached,
};

static int attach(struct executor *ex, struct error *err)
{
	int r;

	ex->introduced = false;
	r = rpc_stream_open(&ex->stream, ex->channel,
			    "/bellows.v1.Coordinator/ActiveServer", NULL,
			    &bellows__v1__order__descriptor, 0, &stream_events,
			    ex, err);
	if (r < 0) {
		ex->stream = NULL;
		return r;
	}
	loop_timer_clear(&ex->patience);
	ex->attempts = 0;
	beat(ex);
	ranks_repeat(ex->ranks);
	deliver_judgement(ex);
	return 0;
}

static int take_job(struct executor *ex, const Bellows__V1__JobInitReply *reply,
		    struct error *err)
{
	int r;

	ex->heartbeat = reply->heartbeat > 0 ? reply->heartbeat : 1000;
	if (ex->job)
		return 0;
	r = jobfile_parse(&ex->job, "the coordinator's job file",
			  reply->job_file, strlen(reply->job_file), reply->dir,
			  err);
	if (r < 0)
		return r;
	return save_create(&ex->save, ex->loop, ex->ranks, ex->job,
			   &save_events, ex, err);
}

static void on_joined(void *user, const struct rpc_status *status,
		      const ProtobufCMessage *answer)
{
	struct executor *ex = user;
	struct error err;
	int r;

	if (ex->leaving)
		return;
	if (status->code == RPC_UNAVAILABLE || status->code == RPC_CANCELLED ||
	    status->code == RPC_DEADLINE_EXCEEDED) {
		try_again(ex);
		return;
	}
	if (status->code != RPC_OK) {
		log_error("refused by %s: %s", ex->config->coordinator,
			  status->message);
		leave(ex, EXIT_UNREACHABLE, "refused");
		return;
	}
	r = take_job(ex, (const Bellows__V1__JobInitReply *)answer, &err);
	if (r == 0)
		r = attach(ex, &err);
	if (r < 0) {
		log_error("%s", err.text);
		leave(ex, EXIT_SYSTEM, err.text);
	}
}

static void join(void *user)
{
	struct executor *ex = user;
	Bellows__V1__JobInitRequest request =
		BELLOWS__V1__JOB_INIT_REQUEST__INIT;

	request.name = (char *)ex->config->name;
	request.incarnation = ex->incarnation;
	request.address = (char *)ex->config->address;
	request.slots = ex->config->slots;
	request.cores = ex->config->cores;
	request.machine = ex->machine;
	request.fast_network = host_has_fast_network();
	rpc_call_unary(ex->channel, "/bellows.v1.Coordinator/JobInit",
		       &request.base, &bellows__v1__job_init_reply__descriptor,
		       CALL_TIMEOUT, on_joined, ex);
}

/* ---- life ---- */

static int set_up(struct executor *ex, const char *socket,
		  const char *const *env, struct error *err)
{
	int r = rpc_create(&ex->rpc, ex->loop, err);

	if (r == 0)
		r = rpc_channel_create(&ex->channel, ex->rpc,
				       ex->config->coordinator, err);
	if (r == 0)
		r = output_create(&ex->output, ex->loop, ex->channel,
				  ex->config->name, err);
	if (r == 0)
		r = ranks_create(&ex->ranks, ex->loop, ex->output, socket,
				 &ranks_events, ex, err);
	if (r == 0)
		r = programs_create(&ex->programs, ex->loop, env, err);
	if (r == 0)
		r = loop_signal_add(ex->loop, SIGTERM, on_signal, ex, err);
	if (r == 0)
		r = loop_signal_add(ex->loop, SIGINT, on_signal, ex, err);
	return r;
}

static void tear_down(struct executor *ex)
{
	ex->leaving = true;
	loop_timer_clear(&ex->beat);
	loop_timer_clear(&ex->again);
	loop_timer_clear(&ex->patience);
	loop_timer_clear(&ex->leave);
	rpc_channel_destroy(ex->channel);
	rpc_destroy(ex->rpc);
	save_destroy(ex->save);
	programs_destroy(ex->programs);
	ranks_destroy(ex->ranks);
	output_destroy(ex->output);
	jobfile_destroy(ex->job);
}

int executor_run(const struct config *config, struct loop *loop,
		 const char *bindir)
{
	struct executor ex = {.config = config, .loop = loop};
	char socket[4096], gate[4200], tmpdir[4200], path[8192];
	const char *before = getenv("PATH");
	const char *env[] = {gate, tmpdir, path, NULL};
	struct error err;
	int r;

	bellows__v1__checkpoint_report__init(&ex.judged);
	snprintf(socket, sizeof(socket), "%s/gate.%d", config->tmpdir,
		 (int)getpid());
	snprintf(gate, sizeof(gate), "BELLOWS_GATE=%s", socket);
	snprintf(tmpdir, sizeof(tmpdir), "TMPDIR=%s", config->tmpdir);
	snprintf(path, sizeof(path), "PATH=%s:%s", bindir,
		 before ? before : "/usr/local/bin:/usr/bin:/bin");
	setenv("PATH", path + strlen("PATH="), 1);
	host_machine(ex.machine);
	if (getrandom(&ex.incarnation, sizeof(ex.incarnation), 0) < 0)
		ex.incarnation = (uint64_t)loop_now();

	r = set_up(&ex, socket, env, &err);
	if (r < 0) {
		log_error("%s", err.text);
		r = EXIT_SYSTEM;
	} else {
		lose_patience(&ex);
		join(&ex);
		r = loop_run(loop);
	}
	tear_down(&ex);
	unlink(socket);
	return r;
}
