/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

/*
 * A state machine as a table: a row for each event that a state expects
 */

#include <stdbool.h>
#include <stddef.h>

struct machine_row {
	unsigned from, event, to;
};

/* The state after the event; false: the state does not expect it, and stays. */
bool machine_step(const struct machine_row *rows, size_t n, unsigned *state,
		  unsigned event);

#endif
