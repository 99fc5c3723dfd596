/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/policies.h"

#include <errno.h>

int policy_read(const struct sched_policy **out, const char *name,
		bool simulated, struct error *err)
{
	char known[400];

	*out = sched_policy_find(name);
	if (*out && (simulated || !(*out)->published))
		return 0;
	return error_set(err, -EINVAL,
			 "there is no policy '%.40s'; there are %s", name,
			 sched_policy_names(known, sizeof(known), simulated));
}
