/* SPDX-License-Identifier: Apache-2.0 */
#include "core/scaler_benefit.h"

#include <math.h>
#include <stdio.h>

/* Two digits say enough; all of them before the point. */
struct number {
	char s[32];
};

static struct number number(double value)
{
	struct number text;

	snprintf(text.s, sizeof(text.s), fabs(value) < 99.5 ? "%.2g" : "%.0f",
		 value);
	return text;
}

/* "4 -> 6: 38 s are left, gain 6 +- 2 s, price 9 s" */
static void say_change(const struct benefit_choice *choice, const char *before,
		       char *text, size_t n)
{
	const char *unit = choice->is_work ? "rank-seconds" : "s";

	snprintf(text, n,
		 "%s%u -> %u: %s s are left, gain %s +- %s %s, price %s %s",
		 before, choice->from, choice->to, number(choice->left).s,
		 number(choice->gain.seconds).s, number(choice->gain.sd).s,
		 unit, number(choice->price.seconds).s, unit);
}

static void say_slower(const struct benefit_choice *choice, char *text,
		       size_t n)
{
	snprintf(text, n,
		 "%u ranks are slower than predicted: %s s a step, not %s; "
		 "%s to %u",
		 choice->from, number(choice->step).s,
		 number(choice->predicted).s, choice->goes_back ? "back" : "on",
		 choice->to);
}

void benefit_say(const struct benefit_choice *choice, char *text, size_t n)
{
	switch (choice->reason) {
	case BENEFIT_UNKNOWN:
		snprintf(text, n, "how many steps are left is not known");
		return;
	case BENEFIT_MEASURING:
		snprintf(text, n, "the size that it has is not measured yet");
		return;
	case BENEFIT_WAITS:
		snprintf(text, n, "what was stated is waited for");
		return;
	case BENEFIT_BEST:
		snprintf(text, n,
			 "no size is predicted to be better than %u ranks, and "
			 "%s s are left",
			 choice->from, number(choice->left).s);
		return;
	case BENEFIT_NOT_WORTH:
		say_change(choice, "not ", text, n);
		return;
	case BENEFIT_GAINS:
		say_change(choice, "", text, n);
		return;
	case BENEFIT_SLOWER:
		say_slower(choice, text, n);
		return;
	case BENEFIT_PROBES:
		snprintf(text, n,
			 "%u -> %u is a probe: it costs %s s at most, and %s s "
			 "are left",
			 choice->from, choice->to, number(choice->most).s,
			 number(choice->left).s);
		return;
	case BENEFIT_NO_MORE:
		say_change(choice, "no longer ", text, n);
		return;
	}
}

void benefit_say_probe(const struct benefit_probe *probe, char *text, size_t n)
{
	snprintf(text, n,
		 "the probe of %u ranks cost %s s: %s s a step, not %s",
		 probe->ranks, number(probe->seconds).s, number(probe->step).s,
		 number(probe->before).s);
}

void benefit_say_change(const struct step_change *change, char *text, size_t n)
{
	snprintf(text, n,
		 "a step on %u ranks takes %s s now, not %s: what was measured "
		 "before counts no more",
		 change->ranks, number(change->to).s, number(change->from).s);
}
