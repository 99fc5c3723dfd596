/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_PEER_H
#define BASE_PEER_H

/*
 * Which user is at the other end of a unix socket
 *
 * The folder of a socket says which users may open it, but the owner of a
 * folder above can put another one in its place.  So both ends ask the kernel:
 * the end that accepts gets the process that connected, the one that connects
 * gets the process that listens.
 */

#include "base/error.h"

#include <sys/socket.h>

/* *out: the process at the other end of fd, a connected unix socket.  0;
 * -EACCES with a sentence if it is neither of this user nor of root. */
int peer_check(int fd, struct ucred *out, struct error *err);

#endif
