/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_KEEP_INTERNAL_H
#define COORDINATOR_CHECKPOINT_KEEP_INTERNAL_H

/* Between keep.c and keep_back.c. */

#include "coordinator/checkpoint/file_names.h"
#include "coordinator/checkpoint/keep.h"

#include <limits.h>
#include <sys/types.h>

enum { KEEP_SLOTS = 2, KEEP_SEEN_MAX = 64, KEEP_PATH_MAX = PATH_MAX + 16 };

struct keep {
	struct loop *loop;
	const struct jobfile *job;
	keep_f fn;
	void *user;
	char root[PATH_MAX]; /* CHECKPOINT_DIR/bellows-kept */
	bool copies;         /* or else the application does so itself */
	bool no_links;       /* the file system has none */

	/* How the application writes the next one. */
	enum { HABIT_UNKNOWN, HABIT_REPLACES, HABIT_IN_PLACE } habit;
	struct keep_seen {
		char *name; /* owned */
		ino_t inode;
	} seen[KEEP_SEEN_MAX]; /* files of the checkpoint learnt */
	size_t n_seen;

	/* Marks of checkpoints; 0: none, or not known. */
	uint64_t noted;   /* of 1/ */
	uint64_t learnt;  /* of the one whose files were seen last */
	uint64_t tried;   /* of the one that was to be kept last */
	uint64_t watched; /* of the one that was there at the last look */

	bool linking;
	pid_t child; /* that makes new/; 0: none */
	bool told;   /* that there is no room */
};

const char *keep_dir(const struct keep *keep); /* of the checkpoint */
int keep_look(const struct keep *keep, struct checkpoint *out,
	      struct error *err);

/* As the adapter's function; of NULL: what is in its place. */
int keep_names(const struct keep *keep, const struct checkpoint *of,
	       struct names *out, struct error *err);

/* The application leaves the one before where it is. */
bool keep_stays(const struct keep *keep);

/* Folders of those that are kept, the newest first. */
extern const char *const keep_slots[KEEP_SLOTS];

/* The folders of bellows-kept; path is filled and returned. */
const char *keep_folder(const struct keep *keep, const char *name,
			char path[KEEP_PATH_MAX]);
bool keep_has_folder(const struct keep *keep, const char *name);
int keep_make_folder(const struct keep *keep, const char *name,
		     struct error *err);
void keep_remove_folder(const struct keep *keep, const char *name);
/* In place of what has that name: 0 or -errno. */
int keep_rename_folder(const struct keep *keep, const char *from,
		       const char *to);

/* Another checkpoint is in place than the application wrote there: its files
 * tell nothing of how it writes. */
void keep_forget(struct keep *keep);

#endif
