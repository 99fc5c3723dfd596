/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CHECKPOINT_OWNER_RECORD_H
#define COORDINATOR_CHECKPOINT_OWNER_RECORD_H

/*
 * The record that a coordinator leaves in its checkpoint directory
 *
 *     bellows-owner 1
 *     job heat
 *     host node-3
 *     boot 2c7bb3c8-7d1f-4d0c-9d4a-0a4b9f5f6f0e
 *     pid 4711
 *     incarnation 8f3a1c0251b20c9e
 *     since 1763769600000
 *     state /run/user/1000/bellows/heat
 *     is lives
 *
 * The last line is one of: lives; left; left ranks=none.  since: milliseconds
 * since 1970, for people.  state: its state directory, likewise.
 */

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OWNER_WORD_MAX = 72,
	OWNER_STATE_MAX = 256, /* a longer path is cut short */
	OWNER_RECORD_MAX = 800,
};

struct owner_record {
	char job[OWNER_WORD_MAX], host[OWNER_WORD_MAX];
	char boot[OWNER_WORD_MAX]; /* of the kernel; "": not known */
	unsigned pid;
	uint64_t incarnation; /* drawn by lot by each coordinator */
	msec_t since;
	char state[OWNER_STATE_MAX];
	bool left;         /* its coordinator has ended */
	bool without_rank; /* and none of its ranks was left */
};

/* What this process would write: it lives. */
void owner_record_init(struct owner_record *out, const char *job,
		       const char *state);

/* Returns how many bytes. */
size_t owner_record_format(const struct owner_record *record,
			   char text[OWNER_RECORD_MAX]);

/* -EINVAL if it is no whole record. */
int owner_record_parse(struct owner_record *out, const char *text, size_t n);

#endif
