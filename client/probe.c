/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"

#include "base/address.h"
#include "base/cleanup.h"
#include "base/peer.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* A TCP connection that takes longer than this is left to gRPC. */
enum { PROBE = 1000 };

static int await(int fd)
{
	struct pollfd at = {.fd = fd, .events = POLLOUT};
	socklen_t n = sizeof(int);
	int failure = 0;

	if (poll(&at, 1, PROBE) <= 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &n) < 0)
		return -errno;
	return -failure;
}

static int try(int family, const struct sockaddr *address, socklen_t n)
{
	CLEANUP(close) int fd = -1;
	struct ucred peer;

	fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, address, n) == 0)
		return family != AF_UNIX || peer_check(fd, &peer, NULL) == 0
			       ? 0
			       : -EPERM;
	return errno == EINPROGRESS ? await(fd) : errno == EAGAIN ? 0 : -errno;
}

static int try_unix(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strncmp(path, "//", 2) == 0)
		path += 2;
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	return try(AF_UNIX, (struct sockaddr *)&address, sizeof(address));
}

/* "127.0.0.1:5000" or "[::1]:5000"; whatever else it is, gRPC knows. */
static int try_numeric(const char *text)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	CLEANUP(free) char *copy = strdup(text);
	const char *host, *port;
	struct addrinfo *info;
	int r;

	if (!copy || address_split(copy, &host, &port) < 0 ||
	    getaddrinfo(host, port, &hints, &info) != 0)
		return 0;
	r = try(info->ai_family, info->ai_addr, info->ai_addrlen);
	freeaddrinfo(info);
	return r;
}

int client_probe(const char *address)
{
	if (strncmp(address, "unix:", 5) == 0)
		return try_unix(address + 5);
	if (strncmp(address, "ipv4:", 5) == 0 ||
	    strncmp(address, "ipv6:", 5) == 0)
		address += 5;
	return try_numeric(address);
}
