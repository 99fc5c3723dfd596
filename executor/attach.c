/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/executor.h"

#include "base/backoff.h"
#include "base/log.h"
#include "executor/disk.h"
#include "executor/host.h"
#include "executor/launcher_setup.h"
#include "executor/opening.h"
#include "executor/probe.h"
#include "executor/ready.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"

#include <signal.h>
#include <string.h>

/*
 * Joining, attaching, and obeying
 */

/* ---- orders ---- */

/* An older coordinator confirms no reports, and has taken what it answers. */
static void obey_lease(struct executor *ex, const Bellows__V1__Lease *lease)
{
	bool confirms = lease->taken_case == BELLOWS__V1__LEASE__TAKEN_REPORTS;

	unconfirmed_confirm(&ex->reports,
			    confirms ? lease->reports : ex->reports.last);
	lease_renew(&ex->lease, (msec_t)lease->sent);
}

/* A connection that opens proves nothing: it may break before the first order,
 * each time. */
static void on_answered(struct executor *ex)
{
	loop_timer_clear(&ex->patience);
	ex->attempts = 0;
	ex->told = 0;
}

static void on_order(void *user, const ProtobufCMessage *message)
{
	struct executor *ex = user;
	const Bellows__V1__Order *order = (const Bellows__V1__Order *)message;

	on_answered(ex);
	if (ex->session == SESSION_LEAVING &&
	    order->what_case != BELLOWS__V1__ORDER__WHAT_LEASE)
		return;
	if (!unconfirmed_take(&ex->taken, order->number))
		return;
	switch (order->what_case) {
	case BELLOWS__V1__ORDER__WHAT_LEASE:
		obey_lease(ex, order->lease);
		return;
	case BELLOWS__V1__ORDER__WHAT_LAUNCH:
		disk_look(ex->disk, true);
		programs_start(ex->programs, order->launch->launch,
			       order->launch->epoch, order->launch->command,
			       executor_on_program_end, ex);
		return;
	case BELLOWS__V1__ORDER__WHAT_OPEN:
		opening_order(ex, order->open);
		return;
	case BELLOWS__V1__ORDER__WHAT_SIGNAL:
		ranks_signal(ex->ranks, order->signal->epoch,
			     (int)order->signal->signo);
		return;
	case BELLOWS__V1__ORDER__WHAT_SAVE:
		tail_hurry(ex->tail, order->save->epoch);
		save_order(ex->save, order->save->epoch, order->save->take,
			   order->save->first);
		return;
	case BELLOWS__V1__ORDER__WHAT_STOP:
		if (order->stop->patience == 0)
			save_cancel(ex->save, order->stop->epoch);
		if (order->stop->kill)
			ranks_kill(ex->ranks, order->stop->epoch);
		ranks_stop(ex->ranks, order->stop->epoch,
			   order->stop->patience);
		return;
	case BELLOWS__V1__ORDER__WHAT_PROBE:
		probe_order(ex->probe, order->probe->token);
		return;
	case BELLOWS__V1__ORDER__WHAT_RELEASE:
		executor_leave(ex, EXIT_DONE, order->release->reason);
		return;
	case BELLOWS__V1__ORDER__WHAT__NOT_SET:
	case _BELLOWS__V1__ORDER__WHAT__CASE_IS_INT_SIZE:
		return; /* of a newer coordinator */
	}
}

/* ---- joining ---- */

static void on_patience(void *user)
{
	struct executor *ex = user;

	log_error("coordinator %s not reached for %lld s: ending %u ranks",
		  ex->config->coordinator,
		  (long long)ex->config->patience / 1000,
		  ex->ranks ? ranks_count(ex->ranks) : 0);
	executor_leave(ex, EXIT_UNREACHABLE, "the coordinator is gone");
}

void executor_lose_patience(struct executor *ex)
{
	if (!loop_timer_is_set(&ex->patience))
		loop_timer_set(ex->loop, &ex->patience, ex->config->patience,
			       on_patience, ex);
}

/* It may be taken later: once its name is free, or the attempts of others that
 * came from this host are over. */
static bool is_held_up(const struct rpc_status *status)
{
	return status->code == RPC_ALREADY_EXISTS ||
	       status->code == RPC_RESOURCE_EXHAUSTED;
}

static bool is_away(const struct rpc_status *status)
{
	return status->code == RPC_UNAVAILABLE ||
	       status->code == RPC_CANCELLED ||
	       status->code == RPC_DEADLINE_EXCEEDED;
}

/* Each code once, until the coordinator has answered. */
static void tell_trouble(struct executor *ex, const struct rpc_status *status)
{
	unsigned code = 1u << (status->code & 31);

	if (!(ex->told & code))
		log_info("coordinator %s %s: %s %s; trying for %lld s",
			 ex->config->coordinator,
			 is_held_up(status) ? "has no place for it yet"
					    : "is not there",
			 rpc_code_name(status->code), status->message,
			 (long long)(ex->patience.at - loop_now() + 999) /
				 1000);
	ex->told |= code;
}

static void try_again(struct executor *ex, const struct rpc_status *status)
{
	executor_lose_patience(ex);
	tell_trouble(ex, status);
	loop_timer_clear(&ex->beat);
	loop_timer_set(ex->loop, &ex->again, backoff(ex->attempts++, 100, 2000),
		       executor_join, ex);
}

static void on_detached(void *user, const struct rpc_status *status)
{
	struct executor *ex = user;

	ex->stream = NULL;
	output_detach(ex->output);
	if (!session_step(&ex->session, SESSION_EV_DETACH))
		return; /* it leaves */
	ready_tell(ex);
	if (ex->session == SESSION_SEEKING && ranks_count(ex->ranks) == 0)
		executor_leave(ex, 128 + SIGTERM,
			       "told to, and there is nothing to be saved");
	else
		try_again(ex, status);
}

static const struct rpc_stream_events stream_events = {
	.on_message = on_order,
	.on_end = on_detached,
};

static int attach(struct executor *ex, struct error *err)
{
	int r;

	r = rpc_stream_open(&ex->stream, ex->channel, CALL_ACTIVE_SERVER, NULL,
			    &bellows__v1__order__descriptor, 0, &stream_events,
			    ex, err);
	if (r < 0) {
		ex->stream = NULL;
		return r;
	}
	session_step(&ex->session, SESSION_EV_ATTACH);
	executor_lose_patience(ex); /* until its first order */
	executor_introduce(ex);
	output_attach(ex->output, ex->incarnation);
	executor_deliver_judgement(ex);
	launcher_setup_begin(ex);
	ready_tell(ex);
	return 0;
}

static int take_job(struct executor *ex, const Bellows__V1__JobInitReply *reply,
		    struct error *err)
{
	int r;

	ex->heartbeat = reply->heartbeat > 0 ? reply->heartbeat : 1000;
	ex->lease.length = reply->lease;
	ex->served = reply->incarnation;
	if (ex->job)
		return 0;
	r = jobfile_parse(&ex->job, "the coordinator's job file",
			  reply->job_file, strlen(reply->job_file), reply->dir,
			  err);
	if (r < 0)
		return r;
	return save_create(&ex->save, ex->loop, ex->ranks, ex->job,
			   &executor_save_events, ex, err);
}

static void on_joined(void *user, const struct rpc_status *status,
		      const ProtobufCMessage *answer)
{
	struct executor *ex = user;
	const Bellows__V1__JobInitReply *reply =
		(const Bellows__V1__JobInitReply *)answer;
	struct error err;
	int r;

	if (ex->session == SESSION_LEAVING)
		return;
	if (is_away(status) || is_held_up(status)) {
		try_again(ex, status);
		return;
	}
	if (status->code != RPC_OK) {
		log_error("refused by %s: %s", ex->config->coordinator,
			  status->message);
		executor_leave(ex, EXIT_UNREACHABLE, "refused");
		return;
	}
	if (ex->job && reply->incarnation != ex->served) {
		executor_end_stale_start(ex);
		return;
	}
	r = take_job(ex, reply, &err);
	if (r == 0)
		r = attach(ex, &err);
	if (r < 0) {
		log_error("%s", err.text);
		executor_leave(ex, EXIT_SYSTEM, err.text);
	}
}

/* It is taken before this life has any ranks, so that all of them hold it, or
 * not at all. */
static uint64_t take_claim(struct executor *ex)
{
	if (ex->served != 0)
		return ex->claim.fd >= 0 ? ex->claim.value : 0;
	return claim_take(&ex->claim, host_sole_machine(ex->machine),
			  ex->config->coordinator, ex->config->name);
}

void executor_join(void *user)
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
	request.node = ex->node;
	request.node_cores = host_node_cores();
	request.fast_network = host_has_fast_network();
	request.topology = ex->topology;
	request.served = ex->served;
	request.claim = take_claim(ex);
	rpc_call_unary(ex->channel, CALL_JOB_INIT, &request.base,
		       &bellows__v1__job_init_reply__descriptor,
		       EXECUTOR_CALL_TIMEOUT, on_joined, ex);
}
