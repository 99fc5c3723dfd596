/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SLOT_MAP_H
#define CLI_VIEWS_SLOT_MAP_H

/*
 * Which slots a job has in a drawing
 *
 * The simulator counts slots and does not number them, so the drawing does: a
 * job keeps the slots that it has when it grows or shrinks, grows into those
 * beside its own if they are free, and is in one piece where it can be.
 */

#include <stddef.h>

struct slot_range {
	unsigned from, n;
};

/* Of a job: zero-initialised at first. */
struct slot_ranges {
	struct slot_range *at; /* in order, with a gap between two */
	size_t n, room;
};

struct slot_map {
	struct slot_ranges free; /* no job has these */
};

/* 0 or -ENOMEM. */
int slot_map_init(struct slot_map *map, unsigned slots);
void slot_map_fini(struct slot_map *map);

/* The job, whose ranges these are, has so many slots from now on; it takes no
 * more than there are.  0 or -ENOMEM. */
int slot_map_resize(struct slot_map *map, struct slot_ranges *job,
		    unsigned slots);

void slot_ranges_fini(struct slot_ranges *ranges);

#endif
