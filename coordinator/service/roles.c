/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/roles.h"

#include "base/list.h"
#include "jobfile/role.h"
#include "proto/coordinator.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	EXECUTOR = 1 << ROLE_EXECUTOR,
	MONITOR = 1 << ROLE_MONITOR,
	CLIENT = 1 << ROLE_CLIENT,
	SCHEDULER = 1 << ROLE_SCHEDULER,
};

/* clang-format off */
static const struct {
	const char *call;
	unsigned roles;
} rows[] = {
	{ CALL_JOB_INIT,      EXECUTOR                     },
	{ CALL_RETRIEVE_KEYS, EXECUTOR                     },
	{ CALL_ACTIVE_SERVER, EXECUTOR                     },
	{ CALL_OUTPUT,        EXECUTOR                     },
	{ CALL_CHECKPOINTING, EXECUTOR                     },
	{ CALL_END_EXEC,      EXECUTOR                     },
	{ CALL_SUPPLY,        MONITOR                      },
	{ CALL_SCALE,         MONITOR | CLIENT             },
	{ CALL_GRANT,         SCHEDULER                    },
	{ CALL_GET_JOB,       MONITOR | CLIENT | SCHEDULER },
	{ CALL_WATCH_JOB,     MONITOR | CLIENT | SCHEDULER },
	{ CALL_CANCEL,        CLIENT | SCHEDULER           },
	{ CALL_HISTORY,       CLIENT                       },
};
/* clang-format on */

static unsigned roles_of(const char *call)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (strcmp(rows[i].call, call) == 0)
			return rows[i].roles;
	return 0;
}

/* "an executor", "a monitor or a client" */
static const char *describe(unsigned roles, char *text, size_t n)
{
	size_t at = 0;

	for (enum role role = 0; role < ROLES && at < n; role++)
		if (roles & 1u << role)
			at += (size_t)snprintf(text + at, n - at, "%s%s %s",
					       at > 0 ? " or " : "",
					       role == ROLE_EXECUTOR ? "an"
								     : "a",
					       role_name(role));
	return at > 0 ? text : "nobody";
}

int roles_check(const char *path, const char *name, struct error *err)
{
	enum role role = role_find(name);
	unsigned roles = roles_of(path);
	const char *method = strrchr(path, '/');
	char allowed[64];

	if (role < ROLES && (roles & 1u << role))
		return 0;
	return error_set(err, -EACCES,
			 "%s is for %s, and this certificate is of '%s'",
			 method ? method + 1 : path,
			 describe(roles, allowed, sizeof(allowed)), name);
}
