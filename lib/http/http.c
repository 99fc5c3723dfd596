/* SPDX-License-Identifier: Apache-2.0 */
#include "http/internal.h"

#include <errno.h>
#include <sys/epoll.h>

/* A descriptor that curl waits for. */
struct socket {
	struct http *http;
	struct list link;
	int fd;
	struct loop_fd *source;
};

/* ---- curl has done something ---- */

static void collect(struct http *http)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(http->multi, &left)) != NULL) {
		struct http_transfer *transfer;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
				  &transfer);
		transfer->over = true;
		transfer->result = message->data.result;
		http_transfer_ready(transfer);
	}
}

static void turn(struct http *http, curl_socket_t fd, int events)
{
	int running;

	curl_multi_socket_action(http->multi, fd, events, &running);
	collect(http);

	http->turning = true;
	while (!http->dead && !list_is_empty(&http->ready)) {
		struct http_transfer *transfer = CONTAINER(
			http->ready.next, struct http_transfer, ready);

		list_remove(&transfer->ready);
		transfer->tell(transfer);
	}
	http->turning = false;
	if (http->dead)
		free(http);
}

static void on_socket(void *user, uint32_t events)
{
	const struct socket *sock = user;
	int bits = 0;

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		bits |= CURL_CSELECT_IN;
	if (events & (EPOLLOUT | EPOLLERR))
		bits |= CURL_CSELECT_OUT;
	turn(sock->http, sock->fd, bits);
}

static void on_timer(void *user)
{
	turn(user, CURL_SOCKET_TIMEOUT, 0);
}

/* ---- what curl asks for ---- */

static void forget(struct socket *sock)
{
	loop_fd_remove(sock->source);
	list_remove(&sock->link);
	free(sock);
}

static struct socket *watch(struct http *http, int fd, uint32_t events)
{
	struct socket *sock = calloc(1, sizeof(*sock));

	if (!sock)
		return NULL;
	sock->http = http;
	sock->fd = fd;
	if (loop_fd_add(&sock->source, http->loop, fd, events, on_socket, sock,
			NULL) < 0) {
		free(sock);
		return NULL;
	}
	list_append(&http->sockets, &sock->link);
	curl_multi_assign(http->multi, fd, sock);
	return sock;
}

static int want_socket(CURL *easy, curl_socket_t fd, int what, void *user,
		       void *known)
{
	struct http *http = user;
	struct socket *sock = known;
	uint32_t events = 0;

	if (what == CURL_POLL_REMOVE) {
		if (sock)
			forget(sock);
		return 0;
	}
	if (what & CURL_POLL_IN)
		events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		events |= EPOLLOUT;
	if (sock)
		loop_fd_set(sock->source, events);
	else if (!watch(http, fd, events))
		return -1;
	return 0;
}

static int want_timer(CURLM *multi, long msec, void *user)
{
	struct http *http = user;

	if (msec < 0)
		loop_timer_clear(&http->timer);
	else
		loop_timer_set(http->loop, &http->timer, msec, on_timer, http);
	return 0;
}

/* ---- life ---- */

int http_create(struct http **out, struct loop *loop, struct error *err)
{
	CLEANUP(http_destroy) struct http *http = calloc(1, sizeof(*http));

	if (!http)
		return error_set(err, -ENOMEM, "out of memory");
	http->loop = loop;
	list_init(&http->sockets);
	list_init(&http->transfers);
	list_init(&http->ready);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		free(STEAL(http));
		return error_set(err, -ENOMEM, "libcurl cannot be used");
	}
	http->multi = curl_multi_init();
	if (!http->multi)
		return error_set(err, -ENOMEM, "out of memory");
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, want_socket);
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, want_timer);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
	*out = STEAL(http);
	return 0;
}

struct http *http_destroy(struct http *http)
{
	if (!http)
		return NULL;
	list_for_each (at, &http->transfers) {
		struct http_transfer *transfer =
			CONTAINER(at, struct http_transfer, link);

		transfer->destroy(transfer);
	}
	curl_multi_cleanup(http->multi);
	list_for_each (at, &http->sockets)
		forget(CONTAINER(at, struct socket, link));
	loop_timer_clear(&http->timer);
	curl_global_cleanup();
	http->dead = true;
	if (!http->turning)
		free(http);
	return NULL;
}
