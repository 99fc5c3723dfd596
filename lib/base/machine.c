/* SPDX-License-Identifier: Apache-2.0 */
#include "base/machine.h"

bool machine_step(const struct machine *machine, unsigned *state,
		  unsigned event)
{
	for (size_t i = 0; i < machine->n; i++) {
		const struct machine_row *row = &machine->rows[i];

		if (row->from != *state || row->event != event)
			continue;
		*state = row->to;
		return true;
	}
	return false;
}
