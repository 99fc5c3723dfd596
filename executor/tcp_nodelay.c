/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/tcp_nodelay.h"

#include "base/cleanup.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static bool is_socket(DIR *dir, const char *number)
{
	char target[16] = "";

	return readlinkat(dirfd(dir), number, target, sizeof(target) - 1) > 0 &&
	       strncmp(target, "socket:", 7) == 0;
}

static bool stays_on_host(int fd)
{
	struct sockaddr_in peer = {0};
	socklen_t n = sizeof(peer);

	return getpeername(fd, (struct sockaddr *)&peer, &n) == 0 &&
	       peer.sin_family == AF_INET &&
	       ntohl(peer.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

void tcp_nodelay_set(pid_t pid, int pidfd)
{
	const int on = 1;
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		CLEANUP(close) int fd = -1;

		if (!is_socket(dir, entry->d_name))
			continue;
		fd = (int)syscall(SYS_pidfd_getfd, pidfd, atoi(entry->d_name),
				  0);
		if (fd >= 0 && stays_on_host(fd))
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on,
				   sizeof(on));
	}
	if (dir)
		closedir(dir);
}
