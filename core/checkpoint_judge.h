/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_CHECKPOINT_JUDGE_H
#define CORE_CHECKPOINT_JUDGE_H

/*
 * Whether the checkpoint that is there answers an order to save
 *
 * Only what the application's adapter calls complete comes here, as its mark,
 * which differs between any two checkpoints and is not 0 (apps/adapter.h).  An
 * application that ends with its checkpoint is judged when its ranks have left.
 * One that saves and computes on may still write when it is looked at, so its
 * checkpoint is taken when two looks find the same mark.
 */

#include "base/error.h"
#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

#define CHECKPOINT_JUDGE_EACH MSEC(200) /* between two looks */

struct checkpoint_judge {
	uint64_t before; /* mark of the newest one at the order; 0: none */
	uint64_t seen;   /* mark of a newer one at the last look; 0: none */
};

void checkpoint_judge_init(struct checkpoint_judge *judge, uint64_t before);

/* Ranks compute on; mark: of the checkpoint that is there, 0: none.  Whether it
 * is newer than the order and has not changed since the last look. */
bool checkpoint_judge_look(struct checkpoint_judge *judge, uint64_t mark);

/* Ranks have left; mark: of the checkpoint that is there, 0: none.  found: what
 * the adapter returned, with its sentence if it is -errno.  NULL if the
 * checkpoint is newer than the order, else the sentence that says what is
 * wrong. */
const char *checkpoint_judge_left(const struct checkpoint_judge *judge,
				  int found, uint64_t mark,
				  const struct error *why);

/* Whether what the adapter found says nothing of the checkpoint: a disk failed,
 * and a later look may succeed. */
bool checkpoint_judge_is_unread(int found);

#endif
