/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/members/internal.h"

void link_init(struct link *link)
{
	*link = (struct link){0};
	unconfirmed_init(&link->orders);
}

void link_fini(struct link *link)
{
	unconfirmed_clear(&link->orders);
}

static void send_again(void *user, const ProtobufCMessage *order)
{
	struct link *link = user;

	rpc_call_send(link->stream, order);
}

static bool confirms(const Bellows__V1__Heartbeat *heartbeat)
{
	return heartbeat &&
	       heartbeat->taken_case == BELLOWS__V1__HEARTBEAT__TAKEN_ORDERS;
}

void link_confirm(struct link *link, const Bellows__V1__Heartbeat *heartbeat)
{
	unconfirmed_confirm(&link->orders, confirms(heartbeat)
						   ? heartbeat->orders
						   : link->sent);
}

bool link_attach(struct link *link, struct rpc_call *stream,
		 const Bellows__V1__Report *first)
{
	const Bellows__V1__Heartbeat *heartbeat =
		first->what_case == BELLOWS__V1__REPORT__WHAT_HEARTBEAT
			? first->heartbeat
			: NULL;

	link->stream = stream;
	link_confirm(link, heartbeat);
	unconfirmed_resend(&link->orders, send_again, link, &link->trouble);
	link->sent = link->orders.last;
	return link->sent == 0 || !confirms(heartbeat);
}

void link_order(struct link *link, Bellows__V1__Order *order)
{
	order->number = unconfirmed_next(&link->orders);
	if (unconfirmed_keep(&link->orders, &order->base, &link->trouble) < 0 ||
	    !link->stream)
		return;
	rpc_call_send(link->stream, &order->base);
	link->sent = order->number;
}

void link_answer(struct link *link, const Bellows__V1__Heartbeat *heartbeat)
{
	Bellows__V1__Lease lease = BELLOWS__V1__LEASE__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	lease.sent = heartbeat->sent;
	lease.taken_case = BELLOWS__V1__LEASE__TAKEN_REPORTS;
	lease.reports = link->taken;
	order.what_case = BELLOWS__V1__ORDER__WHAT_LEASE;
	order.lease = &lease;
	if (link->stream)
		rpc_call_send(link->stream, &order.base);
}
