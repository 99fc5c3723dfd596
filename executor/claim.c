/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/claim.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* FNV-1a, each text with its end. */
static uint64_t add(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	while (*text++);
	return hash;
}

static uint64_t make_value(const char *machine, const char *coordinator,
			   const char *name)
{
	uint64_t value = 0xcbf29ce484222325u;

	value = add(value, machine);
	value = add(value, coordinator);
	value = add(value, name);
	return value ? value : 1;
}

/* It is bound and never listens: nobody can connect to it. */
static int bind_it(uint64_t value)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), n;

	/* the first byte is 0: an abstract name */
	n = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1,
		     "bellows-claim-%016llx", (unsigned long long)value);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&at,
			    (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
					1 + (size_t)n)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

uint64_t claim_take(struct claim *claim, const char *machine,
		    const char *coordinator, const char *name)
{
	if (claim->fd < 0 && *machine) {
		claim->value = make_value(machine, coordinator, name);
		claim->fd = bind_it(claim->value);
	}
	return claim->fd >= 0 ? claim->value : 0;
}

void claim_leave(struct claim *claim)
{
	if (claim->fd >= 0)
		close(claim->fd);
	*claim = CLAIM_NONE;
}
