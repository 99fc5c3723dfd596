/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_STATE_DIR_H
#define RUNNER_STATE_DIR_H

/*
 * State directories: where a job's programs find each other
 *
 * One folder for each job, ROOT/NAME, of mode 0700.  ROOT is $BELLOWS_STATE, or
 * $XDG_RUNTIME_DIR/bellows, or /tmp/bellows-UID.  Any user can make a folder in
 * /tmp, and the owner of ROOT could put another folder in the place of
 * ROOT/NAME. So neither may be a symbolic link, belong to another user, or let
 * others write; ROOT/NAME may not let others read, either.
 *
 * The queue of a scheduler has a folder like that of a job, which outlasts a
 * restart of the machine: $XDG_STATE_HOME/bellows, ~/.local/state/bellows, or,
 * if $BELLOWS_STATE is set, ROOT/_queue, which no job can be called.
 */

#include "jobfile/role.h"
#include "rpc/token.h"
#include "runner/lookup.h"
#include "tls/identity.h"

#include <limits.h>

struct state_dir {
	char path[PATH_MAX];
};

/* Changes when a coordinator writes its address anew. */
struct stamp {
	unsigned long long inode;
	long long s, ns;
};

/* [a-z0-9-]{1,40} */
bool state_dir_is_name(const char *name);

/* The same: 0, or -EINVAL with a sentence, also for NULL. */
int state_dir_check_name(const char *name, struct error *err);

/* It need not be there.  -EPERM if it is, and is unsafe. */
int state_dir_root(struct state_dir *out, const struct lookup *lookup,
		   struct error *err);

/* The folder of job name, or the one that --state names.  Makes nothing. */
int state_dir_of(struct state_dir *out, const struct lookup *lookup,
		 const char *name, struct error *err);

/* The folder of the queue, or the one that --state names.  Makes nothing. */
int state_dir_of_queue(struct state_dir *out, const struct lookup *lookup,
		       struct error *err);

/* Makes it and its parent where they are missing; refuses unsafe ones. */
int state_dir_make(const struct state_dir *dir, struct error *err);

/* -ENOENT without a sentence if there is none; -EPERM if it is unsafe. */
int state_dir_check(const char *path, struct error *err);

/* Reads DIR/address.  -ENOENT without a sentence if there is none. */
int state_dir_address(const struct state_dir *dir, char *address, size_t n,
		      struct stamp *stamp, struct error *err);

/* Reads DIR/waiting: a sentence, for whom the coordinator waits before it
 * listens.  -ENOENT without a sentence if it does not wait. */
int state_dir_waiting(const struct state_dir *dir, char *text, size_t n,
		      struct error *err);

/* Reads DIR/token; 0 and "" if there is none. */
int state_dir_token(const struct state_dir *dir, struct token *token,
		    struct error *err);

/* Reads DIR/tls/ROLE; 0 and empty if there is none. */
int state_dir_identity(const struct state_dir *dir, enum role role,
		       struct tls_identity *identity, struct error *err);

/* Writes DIR/name anew, mode 0600, whole or not at all. */
int state_dir_write(const struct state_dir *dir, const char *name,
		    const char *text, size_t size, struct error *err);

#endif
