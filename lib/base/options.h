/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

/*
 * The options of a command line as a table: reading them, and their help
 *
 *     --name VALUE, --name=VALUE, or --name for a switch
 *
 * Each row says which member of a struct an option fills.  Sentences name the
 * option and what would be right.
 */

#include "base/error.h"
#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum option_kind {
	OPTION_SWITCH,   /* bool */
	OPTION_TEXT,     /* const char *, borrowed from argv */
	OPTION_NUMBER,   /* unsigned, from min to max; max 0: from 1 on */
	OPTION_SECONDS,  /* msec_t, a number of seconds from min to max */
	OPTION_DURATION, /* msec_t, "30s": 1 ms to a year */
	OPTION_LIST,     /* struct option_list: may be repeated */
	OPTION_OTHER,    /* what read() makes of it */
};

enum { OPTION_SECONDS_MAX = 86400 }; /* a day */

struct option_list {
	const char **at; /* borrowed from argv; the array is to be freed */
	size_t n;
};

struct option_row {
	const char *name;  /* without the hyphens */
	const char *value; /* as help shows it; NULL: a switch */
	enum option_kind kind;
	size_t offset; /* of the member */
	unsigned set;  /* bits of the program's own */
	const char *help;
	unsigned min, max;
	int (*read)(void *member, const char *text, struct error *err);
};

/* The rows of a program whose struct has the members verbose, help, version. */
/* clang-format off */
#define OPTION_ROWS_OF_ALL(type)                                               \
	{ "verbose", NULL, OPTION_SWITCH, offsetof(type, verbose), 0,          \
	  .help = "log more" },                                                \
	{ "help", NULL, OPTION_SWITCH, offsetof(type, help), 0,                \
	  .help = "print this" },                                              \
	{ "version", NULL, OPTION_SWITCH, offsetof(type, version), 0,          \
	  .help = "print the version" }
/* clang-format on */

struct options {
	const struct option_row *rows;
	size_t n;
	unsigned set;       /* rows with a bit of it; 0: all rows */
	const char *advice; /* where the options are listed, for a sentence */
};

/* Reads the option at argv[0] into the struct at base.  Returns how many words
 * it took, or -EINVAL with a sentence; -ENOMEM.  *row: the row, or NULL. */
int options_read_one(const struct options *options, void *base, int argc,
		     const char *const *argv, const struct option_row **row,
		     struct error *err);

/* Reads argv[1] to argv[argc - 1], which are options and nothing else.  0,
 * -EINVAL or -ENOMEM. */
int options_read(const struct options *options, void *base, int argc,
		 char *const *argv, struct error *err);

/* Two columns, the left one of that width. */
void options_print(FILE *to, const struct options *options, unsigned width);

/* Appends a word; -ENOMEM. */
int option_list_add(struct option_list *list, const char *word);

/* A number without a sign, at most a million. */
int number_read(unsigned *out, const char *text);

#endif
