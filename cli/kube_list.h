/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_KUBE_LIST_H
#define CLI_KUBE_LIST_H

#include "cli/commands/args.h"
#include "cli/views/output.h"

/* `bellows status --on kube` without a name: the jobs of the namespace, with
 * their state where their coordinator answers.  Returns the exit status of the
 * command. */
int kube_list(const struct args *args, const struct output *output);

#endif
