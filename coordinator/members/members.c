/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/members/internal.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <errno.h>

#define LOOK_EVERY MSEC(100)
#define OWN_PAUSE  MSEC(500) /* that is no mere lateness */

struct ledger *members_ledger(struct members *members)
{
	return &members->ledger;
}

msec_t members_heartbeat(const struct members *members)
{
	return members->lost_after / 4;
}

msec_t members_lease(const struct members *members)
{
	return members->lost_after / 3 * 2;
}

void members_answer_until(struct members *members, msec_t until)
{
	members->answer_until = until;
}

int members_find(const struct members *members, const char *name,
		 uint64_t incarnation)
{
	int member = member_find(&members->ledger, name);

	if (member == NO_MEMBER ||
	    members->ledger.members[member].incarnation != incarnation)
		return NO_MEMBER;
	return member;
}

unsigned members_alive(const struct members *members)
{
	unsigned n = 0;

	for (int i = 0; i < members->ledger.n; i++)
		n += member_is_alive(&members->ledger.members[i]);
	return n;
}

/* The call's data is the member's index plus one: NULL is a stranger. */
static void bind(struct rpc_call *call, int member)
{
	rpc_call_set_data(call, (void *)(intptr_t)(member + 1));
}

static int bound(const struct rpc_call *call)
{
	return (int)(intptr_t)rpc_call_data(call) - 1;
}

static void close_stream(struct members *members, int member)
{
	struct rpc_call *call = members->links[member].stream;

	members->links[member].stream = NULL;
	if (call)
		rpc_call_end(call, RPC_OK, "");
}

void members_depart(struct members *members, int member,
		    enum member_state state, const char *reason)
{
	struct member *m = &members->ledger.members[member];

	if (!member_is_alive(m))
		return;
	log_info("executor=%s %s: %s", m->name, member_state_name(state),
		 reason);
	m->state = state;
	close_stream(members, member);
	link_fini(&members->links[member]);
	if (state == MEMBER_LOST)
		members->events->lost(members->user, member, reason);
	else
		members->events->left(members->user, member);
}

void members_part(struct members *members, int member, const char *reason)
{
	const struct member *m = &members->ledger.members[member];

	members_depart(members, member,
		       m->state == MEMBER_LEAVING ? MEMBER_GONE : MEMBER_LOST,
		       reason);
}

void members_heard(struct members *members, int member)
{
	members->ledger.members[member].heard = loop_now();
}

/* Reports that came while this program was stopped are not read yet. */
static void forgive_own_pause(struct members *members, msec_t pause)
{
	for (int i = 0; i < members->ledger.n; i++)
		members->ledger.members[i].heard += pause;
	members->events->paused(members->user, pause);
}

/* Executors that do not confirm their orders are lost.  That is not done where
 * an order is given, for a start gives its orders to one executor after the
 * other. */
static void give_up_full(struct members *members)
{
	for (int i = 0; i < members->ledger.n; i++)
		if (members->links[i].orders.is_full)
			members_part(members, i,
				     members->links[i].trouble.text);
}

static void look(void *user)
{
	struct members *members = user;
	msec_t late = loop_now() - members->next_look;
	char reason[64];
	int i;

	if (members->next_look != 0 && late > OWN_PAUSE)
		forgive_own_pause(members, late);
	members->next_look = loop_now() + LOOK_EVERY;
	/* executors that will have been silent for too long by the next look */
	while ((i = member_find_silent(&members->ledger, members->next_look)) !=
	       NO_MEMBER) {
		const struct member *m = &members->ledger.members[i];

		snprintf(reason, sizeof(reason), "no report for %.3g s%s",
			 (double)m->silence / 1000,
			 members->links[i].stream || m->polled
				 ? ""
				 : ", and no connection");
		members_part(members, i, reason);
	}
	give_up_full(members);
	loop_timer_set(members->loop, &members->look, LOOK_EVERY, look,
		       members);
}

void members_order(struct members *members, int member,
		   Bellows__V1__Order *order)
{
	if (member_is_alive(&members->ledger.members[member]))
		link_order(&members->links[member], order);
}

void members_release(struct members *members, int member, const char *reason)
{
	struct member *m = &members->ledger.members[member];
	Bellows__V1__Release release = BELLOWS__V1__RELEASE__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	if (!member_is_alive(m))
		return;
	if (m->state != MEMBER_LEAVING)
		log_info("executor=%s released: %s", m->name, reason);
	m->state = MEMBER_LEAVING;
	if (m->ranks > 0 && members->links[member].stream)
		m->silence = MEMBERS_LAST_WORDS;
	release.reason = (char *)reason;
	order.what_case = BELLOWS__V1__ORDER__WHAT_RELEASE;
	order.release = &release;
	members_order(members, member, &order);
}

void members_refute(struct members *members, int member, const char *lie)
{
	struct rpc_call *call = members->links[member].stream;

	log_warn("executor=%s is not believed: %s",
		 members->ledger.members[member].name, lie);
	members->links[member].stream = NULL;
	if (call)
		rpc_call_end(call, RPC_PERMISSION_DENIED, "%s", lie);
}

/* ---- attaching ---- */

static void probe(struct members *members, int member)
{
	Bellows__V1__Probe what = BELLOWS__V1__PROBE__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	what.token = (uint64_t)member + 1;
	order.what_case = BELLOWS__V1__ORDER__WHAT_PROBE;
	order.probe = &what;
	members_order(members, member, &order);
}

/* The first report of a stream says whose it is. */
static int introduce(struct members *members, struct rpc_call *call,
		     const Bellows__V1__Report *report)
{
	int member = members_find(members, report->name, report->incarnation);
	struct member *m;
	bool repeat;

	if (member == NO_MEMBER) {
		rpc_call_end(call, RPC_NOT_FOUND,
			     "executor '%.63s' has not joined", report->name);
		return NO_MEMBER;
	}
	m = &members->ledger.members[member];
	close_stream(members, member);
	repeat = link_attach(&members->links[member], call, report);
	m->silence = members->lost_after;
	bind(call, member);
	if (repeat && m->state == MEMBER_JOINED)
		probe(members, member);
	if (repeat && m->state == MEMBER_LEAVING)
		members_release(members, member, "as before");
	return member;
}

void members_admit(struct members *members, int member)
{
	struct member *m = &members->ledger.members[member];

	if (m->state != MEMBER_JOINED)
		return;
	m->state = MEMBER_READY;
	log_info("executor=%s ready", m->name);
	members->events->ready(members->user, member);
}

void members_refuse(struct members *members, int member, const char *failure,
		    int exit_code)
{
	if (members->ledger.members[member].state != MEMBER_JOINED)
		return;
	members_release(members, member, "it cannot run this job");
	members->events->unfit(members->user, member, failure, exit_code);
}

static void on_probed(struct members *members, int member,
		      const Bellows__V1__Probed *probed)
{
	const struct member *m = &members->ledger.members[member];

	if (m->state != MEMBER_JOINED || probed->token != (uint64_t)member + 1)
		return;
	if (*probed->failure)
		members_refuse(members, member, probed->failure,
			       (int)probed->exit_code);
	else
		members->events->probed(members->user, member);
}

/* It goes by itself; until its ranks are gone it is still waited for. */
static void on_heartbeat(struct members *members, int member,
			 const Bellows__V1__Heartbeat *heartbeat)
{
	struct member *m = &members->ledger.members[member];
	bool draining = heartbeat->grace > 0;

	link_confirm(&members->links[member], heartbeat);
	if (loop_now() < members->answer_until)
		link_answer(&members->links[member], heartbeat);
	if (!heartbeat->leaving || m->state == MEMBER_LEAVING ||
	    (draining && m->state == MEMBER_DRAINING))
		return;
	log_info("executor=%s leaves%s", m->name,
		 draining ? ": it is drained" : "");
	m->state = draining ? MEMBER_DRAINING : MEMBER_LEAVING;
	if (draining)
		members->events->draining(members->user, member,
					  heartbeat->grace);
}

void members_on_report(struct members *members, struct rpc_call *call,
		       const Bellows__V1__Report *report)
{
	int member = bound(call);
	struct error err;

	if (member < 0)
		member = introduce(members, call, report);
	if (member < 0 || members->links[member].stream != call)
		return;
	members->ledger.members[member].heard = loop_now();
	if (!unconfirmed_take(&members->links[member].taken, report->number))
		return;
	if (report->what_case == BELLOWS__V1__REPORT__WHAT_PROBED)
		on_probed(members, member, report->probed);
	else if (report->what_case == BELLOWS__V1__REPORT__WHAT_HEARTBEAT)
		on_heartbeat(members, member, report->heartbeat);
	else if (report->what_case == BELLOWS__V1__REPORT__WHAT_TOPOLOGY &&
		 members_change_topology(members, member, report->topology,
					 &err) < 0)
		members_refute(members, member, err.text);
	else
		members->events->reported(members->user, member, report);
}

void members_on_stream_gone(struct members *members, struct rpc_call *call)
{
	int member = bound(call);

	if (member < 0 || members->links[member].stream != call)
		return;
	members->links[member].stream = NULL;
	/* it has ended, or will be back at once; its ranks may outlive it */
	members->ledger.members[member].silence =
		members_lease(members) + LEASE_EXTRA;
}

void members_on_end(struct members *members,
		    const Bellows__V1__EndExecRequest *request)
{
	int member = members_find(members, request->name, request->incarnation);

	if (member == NO_MEMBER)
		return;
	members_part(members, member,
		     *request->reason ? request->reason : "it ended");
}

int members_create(struct members **out, struct loop *loop, msec_t lost_after,
		   const struct members_events *events, void *user,
		   struct error *err)
{
	struct members *members = calloc(1, sizeof(*members));

	if (!members)
		return error_set(err, -ENOMEM, "out of memory");
	members->loop = loop;
	list_init(&members->topologies);
	members->lost_after = lost_after;
	members->answer_until = INT64_MAX;
	members->events = events;
	members->user = user;
	for (int i = 0; i < MEMBERS_MAX; i++)
		link_init(&members->links[i]);
	look(members);
	*out = members;
	return 0;
}

struct members *members_destroy(struct members *members)
{
	if (!members)
		return NULL;
	loop_timer_clear(&members->look);
	for (int i = 0; i < MEMBERS_MAX; i++)
		link_fini(&members->links[i]);
	topologies_clear(&members->topologies);
	free(members);
	return NULL;
}
