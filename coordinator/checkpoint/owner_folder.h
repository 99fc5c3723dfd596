/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_OWNER_FOLDER_H
#define COORDINATOR_CHECKPOINT_OWNER_FOLDER_H

/*
 * The records of the coordinators of a checkpoint directory
 *
 *     CHECKPOINT_DIR/bellows-owner/owner-1   the first coordinator's
 *                                 /owner-2   and so on: see core/ownership.h
 *                                 /new-...   one that is being written
 *
 * A record appears whole, under a number that no other has: it is written under
 * another name, and link(2) gives it its own, which of two that try one does,
 * on NFS too.  On a file system without links O_EXCL does that, and a reader
 * may find the record torn in that moment.
 *
 * Each coordinator holds flock(2) on its own record as long as it lives.  That
 * tells others on the same machine whether it does.  On a file system without
 * links a record can be seen for a moment before it is locked.  On NFS a record
 * that is held has one more name, .nfs..., which means nothing.
 *
 * All of this may take as long as the file system does.
 */

#include "base/error.h"
#include "coordinator/checkpoint/owner_record.h"
#include "core/ownership.h"

/* Another one's record, and what it is worth. */
struct owner_other {
	uint64_t number; /* 0: there is none */
	struct owner_record record;
	bool readable;
	enum ownership_step step;
};

struct owner_sight {
	uint64_t newest;           /* of all numbers; 0: there is no record */
	bool mine;                 /* our record is where it should be */
	struct owner_other newer;  /* the newest with our number or a higher one
				    */
	struct owner_other before; /* of those with lower numbers, the one that
				    * asks for most */
};

/* Looks at all records but ours, which is number `mine`; 0: we have none.  A
 * folder that is missing has no records; one that is missing with the directory
 * around it is -ENOENT. */
int owner_folder_look(const char *dir, const struct owner_record *self,
		      uint64_t mine, struct owner_sight *out,
		      struct error *err);

/* Writes our record under that number, and makes the folder if it is missing.
 * lock: a descriptor whose closing says that we are gone.  -EEXIST: another one
 * was first.  -EPERM: the folder is another user's. */
int owner_folder_claim(const char *dir, uint64_t number,
		       const struct owner_record *self, int *lock,
		       struct error *err);

/* Puts a record that says that we have left in place of ours. */
int owner_folder_leave(const char *dir, uint64_t number,
		       const struct owner_record *self, struct error *err);

/* Removes the records with lower numbers: nobody waits for them any more. */
void owner_folder_prune(const char *dir, uint64_t mine);

/* Removes the folder, unless there is a record newer than ours. */
void owner_folder_remove(const char *dir, uint64_t mine);

#endif
