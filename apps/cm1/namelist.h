/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_CM1_NAMELIST_H
#define APPS_CM1_NAMELIST_H

/*
 * Fortran namelists, read and edited as text
 *
 *     &param2                       a group: & or $, its name, assignments, and
 *       irst = 0, rstnum = 1,       / or &end or $end; text between groups says
 *       msg  = 'don''t / stop',     nothing.  ! begins a comment, a string may
 *       lev  = 3*0.0, 1.5  ! top    hold anything.  A value is a list: from its
 *     /                             first item to its last one.
 *
 * As the language has it (Fortran 2008, 10.11), names know no case, and of a
 * key that is assigned twice the last value counts; as programs read it, of
 * groups with the same name the first one does.  An edit changes the bytes of
 * the values asked for and keeps every other one.
 *
 * Pure: text in, text out.  The text may be anything; it needs no NUL.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Borrowed; path is for sentences: "path:line: ..." */
struct namelist {
	const char *path;
	const char *text;
	size_t size;
};

/* Bytes of the text. */
struct namelist_span {
	size_t at, size;
};

enum namelist_kind {
	NAMELIST_GROUP, /* name */
	NAMELIST_VALUE, /* an assignment: name, value and the rest */
	NAMELIST_END,   /* of a group; name is / or &end */
	NAMELIST_OVER,  /* of the text */
};

struct namelist_item {
	enum namelist_kind kind;
	unsigned line;             /* of name, from 1 */
	struct namelist_span name; /* without & and qualifiers */
	bool qualified;            /* name(2) or name%part */
	size_t equals;
	struct namelist_span value; /* empty, right behind =, if it has none */
	size_t comma;               /* first one behind the value; 0: none */
};

/* Reads on; the first time with a scan that is zero but for list. */
struct namelist_scan {
	const struct namelist *list;
	size_t at;
	unsigned line;
	bool within; /* a group */
	unsigned group_line;
	struct namelist_span group;
};

/* The next item: 0, or -EINVAL if the text is none; an item OVER ends it. */
int namelist_next(struct namelist_scan *scan, struct namelist_item *item,
		  struct error *err);

/* Whether that is the name, in any case. */
bool namelist_is(const struct namelist *list, struct namelist_span span,
		 const char *name);

/* A key to look for, and its assignment if it is found. */
struct namelist_wanted {
	const char *group, *key;
	bool found;
	struct namelist_item item;
	bool within, seen; /* the search: in the group, and that it was there */
};

/* Looks for n keys at once, of which only group and key are set: 0, or -EINVAL
 * if the text is none. */
int namelist_find(const struct namelist *list, struct namelist_wanted *wanted,
		  size_t n, struct error *err);

/* The value of an assignment as a number, with any of Fortran's exponents;
 * -EINVAL if it is another one. */
int namelist_number(const struct namelist *list,
		    const struct namelist_item *item, double *out,
		    struct error *err);

/* The same as a logical: 1 for .true., 0 for .false. */
int namelist_switch(const struct namelist *list,
		    const struct namelist_item *item, double *out,
		    struct error *err);

/* The text with another value for key; where there is no such key, it is put at
 * the end of the group in the manner of the last one.  *out is made with
 * malloc() and ends with a NUL that *size does not count.  -EINVAL if there is
 * no such group, or the text is none. */
int namelist_set(const struct namelist *list, const char *group,
		 const char *key, const char *value, char **out, size_t *size,
		 struct error *err);

#endif
