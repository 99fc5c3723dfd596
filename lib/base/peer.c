/* SPDX-License-Identifier: Apache-2.0 */
#include "base/peer.h"

#include <errno.h>
#include <unistd.h>

int peer_check(int fd, struct ucred *out, struct error *err)
{
	socklen_t n = sizeof(*out);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &n) < 0)
		return error_errno(err, "cannot tell which process is at the "
					"other end");
	if (out->uid == geteuid() || out->uid == 0)
		return 0;
	return error_set(err, -EACCES,
			 "process %d of user %u is at the other end, neither "
			 "of user %u nor of root",
			 (int)out->pid, (unsigned)out->uid,
			 (unsigned)geteuid());
}
