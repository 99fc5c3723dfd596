/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_PROCESSOR_SET_H
#define CORE_PROCESSOR_SET_H

/*
 * A set of processors of one machine, by the numbers that its kernel gives them
 *
 * The bound is that of glibc's cpu_set_t.  As a text it is a list as the kernel
 * writes it: "0-17,36-53".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROCESSORS_MAX = 1024, /* numbers are below it */
	PROCESSOR_SET_TEXT_MAX = 4096,
	NO_PROCESSOR = -1
};

struct processor_set {
	uint64_t words[PROCESSORS_MAX / 64];
};

/* number: below PROCESSORS_MAX. */
void processor_set_add(struct processor_set *set, unsigned number);
bool processor_set_has(const struct processor_set *set, unsigned number);

/* The lowest one that is at least from, or NO_PROCESSOR. */
int processor_set_next(const struct processor_set *set, unsigned from);

unsigned processor_set_count(const struct processor_set *set);
bool processor_set_is_empty(const struct processor_set *set);
bool processor_set_equals(const struct processor_set *a,
			  const struct processor_set *b);
bool processor_set_overlaps(const struct processor_set *a,
			    const struct processor_set *b);
void processor_set_join(struct processor_set *set,
			const struct processor_set *other);
void processor_set_common(struct processor_set *set,
			  const struct processor_set *other);
void processor_set_remove(struct processor_set *set,
			  const struct processor_set *other);

/* Returns text: the whole list fits, and "" is the empty one. */
const char *processor_set_text(const struct processor_set *set,
			       char text[PROCESSOR_SET_TEXT_MAX]);

/* False: the text is no list, or has a number that is too large.  "" is the
 * empty set. */
bool processor_set_parse(struct processor_set *out, const char *text);

#endif
