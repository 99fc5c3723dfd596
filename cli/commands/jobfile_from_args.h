/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_JOBFILE_FROM_ARGS_H
#define CLI_COMMANDS_JOBFILE_FROM_ARGS_H

#include "cli/commands/args.h"

/*
 * The job file that the options of `bellows run` stand for, in YAML, to be read
 * by the same parser as any other.  dir is where relative paths start.  The
 * caller frees *out.  -EINVAL with a sentence if an option is missing or
 * cannot be written down.
 */
int jobfile_from_args(char **out, const struct args *args, const char *dir,
		      struct error *err);

#endif
