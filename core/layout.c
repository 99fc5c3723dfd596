/* SPDX-License-Identifier: Apache-2.0 */
#include "core/layout.h"

#include <stdlib.h>
#include <string.h>

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

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* Numbers within a name count as numbers. */
static int compare_names(const char *a, const char *b)
{
	while (*a && *b) {
		size_t n = digits(a), m = digits(b);

		if (n > 0 && m > 0) {
			int order =
				n != m ? (n > m) - (n < m) : strncmp(a, b, n);

			if (order != 0)
				return order;
			a += n;
			b += m;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return strcmp(a, b);
}

static int compare(const void *a, const void *b, void *user)
{
	const struct ledger *ledger = user;
	int i = *(const int *)a, j = *(const int *)b;
	int order =
		compare_names(ledger->members[i].name, ledger->members[j].name);

	return order != 0 ? order : (i > j) - (i < j);
}

static void fill_others(struct layout *out, const struct ledger *ledger,
			const struct layout *now, unsigned ranks,
			unsigned per_member)
{
	int others[MEMBERS_MAX], n = 0;

	for (int i = 0; i < ledger->n; i++)
		if (ledger->members[i].state == MEMBER_READY &&
		    (!now || layout_ranks(now, i) == 0))
			others[n++] = i;
	qsort_r(others, (size_t)n, sizeof(*others), compare, (void *)ledger);
	for (int i = 0; i < n; i++)
		fill(out, ledger, others[i], ranks, per_member);
}

bool layout_make(struct layout *out, const struct ledger *ledger,
		 const struct layout *now, unsigned ranks, unsigned per_member)
{
	out->n = 0;
	out->ranks = 0;

	for (int i = 0; now && i < now->n; i++)
		fill(out, ledger, now->places[i].member, ranks, per_member);
	fill_others(out, ledger, now, ranks, per_member);

	if (out->ranks == ranks)
		return true;
	out->n = 0;
	out->ranks = 0;
	return false;
}
