/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/policies.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int policy_read(const struct sched_policy **out, const char *name,
		bool simulated, struct error *err)
{
	char known[400] = "";

	*out = sched_policy_find(name);
	if (*out && (simulated || !(*out)->published))
		return 0;
	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		size_t used = strlen(known);

		if (simulated || !at->published)
			snprintf(known + used, sizeof(known) - used, "%s%s",
				 used ? ", " : "", at->name);
	}
	return error_set(err, -EINVAL,
			 "there is no policy '%.40s'; there are %s", name,
			 known);
}
