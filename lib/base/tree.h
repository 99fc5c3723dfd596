/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TREE_H
#define BASE_TREE_H

/*
 * Removing a directory with all that is in it
 *
 * Every step goes through the descriptor of the directory above and follows no
 * symbolic link, so whatever the tree's writers put there, or exchange
 * meanwhile, nothing outside of it is touched.  Other file systems mounted
 * within are left alone.
 */

#include "base/error.h"

/* name has no '/'.  0 also if there is nothing of that name; a file or a link
 * of that name is removed as such.  On failure, what could be removed is. */
int tree_remove(int parent, const char *name, struct error *err);

/* The same of a path that does not end with '/'; what stands above its last
 * name is trusted.  0 also if path is "". */
int tree_remove_path(const char *path, struct error *err);

#endif
