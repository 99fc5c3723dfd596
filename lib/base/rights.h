/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_RIGHTS_H
#define BASE_RIGHTS_H

/*
 * Rights that a program gives up, for itself and for all that it starts
 *
 * Nothing gains rights by the file that it is, as setuid programs do; MPI needs
 * none of them.  Root keeps of its capabilities what a container has by default
 * but raw sockets, device nodes and the handing on of capabilities, and two
 * more: to pin memory, for RDMA, and to place ranks.
 */

#include "base/error.h"

/* Drops the rights of this thread and of those that it starts from now on; this
 * cannot be undone. */
int rights_drop(struct error *err);

#endif
