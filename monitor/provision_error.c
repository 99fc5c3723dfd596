/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/provision_error.h"

#include "base/log.h"
#include "proto/coordinator.h"

#include <stdio.h>
#include <string.h>

#define TIMEOUT SECONDS(5)
#define RETRY   SECONDS(2)

static void settle(void *user);

static void on_answer(void *user, const struct rpc_status *status,
		      const ProtobufCMessage *answer)
{
	struct provision_error *t = user;

	t->asking = false;
	if (t->stopped)
		return;
	if (status->code != RPC_OK && status->code != RPC_UNIMPLEMENTED) {
		log_debug("trouble not told: %s", status->message);
		loop_timer_set(t->loop, &t->retry, RETRY, settle, t);
		return;
	}
	memcpy(t->shown, t->sent, sizeof(t->shown));
	settle(t);
}

static void settle(void *user)
{
	Bellows__V1__SupplyRequest request = BELLOWS__V1__SUPPLY_REQUEST__INIT;
	struct provision_error *t = user;

	if (!t->channel || t->stopped || t->asking ||
	    strcmp(t->text, t->shown) == 0)
		return;
	t->asking = true;
	memcpy(t->sent, t->text, sizeof(t->sent));
	request.trouble = t->sent;
	rpc_call_unary(t->channel, CALL_SUPPLY, &request.base,
		       &bellows__v1__ack__descriptor, TIMEOUT, on_answer, t);
}

void provision_error_start(struct provision_error *t, struct loop *loop,
			   struct rpc_channel *channel)
{
	t->loop = loop;
	t->channel = channel;
	settle(t);
}

void provision_error_stop(struct provision_error *t)
{
	t->stopped = true;
	loop_timer_clear(&t->retry);
}

void provision_error_tell(struct provision_error *t, const char *text)
{
	snprintf(t->text, sizeof(t->text), "%s", text);
	for (char *at = t->text; *at; at++)
		if ((unsigned char)*at >= 0x7f)
			*at = '?';
		else if ((unsigned char)*at < ' ')
			*at = ' ';
	settle(t);
}

void provision_error_on_job(struct provision_error *t,
			    const Bellows__V1__Job *job)
{
	if (t->asking || loop_timer_is_set(&t->retry))
		return;
	snprintf(t->shown, sizeof(t->shown), "%s", job->trouble);
	settle(t);
}
