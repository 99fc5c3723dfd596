/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOBFILE_SCHEMA_H
#define JOBFILE_SCHEMA_H

/*
 * The schema: every key of a job file, in one table
 *
 * Sections are not listed; `ranks` is one because there is a `ranks.initial`.
 * `scale.schedule[].at` is a key of each member of the list scale.schedule, and
 * its place is within that member.
 */

#include "jobfile/jobfile.h"

enum key_type {
	KEY_NAME,        /* char *, of a few characters */
	KEY_APP,         /* const struct adapter * */
	KEY_TEXT,        /* char * */
	KEY_FOLDER,      /* char *, as it is written */
	KEY_TEXTS,       /* const char **, ends with NULL */
	KEY_COMMAND,     /* the same, at least one; may be written as a text */
	KEY_NUMBER,      /* unsigned */
	KEY_NUMBERS,     /* const unsigned *, ends with 0 */
	KEY_DURATION,    /* msec_t, or one of words if it has some */
	KEY_PERCENT,     /* double, 0 to 1 */
	KEY_REAL,        /* double */
	KEY_MOMENT,      /* progress and after of a struct schedule_step */
	KEY_WORD,        /* int, an enum, or bool */
	KEY_ENVIRONMENT, /* const char **, ends with NULL */
	KEY_STEPS,       /* struct schedule_step * and n_schedule */
};

struct schema_word {
	const char *text; /* NULL ends the words */
	int value;
};

struct schema_key {
	const char *path;
	enum key_type type;
	size_t at, size; /* of the member it fills */
	int64_t min, max;
	const struct schema_word *words;
	const char *fallback; /* as it would be written; NULL: none.  In
			       * parentheses: made by jobfile_parse() */
	bool required;
	const char *help;
};

enum { SCHEMA_KEYS = 63 };

extern const struct schema_key schema_keys[SCHEMA_KEYS];

/* NULL if there is no such key. */
const struct schema_key *schema_find(const char *path);

/* Whether there is a section of that name, which ends with a dot: "ranks." */
bool schema_has_section(const char *section);

/* Whether the key lies within the section, deep or not, but not in members of a
 * list within it.  The root is "". */
bool schema_is_within(const struct schema_key *key, const char *section);

/* All that follow return text, of n bytes, which they fill, or a constant. */

/* What would be right: "a number from 1 to 4096". */
const char *schema_wanted(const struct schema_key *key, char *text, size_t n);

/* A duration as people write it: "90s", "5min". */
const char *schema_duration(msec_t duration, char *text, size_t n);

/* The names right within the section: "initial, min, max". */
const char *schema_members(const char *section, char *text, size_t n);

/* What was probably meant by a name that the section does not have: a similar
 * name there, or the path of one in another section; NULL if there is none. */
const char *schema_guess(const char *section, const char *name, char *text,
			 size_t n);

#endif
