/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "client/job.h"
#include "proto/coordinator.h"
#include "runner/run_kind.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* A request to the coordinator that has had no effect for so long has none. */
#define EFFECT SECONDS(30)

void run_init(struct run *run, const struct run_kind *kind, struct loop *loop,
	      const char *job, const struct run_events *events, void *user)
{
	run->kind = kind;
	run->events = events;
	run->user = user;
	run->client.loop = loop;
	snprintf(run->client.name, sizeof(run->client.name), "%s", job);
}

void run_fini(struct run *run)
{
	watch_stop(&run->watch);
	loop_timer_clear(&run->patience);
	client_close(&run->client);
}

void run_say(struct run *run, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	run->events->on_say(run->user, text);
}

void run_job(struct run *run, const Bellows__V1__Job *job)
{
	run->known = true;
	run->over = state_is_over(job->state);
	run->state = job->state;
	run->exit_code = job->exit_code;
	snprintf(run->reason, sizeof(run->reason), "%s", job->reason);
	run->events->on_job(run->user, job);
}

void run_over(struct run *run)
{
	if (run->told_over)
		return;
	run->told_over = true;
	run->events->on_over(run->user);
}

void run_end(struct run *run)
{
	if (run->ended)
		return;
	run_over(run);
	run->ended = true;
	run->events->on_end(run->user);
}

void run_conclude_over(struct run *run)
{
	run->result.over = true;
	run->result.code = run->exit_code;
	if (run->exit_code != 0 && !run->asked)
		snprintf(run->result.why, sizeof(run->result.why), "%s: %s",
			 state_name(run->state), run->reason);
}

/* ---- stopping ---- */

static void on_cancelled(void *user, const struct rpc_status *status,
			 const ProtobufCMessage *answer)
{
	struct run *run = user;

	if (status->code != RPC_OK && run->phase == RUN_WATCHING && !run->over)
		run_say(run, "the coordinator refused to stop: %s",
			text_safe(status->message).s);
}

static void cancel(struct run *run)
{
	Bellows__V1__CancelRequest request = BELLOWS__V1__CANCEL_REQUEST__INIT;

	request.save = run->stop == STOP_SAVE;
	request.reason = "interrupted";
	run->stop_at = loop_now();
	rpc_call_unary(run->client.channel, CALL_CANCEL, &request.base,
		       &bellows__v1__ack__descriptor, EFFECT, on_cancelled,
		       run);
	if (request.save)
		run_say(run,
			"saving, then stopping; once more to stop at once");
	else
		run_say(run, "stopping at once; once more to %s",
			run->kind->to_end);
	run_set_patience(run, EFFECT);
}

static void step(struct run *run, enum stop_event event)
{
	if (!stop_step(&run->stop, event))
		return;
	switch (run->stop) {
	case STOP_SAVE:
	case STOP_CANCEL:
		cancel(run);
		return;
	case STOP_END:
		run->kind->end(run);
		return;
	case STOP_KILL:
		run->kind->kill(run);
		return;
	case STOP_LEAVE:
		run->kind->leave(run);
		return;
	case STOP_NOT:
	case STOP_LEVELS:
		return;
	}
}

void run_fail(struct run *run)
{
	step(run, STOP_FAILED);
}

/* A checkpoint takes what the job file allows it. */
static bool is_saving(const struct run *run)
{
	return run->stop == STOP_SAVE && run->known &&
	       (run->state == BELLOWS__V1__STATE__SAVING ||
		run->state == BELLOWS__V1__STATE__STOPPING) &&
	       loop_now() - run->stop_at < run->save_deadline + EFFECT;
}

static void on_patience(void *user)
{
	struct run *run = user;

	if (run->stop < STOP_END) {
		if (is_saving(run) || (run->held && !run->asked)) {
			run_set_patience(run, SECONDS(1));
			return;
		}
		run->kind->late(run);
	}
	step(run, STOP_LATE);
}

void run_set_patience(struct run *run, msec_t patience)
{
	loop_timer_set(run->client.loop, &run->patience, patience, on_patience,
		       run);
}

void run_stop(struct run *run)
{
	bool heard = run->kind->hears(run);

	run->asked = true;
	if (run->kind->asked)
		run->kind->asked(run);
	if (run->phase == RUN_LEAVING) {
		run->kind->hurry(run);
		return;
	}
	if (!heard || run->stop >= STOP_CANCEL)
		run_say(run, "%s", run->kind->ending);
	step(run, heard ? STOP_ASKED : STOP_ASKED_UNHEARD);
}

/* ---- for the caller ---- */

void run_hold(struct run *run, bool held)
{
	run->held = held;
	run->kind->hold(run);
}

const struct run_result *run_result(const struct run *run)
{
	return &run->result;
}

struct run *run_destroy(struct run *run)
{
	if (run)
		run->kind->destroy(run);
	return NULL;
}
