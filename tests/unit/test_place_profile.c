/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "core/place_profile.h"
#include "tests/check.h"

#include <math.h>

static struct place_verdict of(double messages, double bandwidth, double error)
{
	const struct place_facts facts = {.seconds = 10,
					  .messages = messages,
					  .bandwidth = bandwidth,
					  .bandwidth_error = error};

	return place_judge(&facts);
}

/* Measured, see docs/profile.md; that of G-FFT, by its own timers.  The paper
 * calls MiniFE both, and so the confidence is to be small. */
static void each_program_of_the_paper_is_what_the_paper_says(void)
{
	static const struct {
		const char *name;
		struct place_facts facts;
		enum place_profile profile;
	} cases[] = {
		{"G-RandomRing", {10, 1.00, 0.02, 0.01}, PLACE_NETWORK},
		{"G-FFT", {10, 0.70, -1, 0}, PLACE_NETWORK},
		{"EP-DGEMM", {10, 0.00, 0.13, 0.02}, PLACE_CPU},
		{"EP-STREAM", {10, 0.00, 0.96, 0.08}, PLACE_MEMORY},
	};
	struct place_verdict minife = of(0.103, 0.34, 0.03);

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct place_verdict is = place_judge(&cases[i].facts);

		printf("# %s\n", cases[i].name);
		CHECK(is.profile == cases[i].profile);
		CHECK(is.confidence > 0.9);
	}
	CHECK(minife.profile != PLACE_NETWORK);
	CHECK(minife.confidence < 0.75);
}

static void a_verdict_has_its_reason_and_its_confidence(void)
{
	static const struct {
		struct place_facts facts;
		struct place_verdict is;
	} cases[] = {
		{{10, 0.60, 0.90, 0.01}, {PLACE_NETWORK, 1, PLACE_MESSAGES}},
		{{10, 0.25, 0.01, 0.01}, {PLACE_NETWORK, 0.5, PLACE_MESSAGES}},
		{{10, 0.30, -1, 0}, {PLACE_NETWORK, 0.6, PLACE_MESSAGES}},
		{{10, 0.20, 0.01, 0}, {PLACE_CPU, 0.625, PLACE_NEITHER}},
		{{10, 0.20, 0.90, 0}, {PLACE_MEMORY, 0.625, PLACE_BANDWIDTH}},
		{{10, 0, 0.90, 0.05}, {PLACE_MEMORY, 1, PLACE_BANDWIDTH}},
		{{10, 0, 0, 0}, {PLACE_CPU, 1, PLACE_NEITHER}},
		{{10, 0, 0.20, 0.01}, {PLACE_CPU, 0.625, PLACE_NEITHER}},
		{{10, 0, 0.30, 0.01}, {PLACE_MEMORY, 0.6, PLACE_BANDWIDTH}},
		{{10, 0, 0.90, 0.40},
		 {PLACE_MEMORY, 0.5, PLACE_BANDWIDTH_NOISY}},
		{{10, 0, 0.05, 0.15}, {PLACE_CPU, 0.5, PLACE_BANDWIDTH_NOISY}},
		{{10, 0, -1, 0}, {PLACE_CPU, 0.25, PLACE_BANDWIDTH_UNKNOWN}},
		{{10, -1, 0.90, 0},
		 {PLACE_MEMORY, 0.25, PLACE_MESSAGES_UNKNOWN}},
		{{0.5, 0.60, 0, 0}, {PLACE_NETWORK, 0.25, PLACE_SHORT}},
		{{0.5, 0, 0.90, 0}, {PLACE_MEMORY, 0.25, PLACE_SHORT}},
		{{10, -1, -1, 0}, {PLACE_CPU, 0.25, PLACE_MESSAGES_UNKNOWN}},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct place_verdict is = place_judge(&cases[i].facts);

		printf("# case %zu: %s %g\n", i, place_profile_name(is.profile),
		       is.confidence);
		CHECK(is.profile == cases[i].is.profile);
		CHECK(is.reason == cases[i].is.reason);
		CHECK(fabs(is.confidence - cases[i].is.confidence) < 1e-12);
	}
}

static void confidence_is_least_at_the_bounds(void)
{
	for (double off = 0.01; off < 0.2; off += 0.01) {
		CHECK(of(PLACE_NETWORK_BOUND + off, 0, 0).confidence >
		      of(PLACE_NETWORK_BOUND, 0, 0).confidence);
		CHECK(of(0, PLACE_MEMORY_BOUND + off, 0).confidence >
		      of(0, PLACE_MEMORY_BOUND, 0).confidence);
		CHECK(of(0, PLACE_MEMORY_BOUND - off, 0).confidence >
			      of(0, PLACE_MEMORY_BOUND - off / 2, 0)
				      .confidence ||
		      of(0, PLACE_MEMORY_BOUND - off / 2, 0).confidence == 1);
	}
}

static void names_are_those_of_a_job_file(void)
{
	CHECK_TEXT(place_profile_name(PLACE_CPU), "cpu");
	CHECK_TEXT(place_profile_name(PLACE_MEMORY), "memory");
	CHECK_TEXT(place_profile_name(PLACE_NETWORK), "network");
}

RUN_TESTS(TEST(each_program_of_the_paper_is_what_the_paper_says),
	  TEST(a_verdict_has_its_reason_and_its_confidence),
	  TEST(confidence_is_least_at_the_bounds),
	  TEST(names_are_those_of_a_job_file))
