/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_TMPDIR_H
#define EXECUTOR_TMPDIR_H

/*
 * The executor's own directory for temporary files
 *
 *     bx-x7Gk2q/gate    the socket for gates
 *     bx-x7Gk2q/sshd/   with the ssh launcher
 *     bx-x7Gk2q/...     of MPI daemons and ranks: it is their TMPDIR
 *
 * MPI daemons may be killed, and what they have left goes with it.  Its path is
 * in the environment of all that runs here, so that one which was removed is
 * made again under the same name.
 */

#include "executor/executor.h"

int tmpdir_make(struct executor *ex, struct error *err);

/* Makes again what was removed of it, and of the directory for shared memory.
 * 1: the former was; -errno with a sentence that begins with the path. */
int tmpdir_restore(struct executor *ex, struct error *err);

/* Whether a failure of tmpdir_restore() stays: not a full disk, but a name that
 * is another one's by now. */
bool tmpdir_is_lost(int failure);

#endif
