/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/cleanup.h"

#include <string.h>

/*
 * What the ranks print comes up the stream Output of each executor, in whole
 * lines.  Rank 0's are shown to the adapter, for progress.
 */

enum { LINE_SEEN_MAX = 1024 };

struct output_call {
	struct list link;
	struct rpc_call *call;
};

static struct output_call *adopt(struct coordinator *c, struct rpc_call *call)
{
	struct output_call *output = rpc_call_data(call);

	if (output)
		return output;
	output = calloc(1, sizeof(*output));
	if (!output)
		return NULL;
	output->call = call;
	list_append(&c->outputs, &output->link);
	rpc_call_set_data(call, output);
	return output;
}

static void show_lines(struct coordinator *c, unsigned epoch,
		       const uint8_t *text, size_t n)
{
	char line[LINE_SEEN_MAX];

	while (n > 0) {
		const uint8_t *end = memchr(text, '\n', n);
		size_t length = end ? (size_t)(end - text) : n;

		snprintf(line, sizeof(line), "%.*s",
			 (int)(length < sizeof(line) ? length
						     : sizeof(line) - 1),
			 (const char *)text);
		coordinator_on_line(c, epoch, line);
		length += end != NULL;
		text += length;
		n -= length;
	}
}

void output_show(struct coordinator *c, unsigned epoch, unsigned rank,
		 bool error, const uint8_t *text, size_t n)
{
	sink_write(c->sink, epoch, error, text, n);
	if (sink_is_full(c->sink))
		output_hold_back(c, true);
	if (rank == 0)
		show_lines(c, epoch, text, n);
}

void output_on_chunk(struct coordinator *c, struct rpc_call *call,
		     const Bellows__V1__OutputChunk *chunk)
{
	if (!adopt(c, call)) {
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	output_show(c, chunk->epoch, chunk->rank, chunk->error,
		    chunk->data.data, chunk->data.len);
}

void output_on_half(struct rpc_call *call)
{
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	rpc_call_send(call, &ack.base);
	rpc_call_end(call, RPC_OK, "");
}

void output_on_gone(struct coordinator *c, struct rpc_call *call)
{
	struct output_call *output = rpc_call_data(call);

	if (!output)
		return;
	list_remove(&output->link);
	free(output);
}

void output_hold_back(struct coordinator *c, bool yes)
{
	list_for_each (at, &c->outputs)
		rpc_call_pause(CONTAINER(at, struct output_call, link)->call,
			       yes);
	if (c->now)
		launch_hold_back(c->now, yes);
}
