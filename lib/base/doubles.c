/* SPDX-License-Identifier: Apache-2.0 */
#include "base/doubles.h"

int doubles_compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}
