/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_FILE_NAMES_H
#define COORDINATOR_CHECKPOINT_FILE_NAMES_H

/*
 * Names of files, from one directory on, and moving them to another of the same
 * file system
 *
 * A name may have folders in it, which are made where it goes.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names {
	char **at; /* owned */
	size_t n, room;
};

void names_fini(struct names *names);

static inline void names_fini_at(struct names *names)
{
	names_fini(names);
}

/* Adds a copy of it.  -EINVAL if it leads out of its directory. */
int names_add(struct names *names, const char *name, struct error *err);

/* All files below dir, at any depth; nothing if it is not there. */
int names_below(struct names *names, const char *dir, struct error *err);

/* Whether one of them is in dir. */
bool names_any(const struct names *names, const char *dir);

/* Moves those that are there, over others of the same name.  On failure some
 * have been moved.  Two links to one file stay where they are. */
int names_move(const struct names *names, const char *from, const char *to,
	       struct error *err);

/* Has those that are there be in both, by hard links; where there are none they
 * are moved. */
int names_link(const struct names *names, const char *from, const char *to,
	       struct error *err);

/* Waits until these names in dir are on the disk. */
int names_sync(const struct names *names, const char *dir, struct error *err);

/* Removes those that are there. */
int names_remove(const struct names *names, const char *dir, struct error *err);

/* Removes those that are the same file in other. */
void names_unlink(const struct names *names, const char *dir,
		  const char *other);

/* One of them is the same file in both. */
bool names_shared(const struct names *names, const char *dir,
		  const char *other);

/* Each of them is in both: one and the same file, by whatever links; or, alike,
 * another one of the same size and time, as a copy is. */
bool names_same(const struct names *names, const char *dir, const char *other);
bool names_alike(const struct names *names, const char *dir, const char *other);

/* The same bytes in each of them; false without a look if there are more than
 * most in all. */
bool names_equal(const struct names *names, const char *dir, const char *other,
		 uint64_t most);

#endif
