/* SPDX-License-Identifier: Apache-2.0 */
#include "web/web.h"

#include "base/address.h"
#include "base/cleanup.h"
#include "base/list.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * libmicrohttpd without threads: it waits on an epoll of its own, which is one
 * more descriptor of the loop, and is run when that has something, or when it
 * says that it has.
 */

/* LIMIT: callers that were cut off are there for a moment longer. */
enum {
	BACKLOG = WEB_CALLERS_MAX,
	LIMIT = 2 * WEB_CALLERS_MAX,
	BUFFER = 8192,
	ADDRESS_MAX = 80,
};

struct caller {
	struct list link;
	int fd;
};

struct web {
	struct loop *loop;
	struct web_page page;
	char address[ADDRESS_MAX];
	struct MHD_Daemon *daemon;
	struct loop_fd *watch;
	struct loop_timer timer;
	struct list callers; /* that may send, the oldest first */
	unsigned n_callers;
};

DEFINE_CLEANUP(struct web, web_destroy)

/* ---- answers ---- */

static enum MHD_Result answer(struct MHD_Connection *caller, unsigned status,
			      const char *type, char *text, size_t n)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(n, text, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result r;

	if (!response) {
		free(text);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
					"GET, HEAD");
	r = MHD_queue_response(caller, status, response);
	MHD_destroy_response(response);
	return r;
}

static enum MHD_Result refuse(struct MHD_Connection *caller, unsigned status,
			      const char *why)
{
	char *text = strdup(why);

	return text ? answer(caller, status, "text/plain", text, strlen(text))
		    : MHD_NO;
}

static enum MHD_Result show(struct web *web, struct MHD_Connection *caller)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return MHD_NO;
	web->page.print(web->page.user, to);
	if (fclose(to) != 0) {
		free(text);
		return MHD_NO;
	}
	return answer(caller, MHD_HTTP_OK, web->page.type, text, n);
}

static enum MHD_Result refuse_path(const struct web *web,
				   struct MHD_Connection *caller)
{
	char why[64];

	snprintf(why, sizeof(why), "there is %s, and nothing else\n",
		 web->page.path);
	return refuse(caller, MHD_HTTP_NOT_FOUND, why);
}

/* Called with the head of a request, with each piece of its body, which is
 * passed over, and at its end.  MHD_NO cuts the caller off. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *caller,
				  const char *path, const char *method,
				  const char *version, const char *body,
				  size_t *size, void **state)
{
	static char begun;
	struct web *web = user;

	if (!*state) {
		*state = &begun;
		return MHD_YES;
	}
	if (*size > 0) {
		*size = 0;
		return MHD_YES;
	}
	if (strcmp(path, web->page.path) != 0)
		return refuse_path(web, caller);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(caller, MHD_HTTP_METHOD_NOT_ALLOWED,
			      "GET or HEAD\n");
	return show(web, caller);
}

/* ---- callers ---- */

static void remove_caller(struct web *web, struct caller *caller)
{
	if (list_is_empty(&caller->link))
		return;
	list_remove(&caller->link);
	web->n_callers--;
}

static void add_caller(struct web *web, struct caller *caller)
{
	list_append(&web->callers, &caller->link);
	if (++web->n_callers > WEB_CALLERS_MAX) {
		struct caller *oldest =
			CONTAINER(web->callers.next, struct caller, link);

		shutdown(oldest->fd, SHUT_RDWR);
		remove_caller(web, oldest);
	}
}

static void on_connection(void *user, struct MHD_Connection *connection,
			  void **state,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct caller *caller = *state;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED && caller) {
		remove_caller(user, caller);
		free(caller);
	} else if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*state = caller = calloc(1, sizeof(*caller));
		if (!caller)
			return; /* it cannot be cut off early */
		list_init(&caller->link);
		caller->fd = info->connect_fd;
		add_caller(user, caller);
	}
}

/* ---- the loop ---- */

static void run(void *user)
{
	struct web *web = user;
	MHD_UNSIGNED_LONG_LONG in;

	MHD_run(web->daemon);
	loop_timer_clear(&web->timer);
	if (MHD_get_timeout(web->daemon, &in) == MHD_YES)
		loop_timer_set(web->loop, &web->timer, (msec_t)in, run, web);
}

static void on_ready(void *user, uint32_t events)
{
	run(user);
}

/* ---- listening ---- */

/* Like the one that was asked for, with the port that it got. */
static void tell_address(struct web *web, int fd, const char *host)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	char port[16] = "0";

	if (getsockname(fd, (struct sockaddr *)&at, &n) == 0)
		getnameinfo((struct sockaddr *)&at, n, NULL, 0, port,
			    sizeof(port), NI_NUMERICSERV);
	snprintf(web->address, sizeof(web->address),
		 strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

static int bind_to(const struct addrinfo *info)
{
	CLEANUP(close)
	int fd = socket(info->ai_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, info->ai_addr, info->ai_addrlen) < 0 ||
	    listen(fd, BACKLOG) < 0)
		return -errno;
	return STEAL_FD(fd);
}

/* Returns a descriptor. */
static int listen_on(struct web *web, const char *address, struct error *err)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
	};
	CLEANUP(free) char *copy = strdup(address);
	const char *host, *port;
	struct addrinfo *info;
	int fd;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	if (address_split(copy, &host, &port) < 0 ||
	    getaddrinfo(host, port, &hints, &info) != 0)
		return error_set(err, -EINVAL,
				 "'%s' is no address to listen on; as "
				 "0.0.0.0:7001 or [::]:7001",
				 address);
	fd = bind_to(info);
	freeaddrinfo(info);
	if (fd < 0)
		return error_set(err, fd, "cannot listen on %s: %s", address,
				 strerror(-fd));
	tell_address(web, fd, host);
	return fd;
}

static int serve(struct web *web, int fd, struct error *err)
{
	const union MHD_DaemonInfo *info;

	web->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, on_request, web,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)LIMIT, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)WEB_PATIENCE, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)BUFFER, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
		web, MHD_OPTION_END);
	if (!web->daemon) {
		close(fd);
		return error_set(err, -EIO, "cannot serve %s on %s",
				 web->page.path, web->address);
	}
	info = MHD_get_daemon_info(web->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	return loop_fd_add(&web->watch, web->loop, info->epoll_fd, EPOLLIN,
			   on_ready, web, err);
}

int web_create(struct web **out, struct loop *loop, const char *address,
	       const struct web_page *page, struct error *err)
{
	CLEANUP(web_destroy)
	struct web *web = calloc(1, sizeof(*web));
	int r;

	if (!web)
		return error_set(err, -ENOMEM, "out of memory");
	web->loop = loop;
	web->page = *page;
	list_init(&web->callers);
	r = listen_on(web, address, err);
	if (r >= 0)
		r = serve(web, r, err);
	if (r < 0)
		return r;
	*out = STEAL(web);
	return 0;
}

const char *web_address(const struct web *web)
{
	return web->address;
}

struct web *web_destroy(struct web *web)
{
	if (!web)
		return NULL;
	loop_timer_clear(&web->timer);
	loop_fd_remove(web->watch);
	if (web->daemon)
		MHD_stop_daemon(web->daemon);
	free(web);
	return NULL;
}
