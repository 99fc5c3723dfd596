/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_DESK_H
#define TESTS_UNIT_DESK_H

/*
 * The front desk of a coordinator: all that comes over the network goes through
 * its handlers, without a network
 *
 * What is beyond them is a fake of this file: the server of lib/rpc, whose
 * calls are made by hand here; mpiexec, which is never run; where output and
 * the journal go; disks, of which only executors' may be ill; and logging in by
 * ssh, which works at once.  Everything else is the real thing.
 */

#include "coordinator/coordinator.h"
#include "rpc/server.h"

struct desk {
	struct coordinator *c;
	size_t printed; /* bytes of ranks' output that were let through */
	unsigned runs;  /* of mpiexec */
	bool dies_late; /* an mpiexec that was killed ends by desk_reap() alone,
			 * and not as soon as it can */
};

/* The journal stands still, or takes what it was given meanwhile. */
void desk_hold_journal(struct desk *desk, bool yes);

/* Makes a coordinator of that job file, has fn run on its loop, and ends it.
 * False, with a sentence on stderr, if there can be none. */
bool desk_run(const char *job, void (*fn)(struct desk *desk, void *user),
	      void *user);

/* A call of that path, "/bellows.v1.Coordinator/GetJob"; NULL: there is none.
 * It is the desk's, and lives until desk_hang_up() or the end. */
struct rpc_call *desk_call(struct desk *desk, const char *path);

/* The client sends a message; false: it is none, and the call was ended. */
bool desk_say(struct rpc_call *call, const void *bytes, size_t n);
void desk_tell(struct rpc_call *call, const ProtobufCMessage *message);
/* It will send no more. */
void desk_half(struct rpc_call *call);
void desk_hang_up(struct rpc_call *call);

/* How many mpiexec were killed and have not ended. */
unsigned desk_dying(void);
/* One of them ends; false: there is none.  What follows is in the driver's
 * queue. */
bool desk_reap(void);
void desk_count_run(void); /* for desk_mpiexec.c */
/* The mpiexec of a start ends with that status, as of waitpid(), and has
 * printed words; false: none runs. */
bool desk_end_run(int status, const char *words);

struct desk_answer {
	bool is_over;
	enum rpc_code code; /* once it is over */
	char text[512];     /* with it */
	unsigned n;         /* answers */
	uint8_t *last;      /* the last one, packed; borrowed */
	size_t size;
};

const struct desk_answer *desk_answer(const struct rpc_call *call);
bool desk_is_unary(const struct rpc_call *call);

#endif
