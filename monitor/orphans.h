/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_ORPHANS_H
#define MONITOR_ORPHANS_H

/*
 * What an executor leaves behind when it is killed
 *
 * Its launch daemons and ranks make sessions and process groups of their own
 * and lose their parent with it, so neither leads to them.  What they all keep
 * is their environment: each executor is started with a variable that names it,
 * and a process that still carries it when the executor has ended is killed.
 */

/* mark: a whole "KEY=value".  Sends SIGKILL to every process that carries it;
 * returns how many there were. */
unsigned orphans_kill(const char *mark);

#endif
