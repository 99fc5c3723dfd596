/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LAUNCH_ARGV_H
#define LAUNCH_ARGV_H

/*
 * What bellows-launch is to do, by its command line and environment
 */

#include "base/error.h"

#include <stdint.h>

enum role {
	ROLE_AGENT,
	ROLE_GATE,
	ROLE_SESSION,
	ROLE_LOOK,
	ROLE_HELP,
	ROLE_VERSION,
};

/* All borrowed from what was read. */
struct launch_argv {
	enum role role;
	const char *socket;  /* of agents and gates: to ask there */
	unsigned epoch;      /* likewise */
	unsigned rank, size; /* of gates */
	const char *host;    /* of agents */
	char **command;      /* likewise; ends with NULL, one word at least */
	const char *dir;     /* of looks: to be looked at, */
	uint64_t room;       /* and bytes that are to go into it */
};

/* env: getenv().  -EINVAL with a sentence, or with "" for a command line that
 * is none. */
int argv_read(struct launch_argv *out, int argc, char **argv,
	      char *(*env)(const char *name), struct error *err);

/* As ssh does it: the words with blanks between, for a shell; to be freed.
 * NULL without memory. */
char *argv_join(char **words);

#endif
