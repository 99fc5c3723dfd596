/* SPDX-License-Identifier: Apache-2.0 */
#include "base/doubles.h"
#include "base/list.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

static void doubles_are_sorted_and_found(void)
{
	static const double sorted[] = {-INFINITY, -1e300, -0.5, 0.25,
					0.5,       0.5,    1e300};
	double at[] = {0.5, 1e300, -0.5, 0.25, -INFINITY, 0.5, -1e300};
	double some = 0.25, none = 0.3;

	qsort(at, LENGTH(at), sizeof(*at), doubles_compare);
	for (size_t i = 0; i < LENGTH(at); i++)
		CHECK(at[i] == sorted[i]);
	CHECK(bsearch(&some, at, LENGTH(at), sizeof(*at), doubles_compare) ==
	      &at[3]);
	CHECK(!bsearch(&none, at, LENGTH(at), sizeof(*at), doubles_compare));
}

RUN_TESTS(TEST(doubles_are_sorted_and_found))
