/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/queue_ask.h"
#include "proto/scheduler.h"

int cmd_hold(const struct args *args, const struct output *output)
{
	return queue_command_with_reason(args, output, CALL_HOLD, "it is held");
}
