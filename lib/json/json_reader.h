/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_JSON_READER_H
#define JSON_JSON_READER_H

/*
 * From objects of JSON to structs, each by a table of its keys
 *
 * A key that is not in the table, one that stands twice, and a value of another
 * kind or out of its range are refused with "PATH:LINE: what is wrong".
 */

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct json_reader {
	const char *path, *text;
	size_t size;
	const cJSON *root;
	struct error *err;
};

enum json_kind {
	JSON_NAME,    /* char[64]: letters, digits, '_', '-' and '.' */
	JSON_TEXT,    /* const char *, of the tree; not empty */
	JSON_COUNT,   /* unsigned */
	JSON_INTEGER, /* int */
	JSON_NUMBER,  /* double */
	JSON_SECONDS, /* usec_t */
	JSON_ITEM,    /* const cJSON *, whatever it is */
};

struct json_key {
	const char *name;
	enum json_kind kind;
	size_t at; /* of the member */
	double min, max;
	bool required;
};

/* Reads the members that the object has; -EINVAL with a sentence. */
int json_read_object(const struct json_reader *reader, const cJSON *item,
		     const struct json_key *keys, size_t n, void *base);

/* what: "seconds", for the sentence. */
int json_read_number(const struct json_reader *reader, const cJSON *item,
		     const char *what, double min, double max, double *out);

/* The same, of a number without fraction. */
int json_read_whole(const struct json_reader *reader, const cJSON *item,
		    const char *what, double min, double max, double *out);

/* An array of min to max members, whose number goes to *n. */
int json_check_array(const struct json_reader *reader, const cJSON *item,
		     const char *what, size_t min, size_t max, size_t *n);

/* An array of min to max texts, none of them empty: *out ends with NULL, and
 * one free() frees all.  -ENOMEM. */
int json_read_texts(const struct json_reader *reader, const cJSON *item,
		    const char *what, size_t min, size_t max, char ***out);

/* -EINVAL with the sentence, which begins with the item's place. */
int json_refuse(const struct json_reader *reader, const cJSON *item,
		const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
