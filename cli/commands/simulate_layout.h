/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_SIMULATE_LAYOUT_H
#define CLI_COMMANDS_SIMULATE_LAYOUT_H

#include "cli/commands/args.h"
#include "cli/views/output.h"

/* `bellows simulate --layout FILE`; returns the exit status. */
int simulate_layout(const struct args *args, const struct output *output);

#endif
