/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/decide.h"

#include "base/log.h"
#include "proto/coordinator.h"

#include <assert.h>
#include <errno.h>

#define SCALE_TIMEOUT SECONDS(10)

enum { REASON_MAX = 256 };

static_assert((int)SCHEDULE_MAX <= (int)SCALER_STEPS_MAX,
	      "a scaler takes every schedule");

static void consider(void *user);

/* ---- facts ---- */

/* Time since the first rank ran; -1 if none did. */
static msec_t computing(const Bellows__V1__Job *job)
{
	for (size_t i = 0; i < job->n_spans; i++)
		if (job->spans[i]->ranks > 0)
			return (msec_t)(job->age - job->spans[i]->from);
	return -1;
}

struct scaler_facts decide_facts(const Bellows__V1__Job *job, msec_t now)
{
	return (struct scaler_facts){
		.now = now,
		.computing = computing(job),
		.progress = job->progress,
		.want = job->want,
	};
}

static struct scaler_facts facts_now(const struct decide *decide)
{
	struct scaler_facts facts = decide->facts;

	facts.now = loop_now();
	if (facts.computing >= 0)
		facts.computing += facts.now - decide->facts.now;
	return facts;
}

/* ---- asking ---- */

void decide_reason(const struct scaler_step *step, char *text, size_t n)
{
	if (step->progress >= 0)
		snprintf(text, n, "schedule: %.4g %% reached",
			 step->progress * 100);
	else
		snprintf(text, n, "schedule: %.6g s computed",
			 (double)step->after / 1000);
}

/* A coordinator of an older version knows no codes, and declines a size for the
 * state that the job is in too. */
static enum scaler_answer judge_reply(const Bellows__V1__ScaleReply *reply)
{
	if (reply->accepted)
		return SCALER_ACCEPTED;
	return reply->code == BELLOWS__V1__SCALE_CODE__SCALE_UNSPECIFIED
		       ? SCALER_POSTPONED
		       : SCALER_DECLINED;
}

static enum scaler_answer judge(const struct rpc_status *status,
				const Bellows__V1__ScaleReply *reply)
{
	switch (status->code) {
	case RPC_OK:
		return judge_reply(reply);
	case RPC_FAILED_PRECONDITION:
		return SCALER_POSTPONED;
	case RPC_CANCELLED:
	case RPC_UNKNOWN:
	case RPC_DEADLINE_EXCEEDED:
	case RPC_RESOURCE_EXHAUSTED:
	case RPC_ABORTED:
	case RPC_INTERNAL:
	case RPC_UNAVAILABLE:
		return SCALER_UNANSWERED;
	case RPC_INVALID_ARGUMENT:
	case RPC_NOT_FOUND:
	case RPC_ALREADY_EXISTS:
	case RPC_PERMISSION_DENIED:
	case RPC_OUT_OF_RANGE:
	case RPC_UNIMPLEMENTED:
	case RPC_DATA_LOSS:
	case RPC_UNAUTHENTICATED:
		return SCALER_DECLINED;
	}
	return SCALER_DECLINED;
}

static void note_answer(struct decide *decide, enum scaler_answer answer,
			const Bellows__V1__ScaleReply *reply)
{
	struct threshold *threshold = &decide->threshold.threshold;

	switch (decide->policy) {
	case SCALE_MANUAL:
	case SCALE_SCHEDULE:
		scaler_answered(&decide->scaler, answer, loop_now());
		return;
	case SCALE_BENEFIT:
		decide_benefit_answered(&decide->benefit, answer, loop_now());
		return;
	case SCALE_THRESHOLD:
		if (reply &&
		    reply->code == BELLOWS__V1__SCALE_CODE__SIZE_REFUSED)
			threshold_refuse(threshold, decide->asked);
		threshold_answered(threshold, answer, loop_now());
		return;
	}
}

static void on_answer(void *user, const struct rpc_status *status,
		      const ProtobufCMessage *message)
{
	struct decide *decide = user;
	const Bellows__V1__ScaleReply *reply =
		(const Bellows__V1__ScaleReply *)message;
	enum scaler_answer answer = judge(status, reply);

	if (decide->stopped)
		return;
	if (answer == SCALER_ACCEPTED)
		log_info("scale=%u accepted from=%u to=%u", decide->asked,
			 reply->from, reply->to);
	else
		log_warn("scale=%u %s reason=\"%s\"", decide->asked,
			 answer == SCALER_UNANSWERED ? "unanswered"
						     : "declined",
			 reply ? reply->reason : status->message);

	note_answer(decide, answer, reply);
	consider(decide);
}

static void request_scale(struct decide *decide, unsigned ranks, char *reason,
			  char *id)
{
	Bellows__V1__ScaleRequest request = BELLOWS__V1__SCALE_REQUEST__INIT;

	decide->asked = ranks;
	request.size_case = BELLOWS__V1__SCALE_REQUEST__SIZE_RANKS;
	request.ranks = ranks;
	request.reason = reason;
	request.request_id = id;
	rpc_call_unary(decide->channel, CALL_SCALE, &request.base,
		       &bellows__v1__scale_reply__descriptor, SCALE_TIMEOUT,
		       on_answer, decide);
}

static void request_step(struct decide *decide, const struct scaler_want *want)
{
	char reason[64], id[96];

	decide_reason(&decide->steps[want->step], reason, sizeof(reason));
	/* each monitor gives a step the same identifier, so it counts once */
	snprintf(id, sizeof(id), "schedule-%zu-%u-%u", want->step, want->ranks,
		 want->attempt);
	log_info("scale=%u asking want=%u attempt=%u reason=\"%s\"",
		 want->ranks, decide->facts.want, want->attempt, reason);
	request_scale(decide, want->ranks, reason, id);
}

/* About the job as it is now; ranks 0: nothing. */
static void request_now(struct decide *decide, unsigned ranks, char *reason)
{
	if (ranks == 0)
		return;
	log_info("scale=%u asking want=%u reason=\"%s\"", ranks,
		 decide->facts.want, reason);
	request_scale(decide, ranks, reason, (char *)"");
}

/* Return the instant to decide at without news; 0: none. */

static msec_t consider_steps(struct decide *decide)
{
	struct scaler_facts facts = facts_now(decide);
	struct scaler_want want = scaler_decide(&decide->scaler, &facts);

	if (want.ranks > 0)
		request_step(decide, &want);
	return want.again;
}

static msec_t consider_benefit(struct decide *decide)
{
	char reason[REASON_MAX];
	struct benefit_choice choice = decide_benefit_choose(
		&decide->benefit, loop_now(), reason, sizeof(reason));

	request_now(decide, choice.ranks, reason);
	return choice.again;
}

static msec_t consider_threshold(struct decide *decide)
{
	char reason[REASON_MAX];
	struct threshold_choice choice = decide_threshold_choose(
		&decide->threshold, loop_now(), reason, sizeof(reason));

	request_now(decide, choice.ranks, reason);
	return choice.again;
}

static msec_t consider_policy(struct decide *decide)
{
	switch (decide->policy) {
	case SCALE_MANUAL:
	case SCALE_SCHEDULE:
		break;
	case SCALE_BENEFIT:
		return consider_benefit(decide);
	case SCALE_THRESHOLD:
		return consider_threshold(decide);
	}
	return consider_steps(decide);
}

static void consider(void *user)
{
	struct decide *decide = user;
	msec_t again = consider_policy(decide);
	msec_t now = loop_now();

	loop_timer_clear(&decide->timer);
	if (again > 0)
		loop_timer_set(decide->loop, &decide->timer,
			       again > now ? again - now : 0, consider, decide);
}

void decide_on_job(struct decide *decide, const Bellows__V1__Job *job)
{
	if (decide->stopped)
		return;
	decide->facts = decide_facts(job, loop_now());
	if (decide->policy == SCALE_BENEFIT)
		decide_benefit_on_job(&decide->benefit, job, loop_now());
	if (decide->policy == SCALE_THRESHOLD)
		decide_threshold_on_job(&decide->threshold, job);
	consider(decide);
}

/* ---- life ---- */

int decide_init(struct decide *decide, struct loop *loop,
		struct rpc_channel *channel, const struct jobfile *job,
		struct error *err)
{
	size_t n = job->policy == SCALE_SCHEDULE ? job->n_schedule : 0;

	*decide = (struct decide){
		.loop = loop,
		.channel = channel,
		.policy = job->policy,
	};
	decide->steps = calloc(n + 1, sizeof(*decide->steps));
	if (!decide->steps)
		return error_set(err, -ENOMEM, "out of memory");

	for (size_t i = 0; i < n; i++)
		decide->steps[i] = (struct scaler_step){
			.progress = job->schedule[i].progress,
			.after = job->schedule[i].after,
			.ranks = job->schedule[i].ranks,
		};
	scaler_init(&decide->scaler, decide->steps, n);
	if (job->policy == SCALE_BENEFIT &&
	    decide_benefit_init(&decide->benefit, job) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	if (job->policy == SCALE_THRESHOLD)
		return decide_threshold_init(&decide->threshold, loop, job,
					     consider, decide, err);
	return 0;
}

void decide_stop(struct decide *decide)
{
	decide->stopped = true;
	loop_timer_clear(&decide->timer);
	decide_threshold_stop(&decide->threshold);
}

void decide_fini(struct decide *decide)
{
	loop_timer_clear(&decide->timer);
	free(decide->steps);
	decide->steps = NULL;
	decide_benefit_fini(&decide->benefit);
	decide_threshold_fini(&decide->threshold);
}
