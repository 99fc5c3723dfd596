/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which key was meant
 */

#include "jobfile/schema.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 32 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Edits that lead from one name to the other: Wagner and Fischer, 1974. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[NAME_MAX_LENGTH + 1];
	size_t n = strlen(b);

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (; *a; a++) {
		unsigned corner = row[0]++;

		for (size_t j = 1; j <= n; j++) {
			unsigned above = row[j];

			row[j] = least(row[j - 1] + 1, above + 1,
				       corner + (*a != b[j - 1]));
			corner = above;
		}
	}
	return row[n];
}

/* The name of the key, or of the section it is in, right within section; false
 * if it is the one of the key before. */
static bool member(const char *section, size_t i, char name[NAME_MAX_LENGTH])
{
	size_t skip = strlen(section), n;
	const char *path = schema_keys[i].path + skip;

	if (!schema_is_within(&schema_keys[i], section))
		return false;
	n = strcspn(path, ".");
	snprintf(name, NAME_MAX_LENGTH, "%.*s", (int)n, path);
	return i == 0 || path[n] != '.' ||
	       strncmp(schema_keys[i - 1].path, schema_keys[i].path,
		       skip + n + 1) != 0;
}

const char *schema_members(const char *section, char *text, size_t n)
{
	char name[NAME_MAX_LENGTH];

	text[0] = '\0';
	for (size_t i = 0; i < SCHEMA_KEYS; i++)
		if (member(section, i, name))
			text_list_add(text, n, name);
	return text;
}

static bool find_similar(const char *section, const char *wrong, char *text,
			 size_t n)
{
	unsigned best = (unsigned)(strlen(wrong) + 2) / 3 + 1;
	char name[NAME_MAX_LENGTH];
	bool found = false;

	for (size_t i = 0; i < SCHEMA_KEYS; i++) {
		unsigned far;

		if (!member(section, i, name))
			continue;
		far = distance(wrong, name);
		if (far < best) {
			best = far;
			found = true;
			snprintf(text, n, "%s", name);
		}
	}
	return found;
}

/* By its last word; at most one edit away, for the sections differ already. */
static bool find_elsewhere(const char *wrong, char *text, size_t n)
{
	unsigned best = 2;

	for (size_t i = 0; i < SCHEMA_KEYS; i++) {
		const char *path = schema_keys[i].path;
		const char *dot = strrchr(path, '.');
		unsigned far = distance(wrong, dot ? dot + 1 : path);

		if (far < best) {
			best = far;
			snprintf(text, n, "%s", path);
		}
	}
	return best < 2;
}

const char *schema_guess(const char *section, const char *name, char *text,
			 size_t n)
{
	if (strlen(name) >= NAME_MAX_LENGTH)
		return NULL;
	return find_similar(section, name, text, n) ||
			       find_elsewhere(name, text, n)
		       ? text
		       : NULL;
}
