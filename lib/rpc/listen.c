/* SPDX-License-Identifier: Apache-2.0 */
#include "base/address.h"
#include "base/cleanup.h"
#include "rpc/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/*
 * Why an address cannot be listened on
 *
 * gRPC says only that it could not, so the address is tried here first and, if
 * gRPC fails nevertheless, once more.
 */

static int describe_listen_error(const char *address, int code,
				 struct error *err)
{
	if (code == -EADDRINUSE)
		return error_set(err, code,
				 "cannot listen on %s: address already in use",
				 address);
	return error_set(err, code, "cannot listen on %s: %s", address,
			 strerror(-code));
}

/* ---- unix: ---- */

static int connect_to(const struct sockaddr_un *at)
{
	CLEANUP(close)
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	return connect(fd, (const void *)at, sizeof(*at)) < 0 ? -errno : 0;
}

static int make_socket(const struct sockaddr_un *at)
{
	CLEANUP(close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (const void *)at, sizeof(*at)) < 0)
		return -errno;
	return unlink(at->sun_path) < 0 ? -errno : 0;
}

static int check_unix(const char *address, const char *path, struct error *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct stat st;
	int r;

	if (strlen(path) >= sizeof(at.sun_path))
		return error_set(err, -ENAMETOOLONG,
				 "cannot listen on %s: the path is longer than "
				 "%zu bytes",
				 address, sizeof(at.sun_path) - 1);
	strcpy(at.sun_path, path);
	if (lstat(path, &st) < 0) {
		r = errno == ENOENT ? make_socket(&at) : -errno;
		return r < 0 ? describe_listen_error(address, r, err) : 0;
	}
	if (!S_ISSOCK(st.st_mode))
		return error_set(err, -EEXIST,
				 "cannot listen on %s: a file that is no "
				 "socket is in the way",
				 address);

	r = connect_to(&at);
	if (r == 0 || r == -EAGAIN)
		return describe_listen_error(address, -EADDRINUSE, err);
	if (r != -ECONNREFUSED && r != -ENOENT)
		return describe_listen_error(address, r, err);
	/* The listener has ended; gRPC removes its socket. */
	return 0;
}

/* ---- host:port ---- */

static int bind_to(const struct addrinfo *info)
{
	CLEANUP(close)
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* Bound is not taken: only a listener excludes another one. */
	if (bind(fd, info->ai_addr, info->ai_addrlen) < 0 || listen(fd, 1) < 0)
		return -errno;
	return 0;
}

static int check_tcp(const char *address, struct error *err)
{
	const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
				       .ai_socktype = SOCK_STREAM};
	CLEANUP(free) char *copy = strdup(address);
	struct addrinfo *list;
	const char *host, *port;
	int r;

	if (!copy)
		return error_set(err, -ENOMEM, "out of memory");
	if (address_split(copy, &host, &port) < 0)
		return error_set(err, -EINVAL,
				 "cannot listen on %s: neither host:port nor "
				 "unix:path",
				 address);
	r = getaddrinfo(host, port, &hints, &list);
	if (r != 0)
		return error_set(err, -EADDRNOTAVAIL, "cannot listen on %s: %s",
				 address, gai_strerror(r));

	/* As gRPC does: one of a name's addresses is enough. */
	r = -EADDRNOTAVAIL;
	for (struct addrinfo *at = list; at && r != -EADDRINUSE;
	     at = at->ai_next) {
		int bound = bind_to(at);

		if (bound == -EADDRINUSE || r < 0)
			r = bound;
	}
	freeaddrinfo(list);
	return r < 0 ? describe_listen_error(address, r, err) : 0;
}

bool rpc_is_local(const char *address)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	CLEANUP(free) char *copy = strdup(address);
	const char *host, *port;

	if (strncmp(address, "unix:", 5) == 0)
		return true;
	if (!copy || address_split(copy, &host, &port) < 0)
		return false;
	if (inet_pton(AF_INET, host, bytes) == 1)
		return bytes[0] == 127;
	if (inet_pton(AF_INET6, host, bytes) == 1)
		return memcmp(bytes, &in6addr_loopback, sizeof(bytes)) == 0;
	return strcmp(host, "localhost") == 0;
}

int listen_check(const char *address, struct error *err)
{
	if (strncmp(address, "unix:", 5) == 0)
		return check_unix(address, address + 5, err);
	return check_tcp(address, err);
}

char *listen_name(const char *address, int port)
{
	char *name = NULL;

	if (strncmp(address, "unix:", 5) == 0)
		return strdup(address);
	if (asprintf(&name, "%.*s:%d", (int)(strrchr(address, ':') - address),
		     address, port) < 0)
		return NULL;
	return name;
}
