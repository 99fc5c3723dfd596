/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/role.h"

#include <string.h>

static const char *const names[ROLES] = {
	[ROLE_COORDINATOR] = "coordinator", [ROLE_EXECUTOR] = "executor",
	[ROLE_MONITOR] = "monitor",         [ROLE_CLIENT] = "client",
	[ROLE_SCHEDULER] = "scheduler",
};

const char *role_name(enum role role)
{
	return names[role];
}

enum role role_find(const char *name)
{
	enum role role = 0;

	while (role < ROLES && strcmp(names[role], name) != 0)
		role++;
	return role;
}
