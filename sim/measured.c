/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/measured.h"

#include "base/list.h"

struct curve measured_start(void)
{
	static const struct curve_point starts[] = {
		{1, 0.114}, {2, 0.134}, {4, 0.230}, {6, 0.327}};

	return curve_line(starts, LENGTH(starts));
}
