/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LAUNCH_SESSION_H
#define LAUNCH_SESSION_H

/*
 * What the sshd of an executor runs, whatever it is asked for
 *
 * BELLOWS_SESSION names the directory with the environment that programs of the
 * executor have; with that, and BELLOWS_EPOCH from the other side, /bin/sh runs
 * SSH_ORIGINAL_COMMAND in it: mpiexec may have a .profile read that is in the
 * directory where the command begins, and that would be the user's.  When the
 * executor dies, so does that: sshd would not see to it.  Returns the exit
 * status, as of a shell.
 */
int session_run(void);

#endif
