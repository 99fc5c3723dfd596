/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_PROFILE_PROGRAM_H
#define CLI_COMMANDS_PROFILE_PROGRAM_H

#include "cli/commands/args.h"

/* `bellows profile -- COMMAND`: the exit status. */
int profile_program(const struct args *args, const struct output *output);

#endif
