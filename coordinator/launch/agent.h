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

/* An executor reports the end of a program.  The report is dropped if the
 * program is not waited for any more, and is a lie if the program runs on
 * another executor (members_refute()). */
void agents_on_ended(struct agents *agents, int member,
		     const Bellows__V1__ProgramEnded *ended);
/* Programs of a lost executor have failed. */
void agents_on_lost(struct agents *agents, int member);

#endif
