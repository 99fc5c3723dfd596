/* SPDX-License-Identifier: Apache-2.0 */
#include "core/save_choice.h"

bool save_takes_newest(const struct save_choice *choice)
{
	unsigned change = choice->to > choice->from ? choice->to - choice->from
						    : choice->from - choice->to;
	double wait, repeat;

	if (!choice->has_newest || choice->newest == 0 ||
	    choice->newest > choice->step || choice->next <= choice->step)
		return false;
	wait = (double)(choice->next - choice->step);
	repeat = (double)(choice->step - choice->newest);
	if (wait * choice->step_time > (double)choice->deadline)
		return true;
	return repeat * choice->from < wait * change;
}
