/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_STORE_INTERNAL_H
#define COORDINATOR_CHECKPOINT_STORE_INTERNAL_H

/* Between store.c, rollback.c and unreadable.c. */

#include "coordinator/checkpoint/file_names.h"
#include "coordinator/checkpoint/store.h"

#include <limits.h>
#include <sys/types.h>

enum { STORE_SLOTS = 2, STORE_SEEN_MAX = 64, STORE_PATH_MAX = PATH_MAX + 16 };

struct checkpoint_store {
	struct loop *loop;
	const struct jobfile *job;
	checkpoint_store_f fn;
	void *user;
	char root[PATH_MAX]; /* CHECKPOINT_DIR/bellows-kept */
	bool copies;         /* or else the application does so itself */
	/* The file system has no links; it cannot share blocks. */
	bool no_links, no_sharing;

	/* How the application writes the next one. */
	enum { HABIT_UNKNOWN, HABIT_REPLACES, HABIT_IN_PLACE } habit;
	struct checkpoint_store_seen {
		char *name; /* owned */
		ino_t inode;
	} seen[STORE_SEEN_MAX]; /* files of the checkpoint learnt */
	size_t n_seen;

	/* Marks of checkpoints; 0: none, or not known. */
	uint64_t noted;   /* of 1/ */
	uint64_t learnt;  /* of the one whose files were seen last */
	uint64_t tried;   /* of the one that was to be kept last */
	uint64_t watched; /* of the one that was there at the last look */

	/* new/ */
	enum store_way {
		WAY_COPY,  /* copy_file_range(2), or what cp has instead */
		WAY_SHARE, /* a copy on other blocks only when it is changed */
		WAY_LINK,
	} way;
	pid_t child;  /* that makes new/; 0: none */
	bool syncing; /* it is whole, and goes to the disk */
	msec_t since;
	uint64_t bytes;
	bool told;          /* that there is no room */
	unsigned announced; /* set of reasons of store_way.c */
};

const char *
store_dir(const struct checkpoint_store *store); /* of the checkpoint */
int store_look(const struct checkpoint_store *store, struct checkpoint *out,
	       struct error *err);

/* As the adapter's function; of NULL: what is in its place. */
int store_file_names(const struct checkpoint_store *store,
		     const struct checkpoint *of, struct names *out,
		     struct error *err);

/* The application leaves the one before where it is. */
bool store_app_keeps_previous(const struct checkpoint_store *store);

/* Folders of those that are kept, the newest first. */
extern const char *const store_slots[STORE_SLOTS];

/* The folders of bellows-kept; path is filled and returned. */
const char *store_folder(const struct checkpoint_store *store, const char *name,
			 char path[STORE_PATH_MAX]);
bool store_has_folder(const struct checkpoint_store *store, const char *name);
int store_make_folder(const struct checkpoint_store *store, const char *name,
		      struct error *err);
void store_remove_folder(const struct checkpoint_store *store,
			 const char *name);
/* Removes the folder `to` first, if there is one: 0 or -errno. */
int store_rename_folder(const struct checkpoint_store *store, const char *from,
			const char *to);

/* store_way.c: how one of that size is kept, and what the log says of it, once
 * for each reason.  A small one is copied if there is room, even if links would
 * do: what damages the file in place does not reach a copy. */
#define STORE_SMALL ((uint64_t)64 << 20)
enum store_way store_choose_way(const struct checkpoint_store *store,
				uint64_t bytes);
void store_announce(struct checkpoint_store *store);
/* Whether the disk has room for a copy and for the application's next
 * checkpoint.  left: bytes that it has; UINT64_MAX: not known. */
bool store_has_room(const struct checkpoint_store *store, uint64_t bytes,
		    uint64_t *left);

/* Another checkpoint is in place than the application wrote there: its files
 * tell nothing of how it writes. */
void store_forget_habit(struct checkpoint_store *store);

#endif
