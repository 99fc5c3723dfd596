/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

/*
 * Files with a secret in them: a token, a private key
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Whether a file is secret: it belongs to user or to root, and no other user
 * can read it.  A file of root that one of these groups may read, mode 0440 or
 * less, will do as well: so a Secret is mounted into a pod that runs as another
 * user, in a group that is the pod's alone.  All of that group have the secret,
 * and only root can have put it there.  A file of the user's own that a group
 * can read, and one that a group can write to, are not secret. */
bool secret_is_private(const struct stat *st, uid_t user, const gid_t *groups,
		       size_t n);

/* Wipes a text and frees it; NULL is none. */
void secret_free(char *text);

static inline void secret_free_at(char **text)
{
	secret_free(*text);
}

/* Opens a file that is private to this user and its groups, for reading: a
 * descriptor, or -errno with a sentence.  what: "a token". */
int secret_open(const char *path, const char *what, struct error *err);

#endif
