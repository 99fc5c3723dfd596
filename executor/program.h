/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_PROGRAM_H
#define EXECUTOR_PROGRAM_H

/*
 * Programs that run here on the coordinator's order: the MPI daemon of a start,
 * and the probe that tells whether this host can run one
 *
 * Each is a shell command in a session of its own; what it prints last is kept
 * and handed over with its status.
 */

#include "base/error.h"
#include "loop/loop.h"

enum { PROGRAM_TEXT_MAX = 4096 };

struct programs;

/* status as of waitpid(); text: what it printed last.  failure: NULL, or why it
 * could not be started (then status means nothing). */
typedef void (*program_end_f)(void *user, uint64_t id, int status,
			      const char *text, const char *failure);

/* env: "KEY=value" beside this program's own, ends with NULL; copied. */
int programs_create(struct programs **out, struct loop *loop,
		    const char *const *env, struct error *err);

/* Kills what still runs.  Returns NULL. */
struct programs *programs_destroy(struct programs *programs);

/* No callback comes for the programs that run now.  The caller ends them. */
void programs_abandon(struct programs *programs);

/* command: for /bin/sh -c.  epoch 0: of no start.  fn is called once, maybe
 * before this returns. */
void programs_start(struct programs *programs, uint64_t id, unsigned epoch,
		    const char *command, program_end_f fn, void *user);

#endif
