/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "base/splitmix.h"
#include "tests/check.h"

#include <math.h>

/* What the generator's authors publish for the seed 1234567. */
static void the_bits_are_those_of_splitmix64(void)
{
	static const uint64_t expected[] = {
		6457827717110365317u,  3203168211198807973u,
		9817491932198370423u,  4593380528125082431u,
		16408922859458223821u,
	};
	struct random random = {1234567};

	for (size_t i = 0; i < LENGTH(expected); i++)
		CHECK(random_bits(&random) == expected[i]);
}

static void every_number_below_is_as_probable(void)
{
	enum { N = 3, DRAWS = 30000 };
	struct random random = {1};
	unsigned counts[N] = {0};

	for (unsigned i = 0; i < DRAWS; i++) {
		unsigned drawn = random_below(&random, N);

		CHECK(drawn < N);
		counts[drawn]++;
	}
	/* within four standard deviations */
	for (unsigned i = 0; i < N; i++)
		CHECK(counts[i] > DRAWS / N - 330 &&
		      counts[i] < DRAWS / N + 330);
	CHECK(random_below(&random, 1) == 0);
}

static void exponential_times_have_their_mean_and_tail(void)
{
	enum { DRAWS = 20000 };
	struct random random = {1};
	unsigned above_2 = 0;
	double sum = 0;

	for (unsigned i = 0; i < DRAWS; i++) {
		double drawn = random_exponential(&random);

		sum += drawn;
		above_2 += drawn > 2;
	}
	CHECK(fabs(sum / DRAWS - 1) < 4 / sqrt(DRAWS));
	CHECK(fabs((double)above_2 / DRAWS - exp(-2)) < 0.01);
}

RUN_TESTS(TEST(the_bits_are_those_of_splitmix64),
	  TEST(every_number_below_is_as_probable),
	  TEST(exponential_times_have_their_mean_and_tail))
