/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/members/internal.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <errno.h>

/*
 * Joining: whether an executor may, and under its name
 */

/* It is written into files, for mpiexec and for people. */
static int check_word(const char *key, const char *word, struct error *err)
{
	size_t n = 0;

	while (word[n] > ' ' && word[n] <= '~')
		n++;
	if (word[n] == '\0' && n < MEMBER_TEXT_MAX)
		return 0;
	return error_set(err, -EINVAL,
			 "%s: at most %d printable characters without blanks",
			 key, MEMBER_TEXT_MAX - 1);
}

/* An executor keeps its name while its stream is open, and without one as long
 * as ranks of it may compute: they may outlive it, until its lease is over. */
static int check_holder(const struct members *members,
			const struct introduction *executor, struct error *err)
{
	int holder = member_find(&members->ledger, executor->name);
	const struct member *m;
	msec_t silent, left;

	if (holder == NO_MEMBER)
		return 0;
	m = &members->ledger.members[holder];
	silent = loop_now() - m->heard;
	left = members_lease(members) + LEASE_EXTRA - silent;
	if (m->incarnation == executor->incarnation || left <= 0)
		return 0;
	if (members->links[holder].stream)
		return error_set(err, -EEXIST,
				 "name: another executor is called %s, and was "
				 "heard %lld ms ago",
				 m->name, (long long)silent);
	if (!members->events->is_referred_to(members->user, holder) ||
	    (executor->claim != 0 && executor->claim == m->claim))
		return 0; /* it has no ranks, or not any more */
	return error_set(err, -EEXIST,
			 "the name %s is still leased for %lld s: ranks of the "
			 "former executor may compute",
			 m->name, (long long)(left + 999) / 1000);
}

/* Returns false if there is none. */
static bool forget_departed(struct members *members)
{
	struct ledger *ledger = &members->ledger;
	bool any = false;

	for (int i = 0; i < ledger->n; i++) {
		if (member_is_alive(&ledger->members[i]) ||
		    members->events->is_referred_to(members->user, i))
			continue;
		topologies_release(&members->topologies,
				   ledger->members[i].topology);
		member_forget(ledger, i);
		any = true;
	}
	return any;
}

static void keep_topology(struct members *members, int member,
			  const struct topology *topology)
{
	struct member *m = &members->ledger.members[member];

	if (!topology)
		return;
	m->topology = topologies_keep(&members->topologies, topology);
	if (!m->topology)
		log_warn("executor=%s out of memory: its topology is not known",
			 m->name);
}

static enum join_result enter(struct members *members,
			      const struct introduction *executor, int *member,
			      int *lost)
{
	struct ledger *ledger = &members->ledger;
	enum join_result r =
		member_join(ledger, executor, loop_now(), member, lost);

	if (r == JOIN_FULL && forget_departed(members))
		r = member_join(ledger, executor, loop_now(), member, lost);
	if (r == JOIN_NEW || r == JOIN_REPLACED) {
		link_init(&members->links[*member]);
		keep_topology(members, *member, executor->topology);
	}
	return r;
}

static void tell_new(const struct introduction *executor)
{
	char text[TOPOLOGY_TEXT_MAX];

	log_info("executor=%s joined slots=%u cores=%u", executor->name,
		 executor->slots, executor->cores);
	if (executor->topology)
		log_info("executor=%s has %s", executor->name,
			 topology_text(executor->topology, text));
}

int members_join(struct members *members, const struct introduction *executor,
		 int *member, struct error *err)
{
	int lost, r = check_word("address", executor->address, err);

	if (r == 0)
		r = check_word("machine", executor->machine, err);
	if (r == 0 && executor->node)
		r = check_word("node", executor->node, err);
	if (r == 0)
		r = check_holder(members, executor, err);
	if (r < 0)
		return r;
	switch (enter(members, executor, member, &lost)) {
	case JOIN_REPLACED:
		members_depart(members, lost, MEMBER_LOST, "came back anew");
		log_info("executor=%s joined again slots=%u", executor->name,
			 executor->slots);
		return 0;
	case JOIN_NEW:
		tell_new(executor);
		return 0;
	case JOIN_AGAIN:
		return 0;
	case JOIN_STALE:
		return error_set(err, -ESTALE,
				 "this executor left the job or was given up");
	case JOIN_BAD_NAME:
		return error_set(err, -EINVAL,
				 "name: 1 to 63 of A-Z a-z 0-9 . _ -, not dots "
				 "alone");
	case JOIN_BAD_SLOTS:
		return error_set(err, -EINVAL, "slots: %u; 1 to 4096",
				 executor->slots);
	case JOIN_MIXED:
		return error_set(err, -EXDEV,
				 "the executors of this job %s; it takes no "
				 "others",
				 executor->polled ? "hold a stream"
						  : "are polled, as Kub's are");
	case JOIN_FULL:
		return error_set(err, -ENOSPC,
				 "the job has %d executors, its most",
				 MEMBERS_MAX);
	}
	return 0;
}

/* *out: made with malloc(), or NULL if it says nothing. */
static int read_topology(struct topology **out,
			 const Bellows__V1__Topology *from, struct error *err)
{
	if (!from)
		return 0;
	*out = malloc(sizeof(**out));
	if (!*out)
		return error_set(err, -ENOMEM, "out of memory");
	return topology_from_wire(*out, from, err);
}

int members_change_topology(struct members *members, int member,
			    const Bellows__V1__Topology *from,
			    struct error *err)
{
	CLEANUP(free) struct topology *topology = NULL;
	int r = read_topology(&topology, from, err);

	if (r < 0)
		return r;
	topologies_release(&members->topologies,
			   members->ledger.members[member].topology);
	keep_topology(members, member, topology);
	return 0;
}

void members_on_join(struct members *members, struct rpc_call *call,
		     const Bellows__V1__JobInitRequest *request,
		     const Bellows__V1__JobInitReply *welcome)
{
	CLEANUP(free) struct topology *topology = NULL;
	struct introduction executor = {
		.name = request->name,
		.address = request->address,
		.machine = request->machine,
		.node = request->node,
		.incarnation = request->incarnation,
		.claim = request->claim,
		.slots = request->slots,
		.cores = request->cores,
		.node_cores = request->node_cores,
		.fast_network = request->fast_network,
		.was_served = request->served != 0 &&
			      request->served == welcome->incarnation,
		.silence = members->lost_after,
	};
	struct error err;
	int member, r = read_topology(&topology, request->topology, &err);

	executor.topology = topology;
	if (r == 0)
		r = members_join(members, &executor, &member, &err);
	if (r == 0)
		rpc_call_reply(call, &welcome->base);
	else
		rpc_call_end(call,
			     r == -EINVAL   ? RPC_INVALID_ARGUMENT
			     : r == -EEXIST ? RPC_ALREADY_EXISTS
			     : r == -ENOSPC || r == -ENOMEM
				     ? RPC_RESOURCE_EXHAUSTED
				     : RPC_FAILED_PRECONDITION,
			     "%s", err.text);
}
