/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stall.h"

/* Looks in the time of one patience: what is counted or excused by mistake is
 * no more than the time between two. */
enum { LOOKS = 8 };

static msec_t tick(const struct stall *stall)
{
	return stall->patience / LOOKS;
}

static void count(struct stall *stall, msec_t now)
{
	if (stall->counts)
		stall->still += now - stall->looked;
	stall->looked = now;
}

void stall_on_ranks(struct stall *stall, unsigned epoch, bool compute,
		    msec_t now)
{
	count(stall, now);
	if (stall->epoch != epoch) {
		stall->epoch = epoch;
		stall->before += stall->told ? stall->still : 0;
		stall->still = 0;
		stall->stands = false;
	}
	stall->counts = compute;
}

static bool on_progress(struct stall *stall, msec_t now)
{
	bool was_told = stall->told;

	stall->still = stall->before = 0;
	stall->looked = now;
	stall->stands = stall->told = false;
	return was_told;
}

bool stall_on_step(struct stall *stall, msec_t now)
{
	stall->knows_steps = true;
	return on_progress(stall, now);
}

bool stall_on_output(struct stall *stall, msec_t now)
{
	return !stall->knows_steps && on_progress(stall, now);
}

bool stall_look(struct stall *stall, bool excused, msec_t now)
{
	bool late = now - stall->looked > 2 * tick(stall);

	if (excused || late)
		stall->looked = now;
	count(stall, now);
	if (stall->patience == 0 || !stall->counts || stall->stands ||
	    stall->still < stall->patience)
		return false;
	stall->stands = stall->told = true;
	return true;
}

msec_t stall_next_look(const struct stall *stall)
{
	msec_t left = stall->patience - stall->still;

	if (stall->patience == 0 || !stall->counts)
		return 0;
	return left > 0 && left < tick(stall) ? left : tick(stall);
}

msec_t stall_length(const struct stall *stall, msec_t now)
{
	return stall->before + stall->still +
	       (stall->counts ? now - stall->looked : 0);
}
