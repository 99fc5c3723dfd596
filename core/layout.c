/* SPDX-License-Identifier: Apache-2.0 */
#include "core/layout.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))

unsigned layout_ranks(const struct layout *layout, int member)
{
	for (int i = 0; i < layout->n; i++)
		if (layout->places[i].member == member)
			return layout->places[i].ranks;
	return 0;
}

int layout_find(const struct layout *layout, unsigned rank)
{
	for (int i = 0; i < layout->n; i++)
		if (rank - layout->places[i].first < layout->places[i].ranks)
			return layout->places[i].member;
	return NO_MEMBER;
}

static void fill(struct layout *out, const struct ledger *ledger, int member,
		 unsigned wanted, unsigned per_member)
{
	const struct member *m = &ledger->members[member];
	unsigned here = MIN(MIN(m->slots, per_member), wanted - out->ranks);

	if (m->state != MEMBER_READY || here == 0)
		return;
	out->places[out->n++] = (struct place){
		.member = member, .first = out->ranks, .ranks = here};
	out->ranks += here;
}

bool layout_make(struct layout *out, const struct ledger *ledger,
		 const struct layout *now, unsigned ranks, unsigned per_member)
{
	out->n = 0;
	out->ranks = 0;

	for (int i = 0; now && i < now->n; i++)
		fill(out, ledger, now->places[i].member, ranks, per_member);
	for (int i = 0; i < ledger->n; i++)
		if (!now || layout_ranks(now, i) == 0)
			fill(out, ledger, i, ranks, per_member);

	if (out->ranks == ranks)
		return true;
	out->n = 0;
	out->ranks = 0;
	return false;
}
