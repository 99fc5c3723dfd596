/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/slot_map.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void slot_ranges_fini(struct slot_ranges *ranges)
{
	free(ranges->at);
	*ranges = (struct slot_ranges){.at = NULL};
}

static unsigned count(const struct slot_ranges *ranges)
{
	unsigned slots = 0;

	for (size_t i = 0; i < ranges->n; i++)
		slots += ranges->at[i].n;
	return slots;
}

static void remove_at(struct slot_ranges *ranges, size_t i)
{
	ranges->n--;
	memmove(&ranges->at[i], &ranges->at[i + 1],
		(ranges->n - i) * sizeof(*ranges->at));
}

/* Where the first range behind the slot is, by halving. */
static size_t find_behind(const struct slot_ranges *ranges, unsigned slot)
{
	size_t low = 0, high = ranges->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ranges->at[middle].from > slot)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Adds slots that are not in the list, and joins what touches. */
static int add(struct slot_ranges *ranges, struct slot_range range)
{
	size_t i = find_behind(ranges, range.from);
	int r = ARRAY_RESERVE(ranges->at, ranges->n, ranges->room);

	if (r < 0)
		return r;
	memmove(&ranges->at[i + 1], &ranges->at[i],
		(ranges->n - i) * sizeof(*ranges->at));
	ranges->at[i] = range;
	ranges->n++;
	if (i + 1 < ranges->n &&
	    range.from + range.n == ranges->at[i + 1].from) {
		ranges->at[i].n += ranges->at[i + 1].n;
		remove_at(ranges, i + 1);
	}
	if (i > 0 &&
	    ranges->at[i - 1].from + ranges->at[i - 1].n == range.from) {
		ranges->at[i - 1].n += ranges->at[i].n;
		remove_at(ranges, i);
	}
	return 0;
}

/* Moves the first slots of a free range to the job. */
static int take(struct slot_map *map, struct slot_ranges *job, size_t i,
		unsigned n)
{
	struct slot_range *from = &map->free.at[i];
	const struct slot_range taken = {from->from, n};

	from->from += n;
	from->n -= n;
	if (from->n == 0)
		remove_at(&map->free, i);
	return add(job, taken);
}

/* The free range behind one of the job's own; else the smallest one that is
 * large enough; else the largest. */
static size_t choose(const struct slot_map *map, const struct slot_ranges *job,
		     unsigned n)
{
	const struct slot_range *free = map->free.at;
	size_t best = 0;

	for (size_t i = 0; i < job->n; i++) {
		unsigned end = job->at[i].from + job->at[i].n;
		size_t at = find_behind(&map->free, end);

		if (at > 0 && free[at - 1].from == end)
			return at - 1;
	}
	for (size_t i = 1; i < map->free.n; i++)
		if (free[best].n < n
			    ? free[i].n > free[best].n
			    : free[i].n >= n && free[i].n < free[best].n)
			best = i;
	return best;
}

static int grow(struct slot_map *map, struct slot_ranges *job, unsigned n)
{
	int r = 0;

	while (r == 0 && n > 0 && map->free.n > 0) {
		size_t i = choose(map, job, n);
		unsigned part = map->free.at[i].n < n ? map->free.at[i].n : n;

		r = take(map, job, i, part);
		n -= part;
	}
	return r;
}

/* From the last slots on. */
static int shrink(struct slot_map *map, struct slot_ranges *job, unsigned n)
{
	int r = 0;

	while (r == 0 && n > 0) {
		struct slot_range *last = &job->at[job->n - 1];
		unsigned part = last->n < n ? last->n : n;

		last->n -= part;
		r = add(&map->free,
			(struct slot_range){last->from + last->n, part});
		if (last->n == 0)
			job->n--;
		n -= part;
	}
	return r;
}

int slot_map_init(struct slot_map *map, unsigned slots)
{
	*map = (struct slot_map){.free = {.n = 0}};
	return add(&map->free, (struct slot_range){0, slots});
}

void slot_map_fini(struct slot_map *map)
{
	slot_ranges_fini(&map->free);
}

int slot_map_resize(struct slot_map *map, struct slot_ranges *job,
		    unsigned slots)
{
	unsigned has = count(job);

	return slots > has ? grow(map, job, slots - has)
			   : shrink(map, job, has - slots);
}
