/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_LAUNCHER_H
#define COORDINATOR_LAUNCH_LAUNCHER_H

/*
 * How mpiexec reaches executors
 *
 * mpiexec starts a daemon on each host through a remote-shell agent.  A
 * launcher says which agent that is (words) and sees to it that the agent can
 * reach an executor before the executor counts as ready (admit):
 *
 *     stream   bellows-launch, and the stream that is open anyway
 *     ssh      OpenSSH, and an sshd that each executor runs
 *
 * A launcher answers admit() by members_admit() or members_refuse(), at once or
 * later, and takes being asked again for nothing.
 */

#include "coordinator/members/members.h"
#include "core/layout.h"
#include "jobfile/jobfile.h"

struct launcher;

/* What is the same for all launchers; borrowed. */
struct launcher_room {
	struct loop *loop;
	struct members *members;
	const char *dir; /* for its files; nobody else can write to it */
	const char *bindir;
	const char *key; /* file of the job's private key; NULL: one is made */
};

/* For one mpiexec. */
struct launcher_words {
	char agent[4200]; /* plm_rsh_agent: words with blanks between */
	char env[4200];   /* "KEY=value" for mpiexec; "" for none */
};

/* The job's key pair, with which mpiexec logs in. */
struct launcher_keys {
	const char *public_key;  /* one line, as in authorized_keys */
	const char *private_key; /* in OpenSSH's format */
};

struct launcher_ops {
	int (*create)(struct launcher **out, const struct launcher_room *room,
		      struct error *err);
	void (*destroy)(struct launcher *launcher);

	/* member was probed: make it reachable. */
	void (*admit)(struct launcher *launcher, int member);

	/* Writes what the agent reads to start epoch on layout. */
	int (*words)(struct launcher *launcher, unsigned epoch,
		     const struct layout *layout, struct launcher_words *out,
		     struct error *err);

	/* Reports that are not the launcher's are dropped. */
	void (*on_report)(struct launcher *launcher, int member,
			  const Bellows__V1__Report *report);
	/* It was lost, or left. */
	void (*on_gone)(struct launcher *launcher, int member);

	/* NULL: this launcher has none. */
	const struct launcher_keys *(*keys)(const struct launcher *launcher);
};

/* The first member of each implementation. */
struct launcher {
	const struct launcher_ops *ops;
};

/* launcher_stream.c, launcher_ssh.c */
extern const struct launcher_ops launcher_stream, launcher_ssh;

int launcher_create(struct launcher **out, enum launcher_kind kind,
		    const struct launcher_room *room, struct error *err);
struct launcher *launcher_destroy(struct launcher *launcher); /* NULL */

#endif
