/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_FIND_H
#define RUNNER_FIND_H

/*
 * The coordinator of a job, found by the job's name; and the scheduler
 *
 * The address is that of --connect, or DIR/address of the job's state
 * directory; the token that of --token-file, or DIR/token if there is one; the
 * certificate that of --tls, or DIR/tls/client if there is one.  In a cluster
 * the address is a socket of this program's own that leads to the pod, and
 * token and certificate are in the job's Secrets.
 */

#include "client/client.h"
#include "runner/lookup.h"

/* Sets client, which is zero-initialised or has a loop; in a cluster the loop
 * runs meanwhile.  client_close() also after a failure.  -EINVAL: there can be
 * no job of such a name; -ENOENT: there is none. */
int job_find(struct client *client, const struct lookup *lookup,
	     const char *job, struct error *err);

/* job_find() and client_open(). */
int job_open(struct client *client, const struct lookup *lookup,
	     const char *job, struct error *err);

/* Connects to the scheduler at --connect, or to that of the queue's folder.
 * client as for job_find(), client_close() likewise.  -ENOENT: there is no
 * address, or nobody listens. */
int queue_open(struct client *client, const struct lookup *lookup,
	       struct error *err);

#endif
