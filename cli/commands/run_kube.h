/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_RUN_KUBE_H
#define CLI_COMMANDS_RUN_KUBE_H

#include "cli/commands/args.h"
#include "cli/views/output.h"

/* `bellows run --on kube`: makes the job's objects and follows it.  Returns the
 * exit status of the command. */
int run_kube(const struct args *args, const struct output *output);

#endif
