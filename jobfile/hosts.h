/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOBFILE_HOSTS_H
#define JOBFILE_HOSTS_H

/*
 * The hosts file: where executors may run, and how they are started there
 *
 *     # NAME ADDRESS [COMMAND WORDS...]
 *     n1 10.0.0.7 ssh -o BatchMode=yes 10.0.0.7
 *     n2 10.0.0.8 nsenter --net=/run/netns/n2 --
 *
 * An executor is started as COMMAND WORDS followed by its own command line;
 * without them it is a process of this machine.  Words are split at blanks and
 * nothing else: no shell reads them.
 */

#include "base/cleanup.h"
#include "base/error.h"

#include <stddef.h>

enum {
	HOSTS_MAX = 4096,
	HOSTS_BYTES_MAX = 1 << 20,
	HOST_WORDS_MAX = 64, /* of one command */
};

struct host {
	const char *name;    /* [A-Za-z0-9._-]{1,63}, once in the file */
	const char *address; /* IPv4 or IPv6, in digits */
	const char *words[HOST_WORDS_MAX + 1]; /* end with NULL */
};

struct hosts {
	struct host *at;
	size_t n;   /* at least 1 */
	int family; /* AF_INET or AF_INET6, of all addresses */
	char *text; /* that the strings point into */
};

/* -EINVAL with "<path>:<line>: <what is wrong>; <what would be right>".  text
 * has size bytes, and need not end with a NUL. */
int hosts_parse(struct hosts **out, const char *path, const char *text,
		size_t size, struct error *err);
/* The same of a file, or why it cannot be read. */
int hosts_read(struct hosts **out, const char *path, struct error *err);
struct hosts *hosts_destroy(struct hosts *hosts); /* returns NULL */

DEFINE_CLEANUP(struct hosts, hosts_destroy)

#endif
