/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/link.h"

#include "base/backoff.h"
#include "base/log.h"
#include "proto/coordinator.h"

#include <errno.h>

#define ANSWER SECONDS(10)

enum { LOOK_MIN = 10, LOOK_MAX = 200 }; /* milliseconds */

static void look(void *user);

static void close_client(struct link *link)
{
	if (link->is_open)
		watch_stop(&link->watch);
	link->is_open = false;
	/* calls that are not answered are told so within */
	client_close(&link->client);
}

static void look_later(struct link *link)
{
	loop_timer_set(link->loop, &link->look,
		       backoff(link->looks++, LOOK_MIN, LOOK_MAX), look, link);
}

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct link *link = user;

	link->looks = 0;
	link->events->on_job(link->user, job);
}

/* The channel is not destroyed below its own callback. */
static void open_again(void *user)
{
	struct link *link = user;

	close_client(link);
	link->events->on_lost(link->user);
	look_later(link);
}

static void on_watch_end(void *user, int r, const struct error *err)
{
	struct link *link = user;

	/* a coordinator whose job is over ends, and says no more */
	if (r < 0)
		loop_timer_set(link->loop, &link->again, 0, open_again, link);
}

static void begin_watch(struct link *link)
{
	static const struct watch_events events = {
		.on_job = on_job,
		.on_end = on_watch_end,
	};

	link->is_open = true;
	watch_start(&link->watch, &link->client, SECONDS(30), &events, link);
}

static void give_up(struct link *link, const char *why)
{
	log_debug("job=%s its coordinator is looked for: %s", link->name, why);
	client_close(&link->client);
	look_later(link);
}

static void on_route(void *user, int r, const char *text)
{
	struct link *link = user;
	struct error err;

	if (r < 0) {
		give_up(link, text);
		return;
	}
	route_lend(link->client.route, &link->client);
	if (client_connect(&link->client, &err) < 0)
		give_up(link, err.text);
	else
		begin_watch(link);
}

static int open_route(struct link *link, struct error *err)
{
	struct route *route;
	int r = route_create(&route, link->reach, link->name, link->pod,
			     on_route, link, err);

	if (r == 0)
		route_lend(route, &link->client);
	return r;
}

static int open_client(struct link *link, struct error *err)
{
	struct client *client = &link->client;
	struct stamp stamp;
	int r;

	r = state_dir_address(&link->dir, client->address,
			      sizeof(client->address), &stamp, err);
	if (r == 0)
		r = client_probe(client->address);
	if (r == 0)
		r = state_dir_token(&link->dir, &client->token, err);
	if (r == 0)
		r = state_dir_identity(&link->dir, ROLE_SCHEDULER, &client->tls,
				       err);
	return r < 0 ? r : client_connect(client, err);
}

static void look(void *user)
{
	struct link *link = user;
	struct client *client = &link->client;
	struct error err = {""};
	int r;

	if (link->reach && !link->pod)
		return; /* link_set_pod() goes on */
	*client = (struct client){
		.loop = link->loop,
		.rpc = link->rpc,
		.unencrypted = true, /* a job's own folder has a certificate
				      * if the job encrypts */
	};
	snprintf(client->name, sizeof(client->name), "%s", link->name);
	r = link->reach ? open_route(link, &err) : open_client(link, &err);
	if (r < 0)
		give_up(link, err.text);
	else if (!link->reach)
		begin_watch(link);
}

void link_begin(struct link *link)
{
	link->looks = 0;
	loop_timer_set(link->loop, &link->look, LOOK_MIN, look, link);
}

void link_set_pod(struct link *link, const cJSON *pod)
{
	bool is_new = pod && !link->pod;

	link->pod = pod;
	if (is_new && !link->is_open && !link->client.route)
		loop_timer_set(link->loop, &link->look, 0, look, link);
}

void link_end(struct link *link)
{
	static const struct link_events nothing;

	loop_timer_clear(&link->look);
	loop_timer_clear(&link->again);
	link->pod = NULL;
	link->call = LINK_NO_CALL;
	link->events = &nothing;
	close_client(link);
}

/* ---- calls ---- */

static void answered(struct link *link, int r, const struct error *err)
{
	enum link_call call = link->call;

	link->call = LINK_NO_CALL;
	if (call != LINK_NO_CALL)
		link->events->on_answer(link->user, call, r, err);
}

static int judge(const struct rpc_status *status, struct error *err)
{
	return status->code == RPC_OK
		       ? 0
		       : error_set(err, -EIO, "%s", status->message);
}

static void on_granted(void *user, const struct rpc_status *status,
		       const ProtobufCMessage *answer)
{
	const Bellows__V1__GrantReply *reply =
		(const Bellows__V1__GrantReply *)answer;
	struct error err = {""};
	int r = judge(status, &err);

	if (r == 0 && !reply->accepted)
		r = error_set(&err, -EINVAL, "%s", reply->reason);
	answered(user, r, &err);
}

static void on_cancelled(void *user, const struct rpc_status *status,
			 const ProtobufCMessage *answer)
{
	struct error err = {""};

	answered(user, judge(status, &err), &err);
}

void link_grant(struct link *link, unsigned grant, const char *reason)
{
	Bellows__V1__GrantRequest request = BELLOWS__V1__GRANT_REQUEST__INIT;

	if (!link->is_open || link->call != LINK_NO_CALL)
		return;
	link->call = LINK_GRANT;
	request.size_case = BELLOWS__V1__GRANT_REQUEST__SIZE_RANKS;
	request.ranks = grant;
	request.reason = (char *)reason;
	rpc_call_unary(link->client.channel, CALL_GRANT, &request.base,
		       &bellows__v1__grant_reply__descriptor, ANSWER,
		       on_granted, link);
}

void link_cancel(struct link *link, const char *reason)
{
	Bellows__V1__CancelRequest request = BELLOWS__V1__CANCEL_REQUEST__INIT;

	if (!link->is_open || link->call != LINK_NO_CALL)
		return;
	link->call = LINK_CANCEL;
	request.reason = (char *)reason;
	rpc_call_unary(link->client.channel, CALL_CANCEL, &request.base,
		       &bellows__v1__ack__descriptor, ANSWER, on_cancelled,
		       link);
}
