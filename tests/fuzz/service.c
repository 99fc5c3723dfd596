/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any calls to a coordinator, of Kub's service too: each is answered once, with
 * a sentence if it is refused; the job stays within its bounds; and what is
 * told of it is a message that everybody can read
 *
 * The first byte chooses one of three jobs.  Then follow records of a method,
 * what is done with it, two bytes of length, and a message of that many bytes.
 */

#include "base/cleanup.h"
#include "base/list.h"
#include "proto/coordinator.h"
#include "rpc/wire.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/desk.h"

#define KUB "/mpi_monitor.Monitor/"

enum { AT_ONCE = 4, RECORDS_MAX = 200 };
enum { SAY, HALF, HANG_UP, ACTS };

/* Their order is that of the corpus: others come last. */
static const char *const paths[] = {
	CALL_JOB_INIT,       CALL_RETRIEVE_KEYS, CALL_ACTIVE_SERVER,
	CALL_OUTPUT,         CALL_CHECKPOINTING, CALL_END_EXEC,
	CALL_SCALE,          CALL_SUPPLY,        CALL_CANCEL,
	CALL_GET_JOB,        CALL_WATCH_JOB,     KUB "Scale",
	KUB "RetrieveKeys",  KUB "JobInit",      KUB "activeServer",
	KUB "checkpointing", KUB "endExec",
};

static const char own[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, max: 4}\n"
			  "checkpoint: {dir: ck}\n";
static const char kubs[] = "mpi: {launcher: ssh}\nkub: true\n";
static const char binds[] = "placement: {bind: core}\n";

struct input {
	const uint8_t *at;
	size_t left;
};

static void is_answered(const struct rpc_call *call)
{
	const struct desk_answer *answer = desk_answer(call);

	HOLD(answer->is_over || !desk_is_unary(call));
	if (answer->is_over && answer->code != RPC_OK)
		HOLD(*answer->text);
	if (desk_is_unary(call))
		HOLD(answer->n == (answer->code == RPC_OK));
}

static void members_are_apart(const struct ledger *ledger)
{
	HOLD(ledger->n >= 0 && ledger->n <= MEMBERS_MAX);
	for (int i = 0; i < ledger->n; i++) {
		const struct member *m = &ledger->members[i];

		HOLD(m->slots > 0 && *m->name);
		for (const char *c = m->name; *c; c++)
			HOLD(*c > ' ' && *c < 0x7f && *c != '/');
		for (const char *c = m->address; *c; c++)
			HOLD(*c > ' ' && *c < 0x7f);
		if (member_is_alive(m))
			HOLD(member_find(ledger, m->name) == i);
	}
}

static void job_is_within_its_bounds(const struct coordinator *c)
{
	const struct job *job = driver_job(c->driver);
	int exit_code = driver_exit_code(c->driver);

	HOLD(job->state <= JOB_SUSPENDED);
	HOLD(job->size <= c->jobfile->ranks.max);
	HOLD(job->target <= c->jobfile->ranks.max);
	HOLD(job->epoch <= job->starts && job->next <= job->starts);
	HOLD(exit_code >= 0 && exit_code <= 255);
	members_are_apart(members_ledger(driver_members(c->driver)));
}

static void job_can_be_read(struct desk *desk)
{
	struct rpc_call *call = desk_call(desk, CALL_GET_JOB);
	const struct desk_answer *answer = desk_answer(call);
	ProtobufCMessage *job;

	HOLD(desk_say(call, NULL, 0));
	HOLD(answer->is_over && answer->code == RPC_OK && answer->n == 1);
	HOLD(wire_has_texts(&bellows__v1__job__descriptor, answer->last,
			    answer->size));
	job = protobuf_c_message_unpack(&bellows__v1__job__descriptor, NULL,
					answer->size, answer->last);
	HOLD(job);
	protobuf_c_message_free_unpacked(job, NULL);
	desk_hang_up(call);
}

/* Streams stay open, some of each kind; the others are over at once. */
static void act(struct desk *desk, const uint8_t *head, const char *bytes,
		size_t n, struct rpc_call **streams)
{
	unsigned which = head[0] % LENGTH(paths);
	struct rpc_call **at = &streams[which * AT_ONCE + head[1] % AT_ONCE];
	struct rpc_call *call = *at ? *at : desk_call(desk, paths[which]);

	if (!call) /* not served by this job */
		return;
	switch (head[1] / AT_ONCE % ACTS) {
	case SAY:
		desk_say(call, bytes, n);
		is_answered(call);
		break;
	case HALF:
		if (!desk_is_unary(call))
			desk_half(call);
		break;
	case HANG_UP:
		desk_hang_up(call);
		*at = NULL;
		return;
	}
	*at = call;
	if (desk_is_unary(call) || desk_answer(call)->is_over) {
		desk_hang_up(call);
		*at = NULL;
	}
}

static void on_open(struct desk *desk, void *user)
{
	struct rpc_call *streams[LENGTH(paths) * AT_ONCE] = {NULL};
	struct input *input = user;

	for (int i = 0; i < RECORDS_MAX && input->left >= 4; i++) {
		const uint8_t *head = input->at;
		size_t n = head[2] | (size_t)head[3] << 8;

		input->at += 4;
		input->left -= 4;
		if (n > input->left)
			n = input->left;
		CLEANUP(free) char *bytes = fuzz_copy(input->at, n);

		act(desk, head, bytes, n, streams);
		job_is_within_its_bounds(desk->c);
		input->at += n;
		input->left -= n;
	}
	job_can_be_read(desk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data + 1, size - 1};
	char job[512];

	if (size == 0)
		return 0;
	snprintf(job, sizeof(job), "%s%s", own,
		 data[0] & 1   ? kubs
		 : data[0] & 2 ? binds
			       : "");
	HOLD(desk_run(job, on_open, &input));
	return 0;
}
