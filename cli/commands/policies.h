/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_POLICIES_H
#define CLI_COMMANDS_POLICIES_H

#include "base/error.h"
#include "core/sched.h"

/* The policy of that name; -EINVAL with a sentence that lists those that there
 * are.  simulated: also those that only a simulator can go by. */
int policy_read(const struct sched_policy **out, const char *name,
		bool simulated, struct error *err);

#endif
