/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_DISK_H
#define COORDINATOR_CHECKPOINT_DISK_H

/*
 * Where the job writes, and whether it can
 *
 * A disk that is full, read-only, slow or gone stops no rank that computes; it
 * is told, once for each change, and looked at more often until it is well.
 * Directories are looked at by a program of their own (bellows-launch --look),
 * for a file system may never answer: that is told too, and the job goes on.
 */

#include "base/list.h"
#include "jobfile/jobfile.h"
#include "loop/loop.h"

enum disk_place {
	DISK_CHECKPOINT, /* the checkpoint directory, */
	DISK_STATE,      /* the state directory: these are looked at */
	DISK_OUTPUT,     /* the files of what ranks print */
	DISK_EXECUTORS,  /* temporary directories of executors */
	DISK_PLACES,
};

enum { DISK_TEXT_MAX = 240 };

struct disk;

/* text: a sentence; well: that it is so again. */
typedef void (*disk_f)(void *user, const char *text, bool well);

/* All borrowed; bindir: of bellows-launch. */
int disk_create(struct disk **out, struct loop *loop, const struct jobfile *job,
		const char *state, const char *bindir, disk_f fn, void *user,
		struct error *err);
struct disk *disk_destroy(struct disk *disk); /* returns NULL */

/* The next checkpoint needs so many bytes beside the one that is there; 0: it
 * is not known. */
void disk_set_room(struct disk *disk, uint64_t bytes);

/* Looks now: something has failed. */
void disk_look(struct disk *disk);

/* fn runs once that place has answered a look, whatever it answered: a file
 * call that comes right behind is not likely to hang.  It runs at once if
 * nothing can look.  Embedded in its owner, link initialised; asking again
 * changes nothing. */
struct disk_visitor {
	struct list link;
	void (*fn)(void *user);
	void *user;
};

void disk_visit(struct disk *disk, enum disk_place place,
		struct disk_visitor *visitor);

/* Why no start could be made, or "": it needs the state directory, and those of
 * executors. */
const char *disk_obstacle(const struct disk *disk);

/* What is the matter with that place, or "". */
void disk_set(struct disk *disk, enum disk_place place, const char *text);

bool disk_is_well(const struct disk *disk, enum disk_place place);

/* The first place that cannot be written, and why; "": all can. */
const char *disk_trouble(const struct disk *disk);

DEFINE_CLEANUP(struct disk, disk_destroy)

#endif
