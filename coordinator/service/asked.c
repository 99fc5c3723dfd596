/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/asked.h"

#include "rpc/copy.h"

#include <stdlib.h>

static void lack_memory(struct rpc_call *call)
{
	rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
}

static void on_turn(void *user)
{
	struct asked *asked = user;

	asked->decide(asked, asked->message);
}

static void on_settled(void *user)
{
	struct asked *asked = user;

	rpc_call_reply(asked->call, asked->answer);
}

void asked_begin(struct service *service, struct rpc_call *call,
		 const ProtobufCMessage *message,
		 void (*decide)(struct asked *asked,
				const ProtobufCMessage *message))
{
	struct asked *asked = calloc(1, sizeof(*asked));

	if (!asked) {
		lack_memory(call);
		return;
	}
	asked->call = call;
	asked->service = service;
	asked->decide = decide;
	asked->visitor.fn = on_turn;
	asked->visitor.user = asked;
	list_init(&asked->visitor.link);
	rpc_call_set_data(call, asked);
	asked->message = message_copy(message);
	if (asked->message)
		driver_visit(service->driver, &asked->visitor);
	else
		lack_memory(call);
}

void asked_answer(struct asked *asked, const ProtobufCMessage *answer)
{
	asked->answer = message_copy(answer);
	if (!asked->answer) {
		lack_memory(asked->call);
		return;
	}
	asked->visitor.fn = on_settled;
	driver_visit(asked->service->driver, &asked->visitor);
}

void asked_on_gone(struct rpc_call *call, void *user)
{
	struct asked *asked = rpc_call_data(call);

	if (!asked)
		return;
	list_remove(&asked->visitor.link);
	protobuf_c_message_free_unpacked(asked->message, NULL);
	protobuf_c_message_free_unpacked(asked->answer, NULL);
	free(asked);
}
