/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_SUPERSTEPS_SAVED_H
#define APPS_SUPERSTEPS_SAVED_H

/*
 * The checkpoint of bellows-supersteps, a text:
 *
 *     bellows-supersteps 1
 *     next 17 of 40
 *     change 0.000125
 *     written 1764336000123456789
 *     done affinity
 *     done atomic
 *     end 3f2a91c0
 *
 * Step 17 is the next one, and of it the tasks affinity and atomic have ended:
 * the file is replaced after each step, and within a step when a task fails.
 * `change` is what a change of the shares takes, in seconds, as it was
 * measured; `written` differs between any two files.  The last line has the
 * CRC-32 of all before it.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAVED_NAME "supersteps.state"

enum { SAVED_TASKS_MAX = 1024, SAVED_TASK_NAME_MAX = 63 };

struct saved {
	unsigned next, steps;
	double change; /* seconds */
	uint64_t written;
	unsigned n_done;
	char done[SAVED_TASKS_MAX][SAVED_TASK_NAME_MAX + 1];
	size_t bytes; /* of the file */
};

/* 1: there is none; -EBADMSG with "checkpoint PATH is damaged: ..."; -errno. */
int saved_read(struct saved *saved, const char *folder, struct error *err);

/* Sets `written`; whole and on the disk, or not at all. */
int saved_write(struct saved *saved, const char *folder, struct error *err);

/* What is in such a file; text ends with NUL and is changed.  False: it is
 * damaged. */
bool saved_parse(struct saved *saved, char *text, size_t size);

bool saved_is_done(const struct saved *saved, const char *task);

#endif
