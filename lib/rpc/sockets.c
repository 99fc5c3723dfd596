/* SPDX-License-Identifier: Apache-2.0 */
#include "base/peer.h"
#include "rpc/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * What gRPC (1.51) does not ask of its sockets
 *
 * It calls these by their names, and what a program defines comes before the
 * library's, so it gets these:
 *
 *     accept4   more connections than descriptors, or than a host may have;
 *               other users on a unix socket
 *     recvmsg   a flood (connections.c)
 *     sendmsg   data that a peer has sent before it closed
 *     connect   a unix socket that another user listens on
 */

static bool is_own(int conn)
{
	struct ucred peer;

	return peer_check(conn, &peer, NULL) == 0;
}

/* ---- accepting ---- */

static bool is_unix(int listener)
{
	int domain = AF_UNSPEC;
	socklen_t size = sizeof(domain);

	getsockopt(listener, SOL_SOCKET, SO_DOMAIN, &domain, &size);
	return domain == AF_UNIX;
}

/* The last quarter is not given to connections: the program has files, sockets
 * and children of its own. */
static size_t count_places(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return SIZE_MAX;
	return limit.rlim_cur - limit.rlim_cur / 4;
}

/* The lowest number is given out first, so it tells how many there are. */
static bool is_taken(int listener, int conn)
{
	size_t places;

	if (is_unix(listener))
		return is_own(conn);
	places = count_places();
	return (size_t)conn < places &&
	       connections_accept(listener, conn, places);
}

/*
 * gRPC stops listening for good once accept4() has failed for want of
 * descriptors: a client that opens enough connections would leave a server that
 * no executor can join any more.  Without a free descriptor this answers "no
 * connection waits", after which gRPC asks again when the next one comes.
 */
int accept4(int listener, __SOCKADDR_ARG address, socklen_t *restrict size,
	    int flags)
{
	socklen_t room = size ? *size : 0;

	for (;;) {
		int conn;

		if (size)
			*size = room;
		conn = (int)syscall(SYS_accept4, listener, address.__sockaddr__,
				    size, flags);
		if (conn < 0 && (errno == EMFILE || errno == ENFILE ||
				 errno == ENOBUFS || errno == ENOMEM))
			errno = EAGAIN;
		if (conn < 0 || is_taken(listener, conn))
			return conn;
		close(conn);
	}
}

/* ---- reading ---- */

/* A connection that is cut off has ended. */
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t n = syscall(SYS_recvmsg, fd, message, flags);

	return n > 0 && !connections_take(fd, message->msg_iov, (size_t)n) ? 0
									   : n;
}

/* ---- writing ---- */

/* A packet (lib/local) that cannot be sent is an error. */
static bool is_stream(int fd)
{
	int type = 0;
	socklen_t size = sizeof(type);
	int was = errno;

	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
	errno = was;
	return type == SOCK_STREAM;
}

/*
 * gRPC gives a connection up once a write fails, and drops data that has
 * arrived and is not read yet, such as the last orders of a coordinator that
 * leaves. Data for a peer that has closed is lost in any case: the write counts
 * as done, and the connection ends when gRPC reads the end, behind the peer's
 * last data.
 */
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	ssize_t n = syscall(SYS_sendmsg, fd, message, flags);

	if (n >= 0 || errno != EPIPE || !is_stream(fd))
		return n;
	n = 0;
	for (size_t i = 0; i < message->msg_iovlen; i++)
		n += (ssize_t)message->msg_iov[i].iov_len;
	return n;
}

/* ---- connecting ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list own = {&own, &own}; /* of the channels that are there */

void sockets_expect(struct own_socket *socket, const char *target)
{
	list_init(&socket->link);
	if (strncmp(target, "unix:", 5) != 0)
		return;
	socket->path = target + 5;
	if (strncmp(socket->path, "//", 2) == 0)
		socket->path += 2;
	pthread_mutex_lock(&lock);
	list_append(&own, &socket->link);
	pthread_mutex_unlock(&lock);
}

void sockets_forget(struct own_socket *socket)
{
	pthread_mutex_lock(&lock);
	list_remove(&socket->link);
	pthread_mutex_unlock(&lock);
}

/* Other unix sockets of the process, such as a name service's, may be any
 * user's. */
static bool is_expected(const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_un *at = (const void *)address;
	size_t room = size - offsetof(struct sockaddr_un, sun_path);
	bool found = false;

	if (address->sa_family != AF_UNIX ||
	    size <= offsetof(struct sockaddr_un, sun_path))
		return false;
	pthread_mutex_lock(&lock);
	list_for_each (link, &own) {
		const char *path =
			CONTAINER(link, struct own_socket, link)->path;

		found |= strncmp(at->sun_path, path, room) == 0 &&
			 strlen(path) <= room;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
	int r = (int)syscall(SYS_connect, fd, address.__sockaddr__, size);

	if (r == 0 && is_expected(address.__sockaddr__, size) && !is_own(fd)) {
		errno = EACCES;
		return -1;
	}
	return r;
}
