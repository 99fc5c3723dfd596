/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

/*
 * A lock on a file that tells others that its holder lives
 *
 * It belongs to the open file, as that of flock(2), and ends when its last
 * descriptor is closed.  Unlike flock(2) it can be looked at without taking it
 * for a moment, in which another one could not take it (fcntl(2),
 * F_OFD_GETLK).
 */

/* fd is open for writing.  0, -EBUSY if another one has the lock, or -errno. */
int lock_take(int fd);

/* Whether another one has it: 1, 0 or -errno. */
int lock_is_taken(int fd);

#endif
