/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_SSHD_FILES_H
#define EXECUTOR_SSHD_FILES_H

/*
 * What an sshd reads, in a directory that is its own
 *
 *     host_key, host_key.pub   made for it
 *     authorized_keys          the job's public key, and no other
 *     config                   below
 *     environment              of what it runs; each entry ends with NUL
 *     home/                    empty: what the user's shell reads at its start
 *                              is looked for there, and not found
 *
 * For each command sshd has the user's shell run `bellows-launch --session`,
 * which runs the command that was asked for by /bin/sh, with that environment.
 * So neither the user's shell nor its start-up files matter, as long as it
 * takes -c.
 */

#include "base/error.h"
#include "ssh/keypair.h"

#include <stdio.h>

/* All borrowed. */
struct sshd_place {
	const char *dir;
	const char *user;
	const char *listen; /* address */
	unsigned port;
	const char *bindir;
	const char *authorized; /* public key, one line */
	const char *const
		*env; /* "KEY=value" of what it runs; ends with NULL */
	const struct keypair *host;
};

void sshd_print_config(FILE *to, const struct sshd_place *place);

/* Writes all of them; -EINVAL if a path in the configuration would be read as
 * something else. */
int sshd_write_files(const struct sshd_place *place, struct error *err);

#endif
