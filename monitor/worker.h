/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_WORKER_H
#define MONITOR_WORKER_H

/*
 * A worker is an executor that is a process of this machine, or the command
 * that runs it on another host
 *
 *   <dir>/worker-0/   of the living worker 0 only: its TMPDIR, unless it is on
 * a host of its own
 *
 * What a worker on another host leaves there when its command dies is not seen
 * from here; the executor ends it once it has lost the coordinator.
 *
 * A worker that has ended is gone only when nothing of it is left: first every
 * process it started, then its directory.  Only then is its name free, and the
 * next worker of that name begins clean.
 */

#include "apps/load.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/list.h"
#include "base/time.h"
#include "jobfile/hosts.h"
#include "loop/loop.h"

#include <limits.h>

struct worker;

/* What all workers of a provider have in common. */
struct worker_place {
	struct loop *loop; /* borrowed */
	/* owned by the provider; token_file, tls NULL: none */
	char *program, *coordinator, *token_file, *tls;
	char dir[PATH_MAX];                   /* absolute */
	int fd;                               /* of dir */
	unsigned slots;                       /* of each worker */
	bool keep_rights;                     /* see base/rights.h */
	bool unencrypted;                     /* see provider.h */
	const struct adapter_files *adapters; /* borrowed; NULL: none */
	/* Borrowed; worker N is on the host N.  NULL: all are on this machine,
	 * without an address. */
	const struct hosts *hosts;
	/* The worker is in no list and freed after the call. */
	void (*gone)(void *user, const struct worker *worker);
	void *user;
};

struct worker {
	struct list link; /* of the provider */
	const struct worker_place *place;
	unsigned number;
	char folder[32];          /* worker-N */
	char name[64];            /* the same, or its host's */
	char mark[PATH_MAX + 64]; /* see orphans.h */
	pid_t pid;                /* 0: ended */
	int status;               /* as of waitpid(), once it ended */
	msec_t started, ended;
	unsigned round; /* the provider's */
	unsigned sweeps;
	struct loop_timer sweep;
};

int worker_start(struct worker **out, const struct worker_place *place,
		 unsigned number, struct error *err);

/* The name and directory of a worker, not of something else. */
bool worker_is_name(const char *name);

/* Removes what the worker of that name left when its end was not seen. */
int worker_clear(const struct worker_place *place, const char *name,
		 struct error *err);

/* Sends a signal to the worker, or to its process group; nothing if it has
 * ended. */
void worker_signal(const struct worker *worker, int signo);
void worker_signal_group(const struct worker *worker, int signo);

/* "exit code 1", "signal 9" */
void worker_describe_end(const struct worker *worker, char *text, size_t n);

/* Forgets it, living or not.  Returns NULL. */
struct worker *worker_destroy(struct worker *worker);

DEFINE_CLEANUP(struct worker, worker_destroy)

#endif
