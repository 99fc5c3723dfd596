/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"
#include "tests/check.h"

static void backoff_grows_to_its_bound_and_jitters(void)
{
	bool differs = false;

	for (int i = 0; i < 100; i++) {
		CHECK(backoff(0, 100, 2000) >= 79);
		CHECK(backoff(0, 100, 2000) <= 120);
		CHECK(backoff(2, 100, 2000) >= 204);
		CHECK(backoff(2, 100, 2000) <= 308);
		CHECK(backoff(1u << 31, 100, 2000) >= 1599);
		CHECK(backoff(1u << 31, 100, 2000) <= 2400);
		differs |= backoff(9, 100, 2000) != backoff(9, 100, 2000);
	}
	CHECK(differs);
}

RUN_TESTS(TEST(backoff_grows_to_its_bound_and_jitters))
