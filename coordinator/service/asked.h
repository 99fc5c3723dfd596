/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_ASKED_H
#define COORDINATOR_SERVICE_ASKED_H

/*
 * Calls that state something of the job
 *
 * Each is decided when no event of the job waits, by what all that were stated
 * before have led to; and it is answered once the journal has what it led to
 * itself: the caller can rely on an answer.
 */

#include "coordinator/service/internal.h"

struct asked {
	struct rpc_call *call;
	struct service *service;
	struct driver_visitor visitor;
	void (*decide)(struct asked *asked, const ProtobufCMessage *message);
	ProtobufCMessage *message, *answer;
};

/* Within on_message() of a unary call; decide ends the call or has it answered.
 */
void asked_begin(struct service *service, struct rpc_call *call,
		 const ProtobufCMessage *message,
		 void (*decide)(struct asked *asked,
				const ProtobufCMessage *message));

/* Within decide, after what was asked for was begun: this is the answer. */
void asked_answer(struct asked *asked, const ProtobufCMessage *answer);

/* The on_gone() of such a call. */
void asked_on_gone(struct rpc_call *call, void *user);

#endif
