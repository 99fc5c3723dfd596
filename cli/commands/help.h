/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_HELP_H
#define CLI_COMMANDS_HELP_H

#include "cli/commands/args.h"

#include <stdio.h>

void help_print(FILE *to);
void help_print_command(FILE *to, const struct command *command);

/* Scripts for completion, made from the tables. */
void completion_print_bash(FILE *to);
void completion_print_zsh(FILE *to);

#endif
