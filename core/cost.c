/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cost.h"

bool cost_takes_newest(const struct save_choice *choice)
{
	uint64_t wait, repeat;

	if (!choice->has_newest || choice->newest == 0 ||
	    choice->newest > choice->step || choice->next <= choice->step)
		return false;
	wait = choice->next - choice->step;
	repeat = choice->step - choice->newest;
	if ((double)wait * choice->step_time > (double)choice->deadline)
		return true;
	return repeat < wait;
}
