/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_END_PROOF_H
#define CORE_END_PROOF_H

/*
 * Whether ranks that left with 0 have computed all that they were to
 *
 * An application that is told to save and stop by another than the job (a batch
 * system, a colleague, its own limit of time) leaves with 0 as well, and so do
 * some that found nothing to do.  What proves an end is its last word, or else
 * the last step that it shows.
 */

#include <stdbool.h>
#include <stdint.h>

struct end_proof {
	bool has_word;        /* it has a last word, */
	bool stops_alike;     /* which it says when it is stopped, too */
	bool said;            /* it was said */
	uint64_t step, total; /* shown last; total 0: not known */
	uint64_t stride;      /* most steps between two that it showed */
};

enum end_verdict {
	END_PROVEN,
	END_EARLY,
	END_OPEN, /* nothing tells */
};

enum end_verdict end_judge(const struct end_proof *end);

#endif
