/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_AGENT_H
#define COORDINATOR_LAUNCH_AGENT_H

/*
 * The other end of bellows-launch when it is mpiexec's agent
 *
 * mpiexec wants a command run on a host; the executor of that name gets the
 * order, and what becomes of it goes back to the bellows-launch that waits.
 */

#include "coordinator/members/members.h"

struct agents;

/* path: of the unix socket. */
int agents_create(struct agents **out, struct loop *loop,
		  struct members *members, const char *path, struct error *err);
struct agents *agents_destroy(struct agents *agents); /* returns NULL */

/* An executor reports the end of a program.  A report of a program that is not
 * waited for any more is dropped; of a program that runs on another executor,
 * it is a lie (members_refute()). */
void agents_on_ended(struct agents *agents, int member,
		     const Bellows__V1__ProgramEnded *ended);
/* Programs of a lost executor have failed. */
void agents_on_lost(struct agents *agents, int member);

#endif
