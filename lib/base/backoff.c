/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"

#include <stdlib.h>

msec_t backoff(unsigned n, msec_t base, msec_t max)
{
	double wait = (double)base;

	for (; n > 0 && wait < (double)max; n--)
		wait *= 1.6;
	if (wait > (double)max)
		wait = (double)max;
	return (msec_t)(wait * (0.8 + 0.4 * arc4random() / UINT32_MAX));
}
