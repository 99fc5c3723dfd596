/* SPDX-License-Identifier: Apache-2.0 */
#include "core/end_proof.h"

/* It may show every tenth step only, and not the last one. */
static bool is_at_total(const struct end_proof *end)
{
	return end->step >= end->total || end->total - end->step < end->stride;
}

enum end_verdict end_judge(const struct end_proof *end)
{
	bool is_counted = end->total != 0;

	if (end->has_word && !end->said)
		return END_EARLY;
	if (is_counted && (!end->has_word || end->stops_alike))
		return is_at_total(end) ? END_PROVEN : END_EARLY;
	return end->has_word ? END_PROVEN : END_OPEN;
}
