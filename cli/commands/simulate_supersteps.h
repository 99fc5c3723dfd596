/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_SIMULATE_SUPERSTEPS_H
#define CLI_COMMANDS_SIMULATE_SUPERSTEPS_H

#include "cli/commands/args.h"
#include "cli/views/output.h"

/* `bellows simulate --supersteps FILE`; returns the exit status. */
int simulate_supersteps(const struct args *args, const struct output *output);

#endif
