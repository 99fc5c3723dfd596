/* SPDX-License-Identifier: Apache-2.0 */
#include "core/resume_proof.h"

static uint64_t earliest(const struct resume_proof *resume)
{
	return resume->step ? resume->step : resume->seen;
}

enum resume_verdict resume_on_said(const struct resume_proof *resume,
				   uint64_t step)
{
	if (step == 0)
		return resume->step ? RESUME_OPEN : RESUME_PROVEN;
	return step < earliest(resume) ? RESUME_REFUTED : RESUME_PROVEN;
}

enum resume_verdict resume_on_step(const struct resume_proof *resume,
				   uint64_t step)
{
	return step < earliest(resume) ? RESUME_REFUTED : RESUME_PROVEN;
}
