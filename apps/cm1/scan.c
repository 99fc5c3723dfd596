/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A namelist, item by item
 *
 * What follows a value is the next key if it is a name, with or without
 * qualifiers, before a =; the search for that = is bounded, and blanks are
 * looked at twice at most, so the work grows with the text and no faster.
 */

#include "apps/cm1/namelist.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

enum { QUALIFIERS_MAX = 128 };

static int peek(const struct namelist_scan *scan)
{
	return scan->at < scan->list->size
		       ? (unsigned char)scan->list->text[scan->at]
		       : -1;
}

static void step(struct namelist_scan *scan)
{
	scan->line += peek(scan) == '\n';
	scan->at++;
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' ||
	       c == '\v';
}

static bool is_letter(int c)
{
	return c > 0 && c < 128 && isalpha(c);
}

static bool is_name(int c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static void skip_line(struct namelist_scan *scan)
{
	while (peek(scan) != '\n' && peek(scan) >= 0)
		step(scan);
}

/* Over blanks and comments. */
static void skip_blanks(struct namelist_scan *scan)
{
	while (is_blank(peek(scan)) || peek(scan) == '!') {
		if (peek(scan) == '!')
			skip_line(scan);
		else
			step(scan);
	}
}

static struct namelist_span skip_name(struct namelist_scan *scan)
{
	struct namelist_span name = {.at = scan->at};

	while (is_name(peek(scan)))
		step(scan);
	name.size = scan->at - name.at;
	return name;
}

static int refuse_line(const struct namelist_scan *scan, unsigned line,
		       const char *sentence, struct error *err)
{
	return error_set(err, -EINVAL, "%s:%u: %s", scan->list->path, line,
			 sentence);
}

/* A group that the next one or the end of the text has overtaken. */
static int refuse_open(const struct namelist_scan *scan, struct error *err)
{
	int n = scan->group.size < 40 ? (int)scan->group.size : 40;

	return error_set(err, -EINVAL,
			 "%s:%u: the group &%.*s has no end; a line with / "
			 "behind its last value",
			 scan->list->path, scan->group_line, n,
			 scan->list->text + scan->group.at);
}

/* ---- keys ---- */

static bool is_subscript(int c)
{
	return c > 0 && strchr("0123456789+-:, \t", c);
}

/* Over (1:2) and %part; false if it is neither, or too long to be one. */
static bool skip_qualifiers(struct namelist_scan *scan)
{
	size_t end = scan->at + QUALIFIERS_MAX;

	while (peek(scan) == '(' || peek(scan) == '%') {
		if (peek(scan) == '%') {
			step(scan);
			if (!is_letter(peek(scan)))
				return false;
			skip_name(scan);
		} else {
			do
				step(scan);
			while (is_subscript(peek(scan)) && scan->at < end);
			if (peek(scan) != ')')
				return false;
			step(scan);
		}
		if (scan->at >= end)
			return false;
	}
	return true;
}

/* Reads "name =", or stays where it is. */
static bool take_key(struct namelist_scan *scan, struct namelist_item *item)
{
	struct namelist_scan ahead = *scan;
	struct namelist_item key = {.kind = NAMELIST_VALUE, .line = scan->line};

	if (!is_letter(peek(scan)))
		return false;
	key.name = skip_name(&ahead);
	key.qualified = peek(&ahead) == '(' || peek(&ahead) == '%';
	if (!skip_qualifiers(&ahead))
		return false;
	while (is_blank(peek(&ahead)))
		step(&ahead);
	if (peek(&ahead) != '=')
		return false;
	key.equals = ahead.at;
	step(&ahead);
	*scan = ahead;
	*item = key;
	return true;
}

/* ---- values ---- */

/* A quote within the string is doubled. */
static int skip_string(struct namelist_scan *scan, struct error *err)
{
	unsigned line = scan->line;
	int quote = peek(scan);

	do {
		step(scan);
		while (peek(scan) != quote && peek(scan) >= 0)
			step(scan);
		if (peek(scan) < 0)
			return refuse_line(
				scan, line,
				"a text begins here that has no end; the "
				"same quote behind it",
				err);
		step(scan);
	} while (peek(scan) == quote);
	return 0;
}

static bool ends_word(int c)
{
	return c < 0 || is_blank(c) || strchr(",/!'\"&$=", c);
}

static int skip_item(struct namelist_scan *scan, struct error *err)
{
	if (peek(scan) == '\'' || peek(scan) == '"')
		return skip_string(scan, err);
	while (!ends_word(peek(scan)) || peek(scan) == '\0')
		step(scan);
	return 0;
}

/* Reads the items behind a =; the scan stays before what is none. */
static int take_value(struct namelist_scan *scan, struct namelist_item *item,
		      struct error *err)
{
	struct namelist_item ignored;

	item->value = (struct namelist_span){.at = scan->at};
	for (;;) {
		struct namelist_scan before;
		int r;

		skip_blanks(scan);
		if (peek(scan) == ',') {
			if (item->comma == 0)
				item->comma = scan->at;
			step(scan);
			continue;
		}
		before = *scan;
		if (peek(scan) < 0 || strchr("/&$=", peek(scan)))
			if (peek(scan) != '\0')
				return 0;
		if (take_key(scan, &ignored)) {
			*scan = before;
			return 0;
		}
		r = skip_item(scan, err);
		if (r < 0)
			return r;
		if (item->value.size == 0)
			item->value.at = before.at;
		item->value.size = scan->at - item->value.at;
		item->comma = 0;
	}
}

/* ---- groups ---- */

/* Text between groups says nothing; one begins its line or follows another. */
static bool find_group(struct namelist_scan *scan)
{
	for (;;) {
		struct namelist_scan ahead;

		skip_blanks(scan);
		if (peek(scan) < 0)
			return false;
		ahead = *scan;
		step(&ahead);
		if ((peek(scan) == '&' || peek(scan) == '$') &&
		    is_letter(peek(&ahead)) &&
		    !namelist_is(scan->list, skip_name(&ahead), "end"))
			return true;
		skip_line(scan);
	}
}

static void begin_group(struct namelist_scan *scan, struct namelist_item *item)
{
	*item = (struct namelist_item){.kind = NAMELIST_GROUP,
				       .line = scan->line};
	step(scan);
	item->name = scan->group = skip_name(scan);
	scan->group_line = item->line;
	scan->within = true;
}

/* Reads the end of a group, or stays where it is. */
static bool end_group(struct namelist_scan *scan, struct namelist_item *item)
{
	struct namelist_scan ahead = *scan;
	struct namelist_span name;

	*item = (struct namelist_item){
		.kind = NAMELIST_END,
		.line = scan->line,
		.name = {.at = scan->at, .size = 1},
	};
	step(&ahead);
	if (peek(scan) == '&' || peek(scan) == '$') {
		name = skip_name(&ahead);
		if (!namelist_is(scan->list, name, "end"))
			return false;
		item->name.size += name.size;
	} else if (peek(scan) != '/') {
		return false;
	}
	*scan = ahead;
	scan->within = false;
	return true;
}

static int next_within(struct namelist_scan *scan, struct namelist_item *item,
		       struct error *err)
{
	do
		skip_blanks(scan);
	while (peek(scan) == ',' && (step(scan), true));
	if (peek(scan) < 0)
		return refuse_open(scan, err);
	if (end_group(scan, item))
		return 0;
	if (peek(scan) == '&' || peek(scan) == '$')
		return refuse_open(scan, err);
	if (!take_key(scan, item))
		return refuse_line(scan, scan->line,
				   "this is no assignment; key = value", err);
	return take_value(scan, item, err);
}

int namelist_next(struct namelist_scan *scan, struct namelist_item *item,
		  struct error *err)
{
	if (scan->line == 0)
		scan->line = 1;
	if (scan->within)
		return next_within(scan, item, err);
	if (find_group(scan))
		begin_group(scan, item);
	else
		*item = (struct namelist_item){.kind = NAMELIST_OVER,
					       .line = scan->line,
					       .name = {.at = scan->at}};
	return 0;
}

bool namelist_is(const struct namelist *list, struct namelist_span span,
		 const char *name)
{
	return strlen(name) == span.size &&
	       strncasecmp(list->text + span.at, name, span.size) == 0;
}
