/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_SIMULATE_TRAIN_H
#define CLI_COMMANDS_SIMULATE_TRAIN_H

#include "cli/commands/args.h"
#include "cli/views/output.h"
#include "sim/supersteps_run.h"

/* `bellows simulate --supersteps FILE --train WEIGHTS`; returns the exit
 * status. */
int simulate_train(const struct supersteps *supersteps,
		   const struct supersteps_forecast *forecast,
		   const struct args *args, const struct output *output);

#endif
