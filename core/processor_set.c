/* SPDX-License-Identifier: Apache-2.0 */
#include "core/processor_set.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 64, WORDS = PROCESSORS_MAX / WORD };

/* Longest when every second one is there: a number of four digits, a comma. */
_Static_assert(PROCESSORS_MAX / 2 * 5 < PROCESSOR_SET_TEXT_MAX,
	       "each list fits");

void processor_set_add(struct processor_set *set, unsigned number)
{
	set->words[number / WORD] |= (uint64_t)1 << number % WORD;
}

bool processor_set_has(const struct processor_set *set, unsigned number)
{
	return number < PROCESSORS_MAX &&
	       (set->words[number / WORD] >> number % WORD & 1);
}

int processor_set_next(const struct processor_set *set, unsigned from)
{
	for (; from < PROCESSORS_MAX; from++)
		if (processor_set_has(set, from))
			return (int)from;
	return NO_PROCESSOR;
}

unsigned processor_set_count(const struct processor_set *set)
{
	unsigned n = 0;

	for (size_t i = 0; i < WORDS; i++)
		n += (unsigned)__builtin_popcountll(set->words[i]);
	return n;
}

bool processor_set_is_empty(const struct processor_set *set)
{
	return processor_set_count(set) == 0;
}

bool processor_set_equals(const struct processor_set *a,
			  const struct processor_set *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool processor_set_overlaps(const struct processor_set *a,
			    const struct processor_set *b)
{
	for (size_t i = 0; i < WORDS; i++)
		if (a->words[i] & b->words[i])
			return true;
	return false;
}

void processor_set_join(struct processor_set *set,
			const struct processor_set *other)
{
	for (size_t i = 0; i < WORDS; i++)
		set->words[i] |= other->words[i];
}

void processor_set_common(struct processor_set *set,
			  const struct processor_set *other)
{
	for (size_t i = 0; i < WORDS; i++)
		set->words[i] &= other->words[i];
}

void processor_set_remove(struct processor_set *set,
			  const struct processor_set *other)
{
	for (size_t i = 0; i < WORDS; i++)
		set->words[i] &= ~other->words[i];
}

const char *processor_set_text(const struct processor_set *set,
			       char text[PROCESSOR_SET_TEXT_MAX])
{
	int first = processor_set_next(set, 0);
	size_t n = 0;

	text[0] = '\0';
	while (first != NO_PROCESSOR) {
		unsigned last = (unsigned)first;

		while (processor_set_has(set, last + 1))
			last++;
		n += (size_t)snprintf(text + n, PROCESSOR_SET_TEXT_MAX - n,
				      "%s%d", n ? "," : "", first);
		if (last > (unsigned)first)
			n += (size_t)snprintf(text + n,
					      PROCESSOR_SET_TEXT_MAX - n, "-%u",
					      last);
		first = processor_set_next(set, last + 1);
	}
	return text;
}

static bool take_number(const char **at, unsigned *number)
{
	const char *from = *at;

	*number = 0;
	for (; **at >= '0' && **at <= '9' && *number < PROCESSORS_MAX; ++*at)
		*number = *number * 10 + (unsigned)(**at - '0');
	return *at > from && *number < PROCESSORS_MAX;
}

static bool take_range(struct processor_set *out, const char **at)
{
	unsigned first, last;

	if (!take_number(at, &first))
		return false;
	last = first;
	if (**at == '-') {
		++*at;
		if (!take_number(at, &last) || last < first)
			return false;
	}
	for (; first <= last; first++)
		processor_set_add(out, first);
	return true;
}

bool processor_set_parse(struct processor_set *out, const char *text)
{
	*out = (struct processor_set){0};
	if (!*text)
		return true;
	while (take_range(out, &text)) {
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
	return false;
}
