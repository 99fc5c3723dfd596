/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/executor.h"

#include "base/log.h"
#include "executor/disk.h"
#include "executor/opening.h"
#include "executor/processors.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"

/*
 * What the coordinator is told
 */

#define MAX(a, b) ((a) > (b) ? (a) : (b))

static void on_full(void *user)
{
	struct executor *ex = user;

	log_error("the coordinator is told nothing any more: %s",
		  ex->reports_trouble.text);
	executor_leave(ex, EXIT_UNREACHABLE,
		       "too many reports were not confirmed");
}

/* From the loop: what reports must not go away below itself. */
static void give_up(struct executor *ex)
{
	loop_timer_set(ex->loop, &ex->full, 0, on_full, ex);
}

void executor_report(struct executor *ex, Bellows__V1__Report *r)
{
	r->number = unconfirmed_next(&ex->reports);
	if (unconfirmed_keep(&ex->reports, &r->base, &ex->reports_trouble) < 0)
		give_up(ex);
	else if (ex->stream)
		rpc_stream_send(ex->stream, &r->base);
}

static void send_again(void *user, const ProtobufCMessage *report)
{
	struct executor *ex = user;

	rpc_stream_send(ex->stream, report);
}

void executor_begin_numbers(struct executor *ex)
{
	unconfirmed_clear(&ex->reports);
	ex->taken = 0;
}

static void beat(struct executor *ex, Bellows__V1__Report r)
{
	Bellows__V1__Heartbeat heartbeat = BELLOWS__V1__HEARTBEAT__INIT;

	heartbeat.sent = (uint64_t)loop_now();
	heartbeat.ranks = ranks_count(ex->ranks);
	heartbeat.leaving = ex->session == SESSION_DRAINING ||
			    ex->session == SESSION_LEAVING;
	if (ex->session == SESSION_DRAINING)
		heartbeat.grace = (uint32_t)MAX(ex->leave_by - loop_now(), 1);
	heartbeat.taken_case = BELLOWS__V1__HEARTBEAT__TAKEN_ORDERS;
	heartbeat.orders = ex->taken;
	r.what_case = BELLOWS__V1__REPORT__WHAT_HEARTBEAT;
	r.heartbeat = &heartbeat;
	if (ex->stream)
		rpc_stream_send(ex->stream, &r.base);
	loop_timer_set(ex->loop, &ex->beat, ex->heartbeat, executor_beat, ex);
}

void executor_beat(void *user)
{
	const Bellows__V1__Report unnamed = BELLOWS__V1__REPORT__INIT;

	struct executor *ex = user;

	beat(ex, unnamed);
	disk_look(ex->disk, false);
	processors_look(ex);
}

void executor_introduce(struct executor *ex)
{
	Bellows__V1__Report named = BELLOWS__V1__REPORT__INIT;

	named.name = (char *)ex->config->name;
	named.incarnation = ex->incarnation;
	beat(ex, named);
	if (unconfirmed_resend(&ex->reports, send_again, ex,
			       &ex->reports_trouble) < 0)
		give_up(ex);
	disk_look(ex->disk, false);
}

static void on_arrived(void *user, unsigned epoch, unsigned rank, pid_t pid,
		       const char *processors)
{
	Bellows__V1__GateArrived gate = BELLOWS__V1__GATE_ARRIVED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	gate.epoch = epoch;
	gate.rank = rank;
	gate.pid = (uint32_t)pid;
	gate.processors = (char *)processors;
	r.what_case = BELLOWS__V1__REPORT__WHAT_GATE_ARRIVED;
	r.gate_arrived = &gate;
	executor_report(user, &r);
}

static void on_up(void *user, unsigned epoch, const unsigned *numbers, size_t n,
		  const char *failure, int exit_code)
{
	Bellows__V1__RanksUp up = BELLOWS__V1__RANKS_UP__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	up.epoch = epoch;
	up.rank = (uint32_t *)numbers;
	up.n_rank = n;
	if (failure) {
		up.failure = (char *)failure;
		up.exit_code = (uint32_t)exit_code;
	}
	r.what_case = BELLOWS__V1__REPORT__WHAT_RANKS_UP;
	r.ranks_up = &up;
	executor_report(user, &r);
}

/* What they wrote to their log comes first. */
static void on_gone(void *user, unsigned epoch)
{
	struct executor *ex = user;

	tail_end(ex->tail, epoch);
}

const struct ranks_events executor_ranks_events = {on_arrived, on_up, on_gone};

static void on_log_ended(void *user, unsigned epoch)
{
	struct executor *ex = user;
	Bellows__V1__RanksGone gone = BELLOWS__V1__RANKS_GONE__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	gone.epoch = epoch;
	r.what_case = BELLOWS__V1__REPORT__WHAT_RANKS_GONE;
	r.ranks_gone = &gone;
	executor_report(ex, &r);
	if (ex->save)
		save_on_gone(ex->save, epoch);
}

/* They are not taken while too many reports are kept. */
static bool on_log_lines(void *user, unsigned epoch, char *const *lines,
			 size_t n)
{
	struct executor *ex = user;
	Bellows__V1__LogLines log = BELLOWS__V1__LOG_LINES__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	if (!unconfirmed_has_room(&ex->reports))
		return false;
	log.epoch = epoch;
	log.line = (char **)lines;
	log.n_line = n;
	r.what_case = BELLOWS__V1__REPORT__WHAT_LOG_LINES;
	r.log_lines = &log;
	executor_report(ex, &r);
	return true;
}

const struct tail_events executor_tail_events = {
	.lines = on_log_lines,
	.begun = opening_on_log_begun,
	.ended = on_log_ended,
};

void executor_on_program_end(void *user, uint64_t id, int status,
			     const char *text, const char *failure)
{
	struct executor *ex = user;
	Bellows__V1__ProgramEnded ended = BELLOWS__V1__PROGRAM_ENDED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	ended.launch = id;
	ended.status = (uint32_t)status;
	ended.text = (char *)text;
	if (failure)
		ended.failure = (char *)failure;
	r.what_case = BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED;
	r.program_ended = &ended;
	if (status != 0)
		disk_report(ex->disk, &r);
	else
		executor_report(ex, &r);
}

/* ---- checkpoints ---- */

static void on_begun(void *user, unsigned epoch)
{
	Bellows__V1__SaveBegun begun = BELLOWS__V1__SAVE_BEGUN__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	begun.epoch = epoch;
	r.what_case = BELLOWS__V1__REPORT__WHAT_SAVE_BEGUN;
	r.save_begun = &begun;
	executor_report(user, &r);
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

void executor_deliver_judgement(struct executor *ex)
{
	if (ex->judged.epoch == 0)
		return;
	rpc_call_unary(ex->channel, CALL_CHECKPOINTING, &ex->judged.base,
		       &bellows__v1__ack__descriptor, EXECUTOR_CALL_TIMEOUT,
		       on_delivered, ex);
}

static void on_judged(void *user, unsigned epoch,
		      const struct checkpoint *found, bool taken,
		      const char *failure, bool unread)
{
	struct executor *ex = user;
	Bellows__V1__CheckpointReport *judged = &ex->judged;

	bellows__v1__checkpoint_report__init(judged);
	judged->name = (char *)ex->config->name;
	judged->incarnation = ex->incarnation;
	judged->epoch = epoch;
	judged->complete = failure == NULL;
	judged->newer = failure == NULL && !taken;
	judged->taken = taken;
	judged->unread = unread;
	judged->step = found->step;
	judged->files = found->files;
	judged->bytes = found->bytes;
	if (failure) {
		snprintf(ex->judged_text, sizeof(ex->judged_text), "%s",
			 failure);
		judged->failure = ex->judged_text;
	}
	executor_deliver_judgement(ex);
}

const struct save_events executor_save_events = {on_begun, on_judged};
