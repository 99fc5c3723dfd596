/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_JUDGE_H
#define SUPERSTEPS_JUDGE_H

/*
 * The network of neurons that the planner `learned` asks
 */

#include "core/share_planner.h"
#include "network/network.h"

/* What the network says; -EINVAL: it has another shape. */
int supersteps_judge(struct share_judge *judge, struct neural_network *network,
		     struct error *err);

#endif
