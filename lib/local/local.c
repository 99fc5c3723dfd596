/* SPDX-License-Identifier: Apache-2.0 */
#include "local/local.h"

#include "base/cleanup.h"
#include "base/peer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int make_socket(int flags, struct error *err)
{
	const int size = 2 * LOCAL_MESSAGE_MAX;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);

	if (fd < 0)
		return error_errno(err, "cannot make a unix socket");
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return fd;
}

static int set_address(struct sockaddr_un *address, const char *path,
		       struct error *err)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address->sun_path))
		return error_set(err, -ENAMETOOLONG,
				 "%s: too long for a socket; at most %zu bytes",
				 path, sizeof(address->sun_path) - 1);
	strcpy(address->sun_path, path);
	return 0;
}

int local_listen(const char *path, struct error *err)
{
	struct sockaddr_un address;
	CLEANUP(close) int fd = -1;
	int r = set_address(&address, path, err);

	if (r < 0)
		return r;
	fd = make_socket(SOCK_NONBLOCK, err);
	if (fd < 0)
		return fd;
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, SOMAXCONN) < 0)
		return error_errno(err, "cannot listen on %s", path);
	return STEAL_FD(fd);
}

int local_accept(int listener, pid_t *pid, struct error *err)
{
	const int size = 2 * LOCAL_MESSAGE_MAX;
	struct ucred peer;
	CLEANUP(close)
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int r;

	if (fd < 0)
		return error_errno(err, "cannot accept");
	r = peer_check(fd, &peer, err);
	if (r < 0)
		return r;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	*pid = peer.pid;
	return STEAL_FD(fd);
}

int local_connect(const char *path, struct error *err)
{
	struct sockaddr_un address;
	struct ucred peer;
	CLEANUP(close) int fd = -1;
	int r = set_address(&address, path, err);

	if (r < 0)
		return r;
	fd = make_socket(0, err);
	if (fd < 0)
		return fd;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return error_errno(err, "cannot reach %s", path);
	r = peer_check(fd, &peer, err);
	return r < 0 ? error_wrap(err, r, "%s", path) : STEAL_FD(fd);
}

int local_send(int fd, const ProtobufCMessage *message, const int *fds,
	       size_t n_fds, struct error *err)
{
	size_t size = protobuf_c_message_get_packed_size(message);
	CLEANUP(free) uint8_t *bytes = NULL;
	char control[CMSG_SPACE(sizeof(int) * LOCAL_FDS_MAX)] = {0};
	struct iovec part;
	struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};

	if (size > LOCAL_MESSAGE_MAX)
		return error_set(err, -EMSGSIZE,
				 "a message of %zu bytes; at most %d", size,
				 LOCAL_MESSAGE_MAX);
	bytes = malloc(size + 1);
	if (!bytes)
		return error_set(err, -ENOMEM, "out of memory");
	/* an empty packet would read as the end of the connection */
	bytes[size] = 0;
	protobuf_c_message_pack(message, bytes);
	part = (struct iovec){bytes, size + 1};

	if (n_fds > 0) {
		struct cmsghdr *header;

		packet.msg_control = control;
		packet.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		header = CMSG_FIRSTHDR(&packet);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(header), fds, sizeof(int) * n_fds);
	}
	if (sendmsg(fd, &packet, MSG_NOSIGNAL) < 0)
		return error_errno(err, "cannot send");
	return 0;
}

static size_t take_fds(struct msghdr *packet, int fds[LOCAL_FDS_MAX])
{
	struct cmsghdr *header = CMSG_FIRSTHDR(packet);
	size_t n;

	if (!header || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_RIGHTS)
		return 0;
	n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(header), n * sizeof(int));
	return n;
}

int local_receive(int fd, const ProtobufCMessageDescriptor *type,
		  ProtobufCMessage **out, int *fds, size_t *n_fds,
		  struct error *err)
{
	CLEANUP(free) uint8_t *bytes = malloc(LOCAL_MESSAGE_MAX + 1);
	char control[CMSG_SPACE(sizeof(int) * LOCAL_FDS_MAX)];
	struct iovec part = {bytes, LOCAL_MESSAGE_MAX + 1};
	struct msghdr packet = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = control,
				/* with CMSG_SPACE() one more would come */
				.msg_controllen =
					CMSG_LEN(sizeof(int) * LOCAL_FDS_MAX)};
	int came[LOCAL_FDS_MAX] = {0};
	size_t n_came;
	ssize_t n;

	if (!bytes)
		return error_set(err, -ENOMEM, "out of memory");
	n = recvmsg(fd, &packet, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return error_errno(err, "cannot receive");
	if (n == 0)
		return 1;

	n_came = take_fds(&packet, came);
	*out = packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC)
		       ? NULL
		       : protobuf_c_message_unpack(type, NULL, (size_t)n - 1,
						   bytes);
	if (*out && fds) {
		memcpy(fds, came, n_came * sizeof(came[0]));
		*n_fds = n_came;
		return 0;
	}
	for (size_t i = 0; i < n_came; i++)
		close(came[i]);
	return *out ? 0
		    : error_set(err, -EBADMSG, "not a %s", type->short_name);
}
