/* SPDX-License-Identifier: Apache-2.0 */
#include "core/interval.h"

#include <math.h>

static double daly(double cost, double mtbf)
{
	double root = sqrt(cost / (2 * mtbf));

	if (cost >= 2 * mtbf)
		return mtbf;
	return sqrt(2 * cost * mtbf) * (1 + root / 3 + root * root / 9) - cost;
}

msec_t interval_best(const struct interval_facts *facts)
{
	double cost =
		(double)(facts->cost > 0 ? facts->cost : INTERVAL_COST_GUESS);
	double mtbf = (double)facts->mtbf / (facts->nodes ? facts->nodes : 1);
	double best = daly(cost, mtbf);

	best = fmax(best, cost * (INTERVAL_SHARE - 1));
	best = fmax(best, (double)INTERVAL_LEAST);
	return (msec_t)fmin(best, (double)INTERVAL_MOST);
}
