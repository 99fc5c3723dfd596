/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/forward.h"

#include "kube/internal.h"
#include "kube/link.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* A unix socket whose backlog is full refuses connections that do not wait. */
#define AGAIN SECONDS(1)

enum { LINKS_MAX = 128, BACKLOG = LINKS_MAX };

/* ---- connections ---- */

static void listen_again(void *user)
{
	const struct kube_forward *forward = user;

	loop_fd_set(forward->source, EPOLLIN);
}

/* Connections that wait are accepted later; trouble() may end the forward. */
static void pause_a_while(struct kube_forward *forward, const char *text)
{
	loop_fd_set(forward->source, EPOLLET);
	loop_timer_set(forward->kube->loop, &forward->again, AGAIN,
		       listen_again, forward);
	forward->trouble(forward->user, text);
}

static void on_connection(void *user, uint32_t events)
{
	struct kube_forward *forward = user;
	struct error err;
	int fd;

	if (forward->n_links >= LINKS_MAX) {
		error_describe(&err, "%s: more than %d connections at once",
			       forward->path, LINKS_MAX);
		pause_a_while(forward, err.text);
		return;
	}
	fd = accept4(forward->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED &&
	    errno != EINTR) {
		error_errno(&err, "%s: no connection", forward->path);
		pause_a_while(forward, err.text);
	}
	if (fd >= 0 && kube_link_start(forward, fd, &err) < 0)
		forward->trouble(forward->user, err.text);
}

/* ---- life ---- */

static int listen_at(struct kube_forward *forward, struct error *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	const char *path = forward->path;

	if (strlen(path) >= sizeof(at.sun_path))
		return error_set(err, -ENAMETOOLONG,
				 "the path of a socket has at most %zu bytes, "
				 "and '%s' has %zu",
				 sizeof(at.sun_path) - 1, path, strlen(path));
	strcpy(at.sun_path, path);
	forward->fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* before bind() makes it visible */
	if (forward->fd < 0 || fchmod(forward->fd, 0600) < 0 ||
	    bind(forward->fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		return error_errno(err, "%s: cannot make a socket", path);
	forward->made = true;
	if (listen(forward->fd, BACKLOG) < 0)
		return error_errno(err, "%s: cannot listen", path);
	return loop_fd_add(&forward->source, forward->kube->loop, forward->fd,
			   EPOLLIN, on_connection, forward, err);
}

DEFINE_CLEANUP(struct kube_forward, kube_forward_stop)

int kube_forward_start(struct kube_forward **out, struct kube *kube,
		       const char *namespace, const char *pod, unsigned port,
		       const char *path,
		       void (*trouble)(void *user, const char *text),
		       void *user, struct error *err)
{
	CLEANUP(kube_forward_stop)
	struct kube_forward *forward = calloc(1, sizeof(*forward));
	int r;

	if (!forward)
		return error_set(err, -ENOMEM, "out of memory");
	forward->kube = kube;
	forward->port = port;
	forward->trouble = trouble;
	forward->user = user;
	forward->fd = -1;
	list_init(&forward->links);
	forward->namespace = strdup(namespace);
	forward->pod = strdup(pod);
	forward->path = strdup(path);
	if (!forward->namespace || !forward->pod || !forward->path)
		return error_set(err, -ENOMEM, "out of memory");
	r = listen_at(forward, err);
	if (r < 0)
		return r;
	*out = STEAL(forward);
	return 0;
}

struct kube_forward *kube_forward_stop(struct kube_forward *forward)
{
	if (!forward)
		return NULL;
	list_for_each (at, &forward->links)
		kube_link_destroy(at);
	loop_timer_clear(&forward->again);
	loop_fd_remove(forward->source);
	if (forward->made)
		unlink(forward->path);
	if (forward->fd >= 0)
		close(forward->fd);
	free(forward->namespace);
	free(forward->pod);
	free(forward->path);
	free(forward);
	return NULL;
}
