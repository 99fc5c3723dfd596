/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/link.h"

#include "http/tunnel.h"
#include "kube/channels.h"
#include "kube/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>

#define PROTOCOL "v4.channel.k8s.io"

#define OPEN_PATIENCE SECONDS(30)
#define LINGER        SECONDS(5)
#define PING_EACH     SECONDS(30) /* balancers end what is silent for a minute */

enum {
	READ_SIZE = 16 * 1024,
};

enum phase {
	ASKING,
	OPEN,
	LEAVING,  /* the program has said all */
	FLUSHING, /* the pod has said all */
};

struct kube_link {
	struct list link; /* of forward->links */
	struct kube_forward *forward;
	enum phase phase;
	struct kube_waiter waiter;
	struct http_tunnel *tunnel;
	bool refused; /* there is no tunnel, and failure says why */
	bool renewed; /* a 401 has been answered with another token */
	bool again;   /* and that is to be tried */
	char key[WEBSOCKET_KEY_SIZE];
	struct loop_timer ping, linger;

	/* from the pod */
	struct kube_channels channels;
	char failure[KUBE_TEXT_MAX];
	char *out; /* for the program */
	size_t out_from, out_to, out_room;

	/* from the program */
	int fd;
	struct loop_fd *source;
	uint8_t frame[READ_SIZE + 1 + WEBSOCKET_HEAD_MAX];
	size_t frame_size; /* that the tunnel did not take; 0: none */
};

static struct loop *loop_of(const struct kube_link *link)
{
	return link->forward->kube->loop;
}

/* ---- ends ---- */

void kube_link_destroy(struct list *at)
{
	struct kube_link *link = CONTAINER(at, struct kube_link, link);

	list_remove(&link->link);
	link->forward->n_links--;
	kube_waiter_clear(&link->waiter);
	http_tunnel_close(link->tunnel);
	loop_timer_clear(&link->ping);
	loop_timer_clear(&link->linger);
	loop_fd_remove(link->source);
	close(link->fd);
	free(link->out);
	free(link);
}

/* The forward may be gone after it. */
static void end(struct kube_link *link, char *text)
{
	const struct kube_forward *forward = link->forward;

	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	kube_link_destroy(&link->link);
	forward->trouble(forward->user, text);
}

static void fail(struct kube_link *link, const char *what)
{
	const struct kube_forward *forward = link->forward;
	char text[KUBE_TEXT_MAX + 600];

	snprintf(text, sizeof(text), "port %u of pod %s in namespace %s: %s",
		 forward->port, forward->pod, forward->namespace, what);
	end(link, text);
}

/* Ends the link, and tells what went wrong in the pod.  A kubelet needs half a
 * kilobyte to say that no program listens at the port. */
static void finish(struct kube_link *link)
{
	if (strstr(link->failure, "connection refused"))
		fail(link, "nobody listens there");
	else if (*link->failure)
		fail(link, link->failure);
	else
		kube_link_destroy(&link->link);
}

static void on_linger(void *user)
{
	finish(user);
}

static void linger(struct kube_link *link)
{
	if (!loop_timer_is_set(&link->linger))
		loop_timer_set(loop_of(link), &link->linger, LINGER, on_linger,
			       link);
}

/* ---- what is waited for at the program's end ---- */

static bool has_out(const struct kube_link *link)
{
	return link->out_to > link->out_from;
}

/* See arm() of http/tunnel.c for EPOLLET. */
static void arm(struct kube_link *link)
{
	uint32_t events = 0;

	if (link->phase == OPEN && link->frame_size == 0)
		events |= EPOLLIN;
	if (has_out(link))
		events |= EPOLLOUT;
	loop_fd_set(link->source, events ? events : (uint32_t)EPOLLET);
}

/* ---- to the pod ---- */

/* -EAGAIN: it waits in link->frame.  -ENOSYS: there is no randomness. */
static int send_frame(struct kube_link *link, enum websocket_opcode opcode,
		      const void *bytes, size_t n)
{
	uint8_t mask[4];
	size_t size;
	int r;

	if (getrandom(mask, sizeof(mask), 0) != sizeof(mask))
		return -ENOSYS;
	size = websocket_frame(link->frame, opcode, mask, bytes, n);
	r = http_tunnel_send(link->tunnel, link->frame, size);
	link->frame_size = r < 0 ? size : 0;
	return r;
}

/* A control frame is of use now or not at all. */
static void send_control(struct kube_link *link, enum websocket_opcode opcode,
			 const void *bytes, size_t n)
{
	if (link->frame_size == 0 && link->tunnel &&
	    send_frame(link, opcode, bytes, n) < 0)
		link->frame_size = 0;
}

static void on_ping(void *user)
{
	struct kube_link *link = user;

	send_control(link, WEBSOCKET_PING, "", 0);
	loop_timer_set(loop_of(link), &link->ping, PING_EACH, on_ping, link);
}

static void leave(struct kube_link *link)
{
	static const uint8_t normal[] = {1000 >> 8, 1000 & 0xff};

	link->phase = LEAVING;
	send_control(link, WEBSOCKET_CLOSE, normal, sizeof(normal));
	linger(link);
}

static void read_program(struct kube_link *link)
{
	uint8_t bytes[READ_SIZE], message[READ_SIZE + 1];
	ssize_t n = recv(link->fd, bytes, sizeof(bytes), 0);
	int r = 0;

	if (n < 0 && errno != EAGAIN) {
		kube_link_destroy(&link->link);
		return;
	}
	if (n == 0)
		leave(link);
	if (n > 0)
		r = send_frame(link, WEBSOCKET_BINARY, message,
			       kube_channels_data(message, bytes, (size_t)n));
	if (r < 0 && r != -EAGAIN)
		fail(link, "no random numbers");
	else
		arm(link);
}

static void on_drained(void *user)
{
	struct kube_link *link = user;

	if (link->frame_size > 0 &&
	    http_tunnel_send(link->tunnel, link->frame, link->frame_size) == 0)
		link->frame_size = 0;
	arm(link);
}

/* ---- to the program ---- */

static bool keep(struct kube_link *link, const char *bytes, size_t n)
{
	if (n > link->out_room - link->out_to) {
		size_t room = link->out_to + n;
		char *out = realloc(link->out, room);

		if (!out)
			return false;
		link->out = out;
		link->out_room = room;
	}
	memcpy(link->out + link->out_to, bytes, n);
	link->out_to += n;
	return true;
}

/* Whether the link is still there. */
static bool flush(struct kube_link *link)
{
	while (has_out(link)) {
		ssize_t n = send(link->fd, link->out + link->out_from,
				 link->out_to - link->out_from, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			kube_link_destroy(&link->link);
			return false;
		}
		link->out_from += (size_t)n;
	}
	if (!has_out(link))
		link->out_from = link->out_to = 0;
	if (link->tunnel)
		http_tunnel_hold(link->tunnel, has_out(link));
	if (link->phase == FLUSHING && !has_out(link)) {
		finish(link);
		return false;
	}
	arm(link);
	return true;
}

static void on_program(void *user, uint32_t events)
{
	struct kube_link *link = user;

	if ((events & EPOLLOUT) && !flush(link))
		return;
	if (link->phase == OPEN && link->frame_size == 0)
		read_program(link);
	else if (events & (EPOLLHUP | EPOLLERR))
		linger(link);
}

/* ---- from the pod ---- */

static void keep_failure(struct kube_link *link, const char *bytes, size_t n)
{
	size_t size = strlen(link->failure);

	snprintf(link->failure + size, sizeof(link->failure) - size, "%.*s",
		 (int)n, bytes);
}

static int take_part(struct kube_link *link, const struct kube_part *part,
		     struct error *err)
{
	switch (part->kind) {
	case KUBE_PART_DATA:
		if (!keep(link, part->bytes, part->n))
			return error_set(err, -ENOMEM, "out of memory");
		break;
	case KUBE_PART_FAILURE:
		keep_failure(link, part->bytes, part->n);
		break;
	case KUBE_PART_PING:
		send_control(link, WEBSOCKET_PONG, part->bytes, part->n);
		break;
	case KUBE_PART_CLOSE:
		link->phase = FLUSHING;
		break;
	}
	return 0;
}

static void on_bytes(void *user, const void *bytes, size_t n)
{
	struct kube_link *link = user;
	struct kube_part part;
	const uint8_t *at = bytes;
	struct error err;
	int r;

	while ((r = kube_channels_take(&link->channels, &at, &n, &part, &err)) >
	       0) {
		r = take_part(link, &part, &err);
		if (r < 0)
			break;
	}
	if (r < 0)
		fail(link, err.text);
	else
		flush(link);
}

static void on_open(void *user, const char *answer)
{
	struct kube_link *link = user;
	struct error err;

	if (websocket_check(answer, link->key, PROTOCOL, &err) < 0) {
		fail(link, err.text);
		return;
	}
	link->phase = OPEN;
	loop_timer_set(loop_of(link), &link->ping, PING_EACH, on_ping, link);
	arm(link);
}

/* ---- beginning ---- */

static struct kube_target target_of(const struct kube_link *link)
{
	return (struct kube_target){.kind = &kube_pods,
				    .namespace = link->forward->namespace,
				    .name = link->forward->pod,
				    .subresource = "portforward"};
}

/* Since Kubernetes 1.35 a role needs both verbs; the message says which one it
 * lacks. */
static void on_refused(void *user, int status, const char *body)
{
	struct kube_link *link = user;
	struct kube *kube = link->forward->kube;
	const char *json = strchr(body, '{');
	cJSON *object = json ? cJSON_Parse(json) : NULL;
	const char *message = kube_text(object, "message");
	const struct http_answer answer = {
		.status = status, .body = body, .size = strlen(body)};
	const struct kube_act act = {
		.verb = message && strstr(message, "cannot create") ? "create"
								    : "get",
		.target = target_of(link),
		.origin = kube->config->origin,
	};

	link->refused = true;
	kube_refusal(link->failure, &act, &answer, object);
	cJSON_Delete(object);
	if (status == 401 && !link->renewed)
		link->again = kube_access_renew(kube);
	link->renewed = true;
}

static void ask_for_upgrade(void *user);

static void end_refused(struct kube_link *link)
{
	char text[KUBE_TEXT_MAX];

	if (link->again) {
		link->again = link->refused = false;
		*link->failure = '\0';
		ask_for_upgrade(link);
		return;
	}
	strcpy(text, link->failure);
	end(link, text);
}

static void on_ended(void *user, int r, const char *text)
{
	struct kube_link *link = user;

	link->tunnel = NULL;
	if (link->refused) {
		end_refused(link);
	} else if (*link->failure) {
		finish(link);
	} else if (r < 0 && link->phase <= OPEN) {
		fail(link, text);
	} else {
		link->phase = FLUSHING;
		linger(link);
		flush(link);
	}
}

static const struct http_tunnel_events events = {
	.open = on_open,
	.bytes = on_bytes,
	.drained = on_drained,
	.refused = on_refused,
	.ended = on_ended,
};

static int send_upgrade(struct kube_link *link,
			const struct kube_access *access, struct error *err)
{
	struct kube_forward *forward = link->forward;
	const struct kube_target target = target_of(link);
	char query[32], key[64];
	const char *headers[] = {"Connection: Upgrade",
				 "Upgrade: websocket",
				 "Sec-WebSocket-Version: 13",
				 "Sec-WebSocket-Protocol: " PROTOCOL,
				 key,
				 access->authorization,
				 NULL};
	struct http_request request = {.method = "GET",
				       .headers = headers,
				       .tls = &access->tls,
				       .direct = access->direct,
				       .timeout = OPEN_PATIENCE};
	CLEANUP(free) char *url = NULL;
	uint8_t nonce[16];

	if (getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce))
		return error_errno(err, "no random numbers");
	websocket_key(link->key, nonce);
	snprintf(key, sizeof(key), "Sec-WebSocket-Key: %s", link->key);
	snprintf(query, sizeof(query), "ports=%u", forward->port);
	url = kube_url(access->server, &target, query);
	if (!url)
		return error_set(err, -ENOMEM, "out of memory");
	request.url = url;
	return http_tunnel_start(&link->tunnel, forward->kube->http, &request,
				 &events, link, err);
}

static void ask_for_upgrade(void *user)
{
	struct kube_link *link = user;
	struct kube_access access;
	struct error err;
	int r;

	link->waiter.fn = ask_for_upgrade;
	link->waiter.user = link;
	r = kube_access_get(link->forward->kube, &access, &link->waiter, &err);
	if (r == 0)
		r = send_upgrade(link, &access, &err);
	if (r < 0)
		fail(link, err.text);
}

int kube_link_start(struct kube_forward *forward, int fd, struct error *err)
{
	struct kube_link *link = calloc(1, sizeof(*link));
	int r;

	if (!link) {
		close(fd);
		return error_set(err, -ENOMEM, "out of memory");
	}
	link->forward = forward;
	link->fd = fd;
	r = loop_fd_add(&link->source, forward->kube->loop, fd,
			(uint32_t)EPOLLET, on_program, link, err);
	if (r < 0) {
		close(fd);
		free(link);
		return r;
	}
	list_append(&forward->links, &link->link);
	forward->n_links++;
	ask_for_upgrade(link);
	return 0;
}
