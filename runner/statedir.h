/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_STATEDIR_H
#define RUNNER_STATEDIR_H

/*
 * State directories: where a job's programs find each other
 *
 * One folder for each job, ROOT/NAME, of mode 0700.  ROOT is $BELLOWS_STATE, or
 * $XDG_RUNTIME_DIR/bellows, or /tmp/bellows-UID.  Any user can make a
 * folder in /tmp, so neither may be a symbolic link, belong to another user, or
 * be open to others.
 */

#include "rpc/token.h"
#include "runner/lookup.h"
#include "tls/identity.h"

#include <limits.h>

struct statedir {
	char path[PATH_MAX];
};

/* Changes when a coordinator writes its address anew. */
struct stamp {
	unsigned long long inode;
	long long s, ns;
};

/* [a-z0-9-]{1,40} */
bool statedir_is_name(const char *name);

/* The same: 0, or -EINVAL with a sentence, also for NULL. */
int statedir_check_name(const char *name, struct error *err);

int statedir_root(struct statedir *out, const struct lookup *lookup,
		  struct error *err);

/* The folder of job name, or the one that --state names.  Makes nothing. */
int statedir_of(struct statedir *out, const struct lookup *lookup,
		const char *name, struct error *err);

/* Makes it and its parent where they are missing; refuses unsafe ones. */
int statedir_make(const struct statedir *dir, struct error *err);

/* -ENOENT without a sentence if there is none; -EPERM if it is unsafe. */
int statedir_check(const char *path, struct error *err);

/* Reads DIR/address.  -ENOENT without a sentence if there is none. */
int statedir_address(const struct statedir *dir, char *address, size_t n,
		     struct stamp *stamp, struct error *err);

/* Reads DIR/token; 0 and "" if there is none. */
int statedir_token(const struct statedir *dir, struct token *token,
		   struct error *err);

/* Reads DIR/tls/client; 0 and empty if there is none. */
int statedir_identity(const struct statedir *dir, struct tls_identity *identity,
		      struct error *err);

/* Writes DIR/name anew, mode 0600, whole or not at all. */
int statedir_write(const struct statedir *dir, const char *name,
		   const char *text, size_t size, struct error *err);

#endif
