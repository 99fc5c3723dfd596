/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_LOAD_H
#define APPS_LOAD_H

/*
 * Adapters that are built elsewhere: a shared object that exports
 *
 *     const struct adapter bellows_adapter
 *
 * Foreign code becomes a part of the program, so it is looked at first:
 *
 *     whose      the file and its folder are root's or this user's, and nobody
 *                else can write to them                         (file_trust.h)
 *     how        a child loads it, which may crash or hang       (fork_probe.h)
 *     what       its ABI, its name, its functions                (abi_check.h)
 *
 * An error is one sentence that begins with the name of the file.
 */

#include "apps/adapters.h"

/* What the option --adapter was given; borrowed. */
struct adapter_files {
	const char *at[ADAPTERS_ADDED_MAX];
	size_t n;
};

/* Room in an argument list for all of them. */
enum { ADAPTER_FILES_ARGS_MAX = 2 * ADAPTERS_ADDED_MAX };

/* From then on adapter_find() finds it.  It forks: the program must have no
 * other thread yet.  Takes 5 s at most.  -errno with a sentence. */
int adapter_load(const char *path, struct error *err);

/* -E2BIG with a sentence if there are too many. */
int adapter_files_add(struct adapter_files *files, const char *path,
		      struct error *err);

/* The same, as a row of base/options.h reads an option; member: the files. */
int adapter_files_read(void *member, const char *path, struct error *err);

/* Loads all, in their order; the first failure ends it. */
int adapter_files_load(const struct adapter_files *files, struct error *err);

/* "--adapter FILE" for each, for another program; ends with NULL.  files may be
 * NULL.  Returns the end. */
const char **adapter_files_put(const struct adapter_files *files,
			       const char **argv);

#endif
