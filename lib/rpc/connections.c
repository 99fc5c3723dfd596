/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/connections.h"

#include "base/log.h"
#include "loop/loop.h"
#include "rpc/frames.h"
#include "rpc/server.h"
#include "tls/identity.h"
#include "tls/inspect.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/*
 * gRPC closes a descriptor without a word, and its number may be another
 * socket's then.  The kernel numbers all sockets, and no two the same
 * (SO_COOKIE): by that a connection is known.  gRPC's threads and the loop's
 * come here.
 */

#define YOUNG     MSEC(200) /* a stranger that is still greeting */
#define TOLD_EACH SECONDS(10)
#define LOOK_EACH SECONDS(1) /* at a host's connections: which are closed */

enum {
	OPEN_MAX = 2 * CONNECTIONS_CALLS_MAX,
	HOST_SIZE = 8, /* of an address of IPv6, which is one host's */
};

struct peer {
	struct in6_addr address; /* of IPv4: mapped */
	in_port_t port;
};

struct connection {
	struct list link; /* of strangers, the oldest first; or of none */
	int fd;
	uint64_t cookie; /* not 0 */
	struct peer peer;
	msec_t since;
	bool is_encrypted; /* its frames are seen by inspect_tls() */
	bool is_cut;
	unsigned n_open; /* calls */
	struct frames frames;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list ports = {&ports, &ports};
static struct list strangers = {&strangers, &strangers};
static struct connection **by_fd;
static size_t n_by_fd;
static struct {
	msec_t at;
	unsigned more;
} told;

/* ---- peers ---- */

static bool read_peer(struct peer *out, const struct sockaddr_storage *from)
{
	const struct sockaddr_in *v4 = (const void *)from;
	const struct sockaddr_in6 *v6 = (const void *)from;

	*out = (struct peer){0};
	if (from->ss_family == AF_INET) {
		memset(out->address.s6_addr + 10, 0xff, 2);
		memcpy(out->address.s6_addr + 12, &v4->sin_addr, 4);
		out->port = v4->sin_port;
	} else if (from->ss_family == AF_INET6) {
		out->address = v6->sin6_addr;
		out->port = v6->sin6_port;
	}
	return from->ss_family == AF_INET || from->ss_family == AF_INET6;
}

static bool peer_of(struct peer *out, int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);

	return getpeername(fd, (struct sockaddr *)&at, &n) == 0 &&
	       read_peer(out, &at);
}

/* As gRPC writes it: "ipv4:127.0.0.1:4711", "ipv6:%5B::1%5D:4711". */
static bool parse_peer(struct peer *out, const char *text)
{
	const char *port = strrchr(text, ':');
	struct sockaddr_storage at = {0};
	struct sockaddr_in *v4 = (void *)&at;
	struct sockaddr_in6 *v6 = (void *)&at;
	char host[RPC_HOST_MAX];

	rpc_host(text, host);
	if (!port)
		return false;
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((in_port_t)atoi(port + 1));
	} else if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((in_port_t)atoi(port + 1));
	}
	return read_peer(out, &at);
}

static bool is_same_host(const struct peer *a, const struct peer *b)
{
	size_t n = IN6_IS_ADDR_V4MAPPED(&a->address) ||
				   IN6_IS_ADDR_V4MAPPED(&b->address)
			   ? sizeof(a->address)
			   : HOST_SIZE;

	return memcmp(&a->address, &b->address, n) == 0;
}

static bool is_same(const struct peer *a, const struct peer *b)
{
	return a->port == b->port &&
	       memcmp(&a->address, &b->address, sizeof(a->address)) == 0;
}

/* ---- the table ---- */

/* 0: it is no socket. */
static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t n = sizeof(cookie);

	getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &n);
	return cookie;
}

static bool is_there(const struct connection *connection)
{
	return cookie_of(connection->fd) == connection->cookie;
}

static struct connection *at_fd(int fd)
{
	struct connection *connection =
		fd >= 0 && (size_t)fd < n_by_fd ? by_fd[fd] : NULL;

	return connection && is_there(connection) ? connection : NULL;
}

static struct connection *of_ref(const struct connection_ref *ref)
{
	struct connection *connection = ref->cookie ? at_fd(ref->fd) : NULL;

	return connection && connection->cookie == ref->cookie ? connection
							       : NULL;
}

static struct connection *of_peer(const struct peer *peer)
{
	for (size_t i = 0; i < n_by_fd; i++)
		if (by_fd[i] && is_same(&by_fd[i]->peer, peer) &&
		    is_there(by_fd[i]))
			return by_fd[i];
	return NULL;
}

static void drop(struct connection *connection)
{
	if (!connection)
		return;
	list_remove(&connection->link);
	by_fd[connection->fd] = NULL;
	free(connection);
}

static bool make_room(int fd)
{
	size_t room = 2 * (size_t)fd + 64;
	struct connection **more;

	if ((size_t)fd < n_by_fd)
		return true;
	more = realloc(by_fd, room * sizeof(struct connection *));
	if (!more)
		return false;
	memset(more + n_by_fd, 0, (room - n_by_fd) * sizeof(*more));
	by_fd = more;
	n_by_fd = room;
	return true;
}

/* A crowd is told as a number. */
static void tell(const char *what, const char *flood)
{
	msec_t now = loop_now();

	if (told.at != 0 && now - told.at < TOLD_EACH) {
		told.more++;
		return;
	}
	log_warn("a connection %s is cut off, for it floods the server with "
		 "%s; %u more since the last of these lines",
		 what, flood, told.more);
	told.at = now;
	told.more = 0;
}

static void tell_peer(const struct peer *peer, const char *flood)
{
	const struct in6_addr *address = &peer->address;
	char host[INET6_ADDRSTRLEN] = "", what[sizeof(host) + 8];

	if (IN6_IS_ADDR_V4MAPPED(address))
		inet_ntop(AF_INET, address->s6_addr + 12, host, sizeof(host));
	else
		inet_ntop(AF_INET6, address, host, sizeof(host));
	snprintf(what, sizeof(what), "from %s", host);
	tell(what, flood);
}

static void cut(struct connection *connection, const char *flood)
{
	if (connection->is_cut)
		return;
	tell_peer(&connection->peer, flood);
	connection->is_cut = true;
	list_remove(&connection->link);
	shutdown(connection->fd, SHUT_RDWR);
}

/* ---- strangers ---- */

static bool gives_way(struct connection *oldest, const struct peer *to)
{
	static const char flood[] = "connections of which no call is let in";

	if (loop_now() - oldest->since < YOUNG) {
		tell_peer(to, flood);
		return false;
	}
	cut(oldest, flood);
	return true;
}

/* A place for one more of that host: the oldest gives way, unless it may still
 * be greeting. */
static bool find_place(const struct peer *peer)
{
	struct connection *of_host = NULL;
	unsigned n = 0, n_of_host = 0;

	list_for_each (at, &strangers) {
		struct connection *connection =
			CONTAINER(at, struct connection, link);

		if (!is_there(connection)) {
			drop(connection);
			continue;
		}
		n++;
		if (!is_same_host(&connection->peer, peer))
			continue;
		n_of_host++;
		if (!of_host)
			of_host = connection;
	}
	if (n_of_host >= CONNECTIONS_STRANGERS_OF_HOST)
		return gives_way(of_host, peer);
	return n < CONNECTIONS_STRANGERS ||
	       gives_way(CONTAINER(strangers.next, struct connection, link),
			 peer);
}

/* ---- hosts ---- */

static size_t count_of_host(const struct peer *peer, bool drops_closed)
{
	size_t n = 0;

	for (size_t i = 0; i < n_by_fd; i++) {
		if (!by_fd[i] || !is_same_host(&by_fd[i]->peer, peer))
			continue;
		if (drops_closed && !is_there(by_fd[i]))
			drop(by_fd[i]);
		else
			n++;
	}
	return n;
}

/* A new descriptor has the lowest number that is free: one below most shows
 * that there are fewer.  No two hosts can have so many, so there is one time of
 * the latest look for all. */
static bool has_too_many(const struct peer *peer, int fd, size_t most)
{
	static msec_t looked;
	msec_t now = loop_now();

	if ((size_t)fd < most || count_of_host(peer, false) < most)
		return false;
	if (looked == 0 || now - looked >= LOOK_EACH) {
		looked = now;
		if (count_of_host(peer, true) < most)
			return false;
	}
	tell_peer(peer, "connections: its host has three quarters of all that "
			"there can be");
	return true;
}

/* ---- one that came ---- */

static const struct served_port *find_port(int listener)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	struct peer own;

	if (getsockname(listener, (struct sockaddr *)&at, &n) < 0 ||
	    !read_peer(&own, &at))
		return NULL;
	list_for_each (link, &ports) {
		const struct served_port *port =
			CONTAINER(link, struct served_port, link);

		if (port->port == ntohs(own.port))
			return port;
	}
	return NULL;
}

static bool add(int fd, const struct served_port *port, size_t places)
{
	struct connection *connection;
	uint64_t cookie = cookie_of(fd);
	struct peer peer;

	if (cookie == 0 || !peer_of(&peer, fd) || !make_room(fd))
		return false;
	drop(by_fd[fd]);
	if (has_too_many(&peer, fd, places - places / 4) || !find_place(&peer))
		return false;
	connection = calloc(1, sizeof(*connection));
	if (!connection)
		return false;
	connection->fd = fd;
	connection->cookie = cookie;
	connection->peer = peer;
	connection->since = loop_now();
	connection->is_encrypted = port->is_encrypted;
	list_append(&strangers, &connection->link);
	by_fd[fd] = connection;
	return true;
}

/* ---- behind TLS ---- */

/* A certificate of the job's authority was shown before. */
static bool inspect_tls(void *state, const char *name, const uint8_t *bytes,
			size_t n)
{
	char what[TLS_NAME_MAX + 32];
	const char *flood;

	frames_know(state);
	flood = frames_take(state, bytes, n, loop_now());
	if (!flood)
		return true;
	snprintf(what, sizeof(what), "with the certificate of '%s'", name);
	pthread_mutex_lock(&lock);
	tell(what, flood);
	pthread_mutex_unlock(&lock);
	return false;
}

static const struct tls_inspector inspector = {sizeof(struct frames),
					       inspect_tls};

/* ---- for the room ---- */

void connections_serve(struct served_port *port)
{
	pthread_mutex_lock(&lock);
	list_append(&ports, &port->link);
	tls_inspect(&inspector);
	pthread_mutex_unlock(&lock);
}

void connections_forget(struct served_port *port)
{
	pthread_mutex_lock(&lock);
	list_remove(&port->link);
	pthread_mutex_unlock(&lock);
}

bool connections_accept(int listener, int fd, size_t places)
{
	const struct served_port *port;
	bool is_taken;

	pthread_mutex_lock(&lock);
	port = find_port(listener);
	is_taken = !port || add(fd, port, places);
	pthread_mutex_unlock(&lock);
	return is_taken;
}

/* n bytes of what the parts have room for. */
static const char *take(struct connection *connection,
			const struct iovec *parts, size_t n)
{
	const char *flood = NULL;

	for (; n > 0 && !flood; parts++) {
		size_t size = parts->iov_len < n ? parts->iov_len : n;

		flood = frames_take(&connection->frames, parts->iov_base, size,
				    loop_now());
		n -= size;
	}
	return flood;
}

bool connections_take(int fd, const struct iovec *parts, size_t n)
{
	struct connection *connection;
	const char *flood = NULL;
	bool is_cut = false;

	pthread_mutex_lock(&lock);
	connection = at_fd(fd);
	if (connection && !connection->is_encrypted && !connection->is_cut)
		flood = take(connection, parts, n);
	if (flood)
		cut(connection, flood);
	if (connection)
		is_cut = connection->is_cut;
	pthread_mutex_unlock(&lock);
	return !is_cut;
}

struct connection_ref connections_on_call(const char *text, bool is_let_in)
{
	struct connection_ref ref = {0};
	struct connection *connection;
	struct peer peer;

	if (!parse_peer(&peer, text))
		return ref;
	pthread_mutex_lock(&lock);
	connection = of_peer(&peer);
	if (connection && is_let_in) {
		frames_know(&connection->frames);
		list_remove(&connection->link);
	}
	if (connection) {
		ref = (struct connection_ref){connection->fd,
					      connection->cookie};
		if (++connection->n_open > OPEN_MAX)
			cut(connection, "calls that stay open");
	}
	pthread_mutex_unlock(&lock);
	return ref;
}

void connections_on_over(const struct connection_ref *ref)
{
	struct connection *connection;

	pthread_mutex_lock(&lock);
	connection = of_ref(ref);
	if (connection)
		connection->n_open--;
	pthread_mutex_unlock(&lock);
}
