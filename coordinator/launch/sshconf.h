/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_SSHCONF_H
#define COORDINATOR_LAUNCH_SSHCONF_H

/*
 * What mpiexec's ssh reads for one start
 *
 * Hosts are those of the hostfile, the aliases of coordinator/launch/mpiexec.h;
 * what they stand for is written beside them, so nothing is looked up, neither
 * in DNS nor in files of the user or the system.  A host key that is not the
 * announced one ends the connection.
 */

#include "base/error.h"
#include "ssh/login.h"

#include <stddef.h>
#include <stdio.h>

struct sshconf_host {
	int member;
	const struct ssh_peer *peer;
};

/* All borrowed. */
struct sshconf {
	const char *key; /* path of the private key */
	const char *known_hosts;
	const struct sshconf_host *hosts;
	size_t n_hosts;
};

void sshconf_print(FILE *to, const struct sshconf *conf);
void sshconf_print_known_hosts(FILE *to, const struct sshconf *conf);

/* 0, or -EINVAL with a sentence: whether each part of it is what it should be,
 * one word on one line; host_key and user may be "". */
int sshconf_check_peer(const struct ssh_peer *peer, struct error *err);

#endif
