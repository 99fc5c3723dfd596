/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_SSHD_H
#define EXECUTOR_SSHD_H

/*
 * The sshd of this executor, for the ssh launcher
 *
 *     starting --"Server listening"--> listening
 *        ^                                 |
 *        '----- died: after a pause -------'      too often: failed
 *
 * It runs as the user that the executor runs as, on a port of its own that was
 * free, lets only that user in, with the job's key, and dies with the executor.
 * What it says is logged, line by line, when the executor is verbose.
 */

#include "base/error.h"
#include "loop/loop.h"

struct sshd;

struct sshd_events {
	/* sshd listens: the user to log in as, the port, and the host_key that
	 * clients will see ("type base64").  Called after each start of sshd.
	 */
	void (*listening)(void *user, const char *login, unsigned port,
			  const char *host_key);
	/* It does not let the user in, or is not started again. */
	void (*failed)(void *user, const char *failure);
};

struct sshd_room {
	struct loop *loop;
	const char *dir;        /* makes one of its own in there */
	const char *address;    /* of this host; "": this machine only */
	const char *bindir;     /* of bellows-launch */
	const char *public_key; /* of the clients that are let in */
	/* "KEY=value" beside this program's own, of what it runs; ends with
	 * NULL */
	const char *const *env;
	const struct sshd_events *events;
	void *user;
};

/* What room points to is copied, but for loop and events.  A failure is one
 * that another try would not mend. */
int sshd_create(struct sshd **out, const struct sshd_room *room,
		struct error *err);

/* Kills it, not what it has started.  Returns NULL. */
struct sshd *sshd_destroy(struct sshd *sshd);

#endif
