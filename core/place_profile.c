/* SPDX-License-Identifier: Apache-2.0 */
#include "core/place_profile.h"

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* From 0.5 at the bound to 1 at a factor of two. */
static double sure(double value, double bound)
{
	double high = value > bound ? value : bound;
	double low = value > bound ? bound : value;

	return high >= 2 * low ? 1 : 0.5 * high / low;
}

static struct place_verdict limited(struct place_verdict verdict,
				    enum place_reason reason, double most)
{
	verdict.reason = reason;
	verdict.confidence = least(verdict.confidence, most);
	return verdict;
}

/* The bound is within two standard errors. */
static bool is_noisy(const struct place_facts *facts)
{
	double off = facts->bandwidth - PLACE_MEMORY_BOUND;

	return (off < 0 ? -off : off) < 2 * facts->bandwidth_error;
}

static struct place_verdict by_bandwidth(const struct place_facts *facts)
{
	bool much = facts->bandwidth >= PLACE_MEMORY_BOUND;
	struct place_verdict verdict = {
		.profile = much ? PLACE_MEMORY : PLACE_CPU,
		.confidence = sure(facts->bandwidth, PLACE_MEMORY_BOUND),
		.reason = much ? PLACE_BANDWIDTH : PLACE_NEITHER,
	};

	if (facts->bandwidth < 0)
		return limited(verdict, PLACE_BANDWIDTH_UNKNOWN,
			       PLACE_CONFIDENCE_UNKNOWN);
	if (is_noisy(facts))
		return limited(verdict, PLACE_BANDWIDTH_NOISY,
			       PLACE_CONFIDENCE_NOISY);
	return verdict;
}

static struct place_verdict of_any_length(const struct place_facts *facts)
{
	struct place_verdict verdict = by_bandwidth(facts);

	if (facts->messages >= PLACE_NETWORK_BOUND)
		return (struct place_verdict){
			.profile = PLACE_NETWORK,
			.confidence =
				sure(facts->messages, PLACE_NETWORK_BOUND),
			.reason = PLACE_MESSAGES,
		};
	if (facts->messages < 0)
		return limited(verdict, PLACE_MESSAGES_UNKNOWN,
			       PLACE_CONFIDENCE_UNKNOWN);
	verdict.confidence = least(verdict.confidence,
				   sure(facts->messages, PLACE_NETWORK_BOUND));
	return verdict;
}

struct place_verdict place_judge(const struct place_facts *facts)
{
	struct place_verdict verdict = of_any_length(facts);

	if (facts->seconds < PLACE_SECONDS_LEAST)
		return limited(verdict, PLACE_SHORT, PLACE_CONFIDENCE_UNKNOWN);
	return verdict;
}

const char *place_profile_name(enum place_profile profile)
{
	static const char *const names[] = {
		[PLACE_CPU] = "cpu",
		[PLACE_MEMORY] = "memory",
		[PLACE_NETWORK] = "network",
	};

	return names[profile];
}
