/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SHARE_TABLES_H
#define TESTS_UNIT_SHARE_TABLES_H

/*
 * Tables of seconds for tests of core/share
 */

#include "core/share.h"
#include "tests/check.h"

#include <stdint.h>

enum { TABLE_STEPS = 40, TABLE_TASKS = 8, TABLE_LEVELS = 12 };

struct share_numbers {
	double seconds[TABLE_STEPS][TABLE_TASKS][TABLE_LEVELS];
};

/* From 0 to 1, by Knuth's generator. */
UNUSED static double drawn(uint32_t *lot)
{
	*lot = *lot * 1664525 + 1013904223;
	return (*lot >> 8) / (double)(1 << 24);
}

/* Work that is divided by one share and one for each level. */
UNUSED static void put_work(struct share_numbers *numbers, unsigned step,
			    unsigned task, double work)
{
	for (unsigned level = 0; level < TABLE_LEVELS; level++)
		numbers->seconds[step][task][level] = work / (1 + level);
}

UNUSED static struct share_table table_of(const struct share_numbers *numbers,
					  unsigned steps)
{
	return (struct share_table){steps, TABLE_TASKS, TABLE_LEVELS,
				    &numbers->seconds[0][0][0]};
}

#endif
