/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOOKUP_H
#define RUNNER_LOOKUP_H

/*
 * Where jobs are looked for, and with which token and certificate they are
 * reached
 */

#include <stdbool.h>

/* All borrowed; NULL: not given. */
struct lookup {
	/* of the environment: see state_dir.h; TMPDIR */
	const char *state_root, *runtime_dir, *state_home, *home, *tmpdir;

	const char *on;      /* "kube": in a cluster, NULL: on this machine */
	const char *state;   /* the state directory of one job */
	const char *connect; /* the address of its coordinator */
	const char *token_file, *tls;
	bool unencrypted;  /* connections to other machines may be */
	bool is_scheduler; /* in a cluster by the certificate of that role, not
			    * by a person's */

	const char *namespace, *kubeconfig, *context; /* of a cluster */
	const char *sockets; /* a folder for ways into a cluster that is this
			      * program's alone; NULL: a new one */
};

/* What the environment gives; the rest is not given. */
struct lookup lookup_of_environment(void);

#endif
