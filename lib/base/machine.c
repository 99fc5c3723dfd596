/* SPDX-License-Identifier: Apache-2.0 */
#include "base/machine.h"

bool machine_step(const struct machine_row *rows, size_t n, unsigned *state,
		  unsigned event)
{
	for (size_t i = 0; i < n; i++) {
		const struct machine_row *row = &rows[i];

		if (row->from != *state || row->event != event)
			continue;
		*state = row->to;
		return true;
	}
	return false;
}
