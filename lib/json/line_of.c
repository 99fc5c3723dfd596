/* SPDX-License-Identifier: Apache-2.0 */
#include "json/line_of.h"

#include <stdbool.h>
#include <string.h>

unsigned line_of_byte(const char *text, size_t at)
{
	unsigned line = 1;

	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

/* Counts the items that begin up to `item`; true: it is among them. */
static bool count_to(const cJSON *at, const cJSON *item, size_t *n)
{
	(*n)++;
	if (at == item)
		return true;
	for (const cJSON *child = at->child; child; child = child->next)
		if (count_to(child, item, n))
			return true;
	return false;
}

static size_t skip_string(const char *text, size_t size, size_t at)
{
	for (at++; at < size && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at + 1;
}

/* To cJSON all control characters are blanks. */
static bool is_blank(char c)
{
	return (unsigned char)c <= ' ';
}

static bool is_mark(char c)
{
	return c == ',' || c == ':' || c == ']' || c == '}';
}

static size_t skip_blanks(const char *text, size_t size, size_t at)
{
	while (at < size && is_blank(text[at]))
		at++;
	return at;
}

unsigned line_of_item(const char *text, size_t size, const cJSON *root,
		      const cJSON *item)
{
	size_t wanted = 0, seen = 0, at = 0;

	if (!count_to(root, item, &wanted))
		return 1;
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	while (at < size) {
		size_t begin = at;

		if (text[at] == '"') {
			at = skip_blanks(text, size,
					 skip_string(text, size, at));
			if (at < size && text[at] == ':')
				continue; /* it is a key */
		} else if (text[at] == '{' || text[at] == '[') {
			at++;
		} else if (is_blank(text[at]) || is_mark(text[at])) {
			at++;
			continue;
		} else {
			while (at < size && !is_blank(text[at]) &&
			       !is_mark(text[at]))
				at++;
		}
		if (++seen == wanted)
			return line_of_byte(text, begin);
	}
	return 1;
}
