/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_RESUME_PROOF_H
#define CORE_RESUME_PROOF_H

/*
 * Whether ranks went on from their checkpoint, by what they print
 *
 * An application that does not find its checkpoint, or does not look for it,
 * begins afresh and says nothing: all that was computed is computed again, and
 * the checkpoint is overwritten.  (Kub's GROMACS did so in every run of
 * SBAC-PAD 2023, figure 5, and its CM1 went back to the first checkpoint.)
 */

#include <stdbool.h>
#include <stdint.h>

struct resume_proof {
	uint64_t step; /* of the checkpoint; 0: not known */
	uint64_t seen; /* a step that it cannot be before; 0: not known */
};

enum resume_verdict {
	RESUME_OPEN, /* nothing is proven yet */
	RESUME_PROVEN,
	RESUME_REFUTED,
};

/* It says that it went on from step; 0: it does not say from which. */
enum resume_verdict resume_on_said(const struct resume_proof *resume,
				   uint64_t step);

/* It reports a step, the first of its start. */
enum resume_verdict resume_on_step(const struct resume_proof *resume,
				   uint64_t step);

#endif
