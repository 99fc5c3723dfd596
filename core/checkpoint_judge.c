/* SPDX-License-Identifier: Apache-2.0 */
#include "core/checkpoint_judge.h"

#include <errno.h>
#include <stddef.h>

static bool is_newer(const struct checkpoint_judge *judge, uint64_t mark)
{
	return mark != 0 && mark != judge->before;
}

void checkpoint_judge_init(struct checkpoint_judge *judge, uint64_t before)
{
	*judge = (struct checkpoint_judge){.before = before};
}

bool checkpoint_judge_look(struct checkpoint_judge *judge, uint64_t mark)
{
	bool is_settled = mark == judge->seen;

	if (!is_newer(judge, mark))
		return false;
	judge->seen = mark;
	return is_settled;
}

const char *checkpoint_judge_left(const struct checkpoint_judge *judge,
				  int found, uint64_t mark,
				  const struct error *why)
{
	if (found < 0)
		return why->text;
	return is_newer(judge, mark)
		       ? NULL
		       : "the ranks left without a new checkpoint";
}

bool checkpoint_judge_is_unread(int found)
{
	return found < 0 && found != -EBADMSG;
}
