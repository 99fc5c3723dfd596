/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOCAL_LOCAL_H
#define LOCAL_LOCAL_H

/*
 * Messages between processes of one host, over a unix socket
 *
 * A message is a packet (SOCK_SEQPACKET) of protobuf, which may carry
 * descriptors.  For programs that must start in a millisecond and therefore do
 * not link gRPC.  Only processes of the same user, or of root, are let in.
 */

#include "base/error.h"

#include <protobuf-c/protobuf-c.h>
#include <sys/types.h>

enum { LOCAL_MESSAGE_MAX = 192 * 1024, LOCAL_FDS_MAX = 4 };

/* The socket's descriptor, non-blocking, or -errno.  A file that stands at path
 * is replaced.  -ENAMETOOLONG if path has more than 107 bytes. */
int local_listen(const char *path, struct error *err);

/* A connection of *pid, non-blocking; -EAGAIN if there is none, -EACCES (and it
 * was closed) if it is another user's. */
int local_accept(int listener, pid_t *pid, struct error *err);

/* A blocking connection. */
int local_connect(const char *path, struct error *err);

/* The descriptors stay the caller's.  -EMSGSIZE beyond LOCAL_MESSAGE_MAX. */
int local_send(int fd, const ProtobufCMessage *message, const int *fds,
	       size_t n_fds, struct error *err);

/* One message, to be freed by protobuf_c_message_free_unpacked().  fds has room
 * for LOCAL_FDS_MAX; what came is counted in *n_fds and the caller's to close.
 * Both may be NULL: what came is closed.  Returns 0; 1 at the end of the
 * connection; -EAGAIN; -EBADMSG. */
int local_receive(int fd, const ProtobufCMessageDescriptor *type,
		  ProtobufCMessage **out, int *fds, size_t *n_fds,
		  struct error *err);

#endif
