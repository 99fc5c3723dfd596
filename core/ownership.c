/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ownership.h"

enum ownership_step ownership_judge(const struct ownership_sight *sight)
{
	if (!sight->readable)
		return OWNERSHIP_WAIT;
	if (sight->left)
		return sight->without_rank ? OWNERSHIP_BEGIN : OWNERSHIP_FENCE;
	if (!sight->same_boot || sight->lock == OWNERSHIP_LOCK_UNKNOWN)
		return OWNERSHIP_WAIT;
	if (sight->lock == OWNERSHIP_LOCK_FREE)
		return OWNERSHIP_FENCE;
	/* the name of the host tells containers of one machine apart: the pod
	 * that is replaced may still end beside its replacement */
	return sight->same_host ? OWNERSHIP_REFUSE : OWNERSHIP_WAIT;
}

enum ownership_step ownership_after_claim(enum ownership_step step,
					  msec_t claimed_for)
{
	if (step < OWNERSHIP_WAIT)
		return step;
	return claimed_for >= OWNERSHIP_LEASE + OWNERSHIP_SLACK
		       ? OWNERSHIP_FENCE
		       : OWNERSHIP_WAIT;
}

msec_t ownership_valid_until(msec_t looked)
{
	return looked + OWNERSHIP_LEASE;
}
