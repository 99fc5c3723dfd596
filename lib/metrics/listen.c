/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/listen.h"

#include "base/address.h"
#include "base/cleanup.h"

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

#define CONTENT "text/plain; version=0.0.4; charset=utf-8"

enum { BACKLOG = METRICS_CALLERS_MAX, BUFFER = 8192, ADDRESS_MAX = 80 };

struct metrics {
	struct loop *loop;
	metrics_print_f print;
	void *user;
	char address[ADDRESS_MAX];
	struct MHD_Daemon *daemon;
	struct loop_fd *watch;
	struct loop_timer timer;
};

DEFINE_CLEANUP(struct metrics, metrics_destroy)

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

static enum MHD_Result show(struct metrics *metrics,
			    struct MHD_Connection *caller)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return MHD_NO;
	metrics->print(metrics->user, to);
	if (fclose(to) != 0) {
		free(text);
		return MHD_NO;
	}
	return answer(caller, MHD_HTTP_OK, CONTENT, text, n);
}

/* Called with the head of a request, with each piece of its body, which is
 * passed over, and at its end.  MHD_NO cuts the caller off. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *caller,
				  const char *path, const char *method,
				  const char *version, const char *body,
				  size_t *size, void **state)
{
	static char begun;

	if (!*state) {
		*state = &begun;
		return MHD_YES;
	}
	if (*size > 0) {
		*size = 0;
		return MHD_YES;
	}
	if (strcmp(path, "/metrics") != 0)
		return refuse(caller, MHD_HTTP_NOT_FOUND,
			      "there is /metrics, and nothing else\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(caller, MHD_HTTP_METHOD_NOT_ALLOWED,
			      "GET or HEAD\n");
	return show(user, caller);
}

/* ---- the loop ---- */

static void run(void *user)
{
	struct metrics *metrics = user;
	MHD_UNSIGNED_LONG_LONG in;

	MHD_run(metrics->daemon);
	loop_timer_clear(&metrics->timer);
	if (MHD_get_timeout(metrics->daemon, &in) == MHD_YES)
		loop_timer_set(metrics->loop, &metrics->timer, (msec_t)in, run,
			       metrics);
}

static void on_ready(void *user, uint32_t events)
{
	run(user);
}

/* ---- listening ---- */

/* Like the one that was asked for, with the port that it got. */
static void tell_address(struct metrics *metrics, int fd, const char *host)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	char port[16] = "0";

	if (getsockname(fd, (struct sockaddr *)&at, &n) == 0)
		getnameinfo((struct sockaddr *)&at, n, NULL, 0, port,
			    sizeof(port), NI_NUMERICSERV);
	snprintf(metrics->address, sizeof(metrics->address),
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
static int listen_on(struct metrics *metrics, const char *address,
		     struct error *err)
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
	tell_address(metrics, fd, host);
	return fd;
}

static int serve(struct metrics *metrics, int fd, struct error *err)
{
	const union MHD_DaemonInfo *info;

	metrics->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, on_request, metrics,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)METRICS_CALLERS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)METRICS_PATIENCE, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)BUFFER, MHD_OPTION_END);
	if (!metrics->daemon) {
		close(fd);
		return error_set(err, -EIO, "cannot serve metrics on %s",
				 metrics->address);
	}
	info = MHD_get_daemon_info(metrics->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	return loop_fd_add(&metrics->watch, metrics->loop, info->epoll_fd,
			   EPOLLIN, on_ready, metrics, err);
}

int metrics_create(struct metrics **out, struct loop *loop, const char *address,
		   metrics_print_f print, void *user, struct error *err)
{
	CLEANUP(metrics_destroy)
	struct metrics *metrics = calloc(1, sizeof(*metrics));
	int r;

	if (!metrics)
		return error_set(err, -ENOMEM, "out of memory");
	metrics->loop = loop;
	metrics->print = print;
	metrics->user = user;
	r = listen_on(metrics, address, err);
	if (r >= 0)
		r = serve(metrics, r, err);
	if (r < 0)
		return r;
	*out = STEAL(metrics);
	return 0;
}

const char *metrics_address(const struct metrics *metrics)
{
	return metrics->address;
}

struct metrics *metrics_destroy(struct metrics *metrics)
{
	if (!metrics)
		return NULL;
	loop_timer_clear(&metrics->timer);
	loop_fd_remove(metrics->watch);
	if (metrics->daemon)
		MHD_stop_daemon(metrics->daemon);
	free(metrics);
	return NULL;
}
