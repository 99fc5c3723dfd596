/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/judge.h"

#include <errno.h>

static void judge_values(void *user, const double *state, double *values)
{
	network_run(user, state, values);
}

int supersteps_judge(struct share_judge *judge, struct neural_network *network,
		     struct error *err)
{
	const struct network_shape *is = network_shape(network);
	unsigned outputs = is->neurons[is->layers - 1];

	if (is->neurons[0] != SHARE_STATE || outputs != SHARE_ACTIONS)
		return error_set(err, -EINVAL,
				 "the network has %u inputs and %u outputs, "
				 "and a planner's has %d and %d",
				 is->neurons[0], outputs, SHARE_STATE,
				 SHARE_ACTIONS);
	*judge = (struct share_judge){judge_values, network};
	return 0;
}
