/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/internal.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/job/report_check.h"

#include <string.h>

/*
 * What the ranks print comes up the stream Output of each executor, in whole
 * lines.  Rank 0's are shown to the adapter, for progress.
 */

enum { LINE_SEEN_MAX = 1024 };

struct output_call {
	struct list link;
	struct rpc_call *call;
	int member;
	uint64_t incarnation; /* its entry may become another executor's */
};

/* The first chunk of a stream says whose it is; NULL: the call was ended. */
static struct output_call *adopt(struct service *service, struct rpc_call *call,
				 const Bellows__V1__OutputChunk *chunk)
{
	struct output_call *output = rpc_call_data(call);
	int member;

	if (output)
		return output;
	member = members_find(driver_members(service->driver), chunk->name,
			      chunk->incarnation);
	if (member == NO_MEMBER) {
		rpc_call_end(call, RPC_NOT_FOUND,
			     "executor '%.63s' has not joined", chunk->name);
		return NULL;
	}
	output = calloc(1, sizeof(*output));
	if (!output) {
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return NULL;
	}
	output->call = call;
	output->member = member;
	output->incarnation = chunk->incarnation;
	list_append(&service->outputs, &output->link);
	rpc_call_set_data(call, output);
	return output;
}

static void show_lines(struct service *service, unsigned epoch,
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
		driver_on_line(service->driver, epoch, line);
		length += end != NULL;
		text += length;
		n -= length;
	}
}

void output_show(struct service *service, unsigned epoch, unsigned rank,
		 bool error, const uint8_t *text, size_t n)
{
	output_writer_write(service->writer, epoch, error, text, n);
	if (output_writer_is_full(service->writer))
		output_hold_back(service, true);
	driver_on_output(service->driver, epoch);
	if (rank == 0)
		show_lines(service, epoch, text, n);
}

void output_on_chunk(struct service *service, struct rpc_call *call,
		     const Bellows__V1__OutputChunk *chunk)
{
	const struct output_call *output = adopt(service, call, chunk);
	const struct member *m;
	struct error err;

	if (!output)
		return;
	m = &members_ledger(driver_members(service->driver))
		     ->members[output->member];
	if (!member_is_alive(m) || m->incarnation != output->incarnation) {
		rpc_call_end(call, RPC_NOT_FOUND,
			     "the executor of this output was given up");
		return;
	}
	if (report_check_output(service->driver, output->member, chunk->epoch,
				chunk->rank, &err) < 0) {
		log_warn("executor=%s is not believed: %s", m->name, err.text);
		rpc_call_end(call, RPC_PERMISSION_DENIED, "%s", err.text);
		return;
	}
	output_show(service, chunk->epoch, chunk->rank, chunk->error,
		    chunk->data.data, chunk->data.len);
}

void output_on_half(struct rpc_call *call)
{
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	rpc_call_send(call, &ack.base);
	rpc_call_end(call, RPC_OK, "");
}

void output_on_gone(struct rpc_call *call)
{
	struct output_call *output = rpc_call_data(call);

	if (!output)
		return;
	list_remove(&output->link);
	free(output);
}

void output_hold_back(struct service *service, bool yes)
{
	struct launch *now = launches_now(driver_launches(service->driver));

	list_for_each (at, &service->outputs)
		rpc_call_pause(CONTAINER(at, struct output_call, link)->call,
			       yes);
	if (now)
		launch_hold_back(now, yes);
	driver_hold_back(service->driver, yes);
}
