/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Looking up and editing
 *
 * A key that is missing is put behind the last assignment of its group.  If
 * that one has a line to itself, so has the new one, with the same indentation,
 * the same place of the =, the same comma and the same end of line; or else it
 * follows on the same line.
 */

#include "apps/cm1/namelist.h"
#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { NUMBER_MAX = 64, COLUMN_MAX = 64 };

/* A group, as far as an edit has to know it. */
struct edit_target {
	bool found, has_key, has_last;
	struct namelist_item group, key, last, end;
};

static void note_value(struct edit_target *target, const struct namelist *list,
		       const struct namelist_item *item, const char *key)
{
	target->last = *item;
	target->has_last = true;
	if (item->qualified || !namelist_is(list, item->name, key))
		return;
	target->key = *item;
	target->has_key = true;
}

/* The first group of that name; the whole text has to be one. */
static int find_place(struct edit_target *target, const struct namelist *list,
		      const char *group, const char *key, struct error *err)
{
	struct namelist_scan scan = {.list = list};
	struct namelist_item item;
	bool within = false;
	int r;

	*target = (struct edit_target){0};
	for (;;) {
		r = namelist_next(&scan, &item, err);
		if (r < 0)
			return r;
		switch (item.kind) {
		case NAMELIST_OVER:
			target->end = target->found ? target->end : item;
			return 0;
		case NAMELIST_GROUP:
			within = !target->found &&
				 namelist_is(list, item.name, group);
			if (within)
				target->group = item;
			target->found |= within;
			break;
		case NAMELIST_VALUE:
			if (within)
				note_value(target, list, &item, key);
			break;
		case NAMELIST_END:
			if (within)
				target->end = item;
			within = false;
			break;
		}
	}
}

/* ---- values ---- */

static void note_wanted(struct namelist_wanted *wanted,
			const struct namelist *list,
			const struct namelist_item *item)
{
	switch (item->kind) {
	case NAMELIST_GROUP:
		wanted->within = !wanted->seen &&
				 namelist_is(list, item->name, wanted->group);
		wanted->seen |= wanted->within;
		return;
	case NAMELIST_VALUE:
		if (!wanted->within || item->qualified ||
		    !namelist_is(list, item->name, wanted->key))
			return;
		wanted->item = *item;
		wanted->found = true;
		return;
	case NAMELIST_END:
	case NAMELIST_OVER:
		wanted->within = false;
		return;
	}
}

int namelist_find(const struct namelist *list, struct namelist_wanted *wanted,
		  size_t n, struct error *err)
{
	struct namelist_scan scan = {.list = list};
	struct namelist_item item;

	do {
		int r = namelist_next(&scan, &item, err);

		if (r < 0)
			return r;
		for (size_t i = 0; i < n; i++)
			note_wanted(&wanted[i], list, &item);
	} while (item.kind != NAMELIST_OVER);
	return 0;
}

static bool parse_number(const char *text, size_t size, double *out)
{
	char copy[NUMBER_MAX], *end;

	if (size == 0 || size >= sizeof(copy))
		return false;
	for (size_t i = 0; i < size; i++) {
		copy[i] = text[i] == 'd' || text[i] == 'D' ? 'e' : text[i];
		if (!strchr("+-.0123456789eE", copy[i]) || copy[i] == '\0')
			return false;
	}
	copy[size] = '\0';
	*out = strtod(copy, &end);
	return *end == '\0' && isfinite(*out);
}

static int refuse_value(const struct namelist *list,
			const struct namelist_item *item, const char *right,
			struct error *err)
{
	int n = item->value.size < 40 ? (int)item->value.size : 40;

	return error_set(err, -EINVAL, "%s:%u: %.*s is '%.*s'; %s", list->path,
			 item->line, (int)item->name.size,
			 list->text + item->name.at, n,
			 list->text + item->value.at, right);
}

int namelist_number(const struct namelist *list,
		    const struct namelist_item *item, double *out,
		    struct error *err)
{
	if (parse_number(list->text + item->value.at, item->value.size, out))
		return 0;
	return refuse_value(list, item, "one number", err);
}

/* .true., T, .f. and so on: the first letter tells. */
int namelist_switch(const struct namelist *list,
		    const struct namelist_item *item, double *out,
		    struct error *err)
{
	const char *text = list->text + item->value.at;
	size_t dot = item->value.size > 1 && text[0] == '.';
	char letter = item->value.size > 0 ? text[dot] : '\0';

	if (!letter || !strchr("tTfF", letter))
		return refuse_value(list, item, ".true. or .false.", err);
	*out = letter == 't' || letter == 'T';
	return 0;
}

/* ---- edits ---- */

/* Puts what is written into the text instead of size bytes at a place. */
static int splice(const struct namelist *list, struct namelist_span span,
		  const char *text, char **out, size_t *size, struct error *err)
{
	size_t n = strlen(text), after = span.at + span.size;
	char *whole = malloc(list->size - span.size + n + 1);

	if (!whole)
		return error_set(err, -ENOMEM, "out of memory");
	memcpy(whole, list->text, span.at);
	memcpy(whole + span.at, text, n);
	memcpy(whole + span.at + n, list->text + after, list->size - after);
	*size = list->size - span.size + n;
	whole[*size] = '\0';
	*out = whole;
	return 0;
}

static bool is_gap(char c)
{
	return c == ' ' || c == '\t';
}

static size_t line_begin(const struct namelist *list, size_t at)
{
	while (at > 0 && list->text[at - 1] != '\n')
		at--;
	return at;
}

/* Behind the end of the line; the text's own if it has none. */
static size_t line_end(const struct namelist *list, size_t at)
{
	while (at < list->size && list->text[at] != '\n')
		at++;
	return at < list->size ? at + 1 : at;
}

static bool is_gap_all(const struct namelist *list, size_t from, size_t to)
{
	while (from < to && is_gap(list->text[from]))
		from++;
	return from == to;
}

static size_t value_end(const struct namelist_item *item)
{
	return item->value.at + item->value.size;
}

/* Prints "key = value" with the = where the other one has it. */
static void print_like(FILE *to, const struct namelist *list,
		       const struct namelist_item *like, const char *key,
		       const char *value)
{
	size_t after = like->name.at + like->name.size;
	size_t column = like->equals - like->name.at, n = strlen(key);
	size_t behind = like->equals + 1, gap = like->value.at - behind;

	if (like->qualified || column > COLUMN_MAX || gap > COLUMN_MAX ||
	    !is_gap_all(list, after, like->equals) ||
	    !is_gap_all(list, behind, like->value.at)) {
		fprintf(to, "%s = %s", key, value);
		return;
	}
	fputs(key, to);
	if (memchr(list->text + after, '\t', like->equals - after))
		fprintf(to, "%.*s", (int)(like->equals - after),
			list->text + after);
	else if (after < like->equals)
		fprintf(to, "%*s", n < column ? (int)(column - n) : 1, "");
	fprintf(to, "=%.*s%s", (int)gap, list->text + behind, value);
}

/* An assignment on a line of its own, as the last one has it. */
static size_t print_line(FILE *to, const struct namelist *list,
			 const struct namelist_item *last, const char *key,
			 const char *value)
{
	size_t begin = line_begin(list, last->name.at);
	size_t end = line_end(list, value_end(last));

	fwrite(list->text + begin, 1, last->name.at - begin, to);
	print_like(to, list, last, key, value);
	if (last->comma != 0 && last->comma < end)
		fputc(',', to);
	fputs(end >= 2 && list->text[end - 2] == '\r' ? "\r\n" : "\n", to);
	return end;
}

static size_t print_behind(FILE *to, const struct namelist *list,
			   const struct namelist_item *last, const char *key,
			   const char *value)
{
	bool comma = last->comma != 0;

	fputs(comma ? " " : ", ", to);
	print_like(to, list, last, key, value);
	if (comma)
		fputc(',', to);
	return comma ? last->comma + 1 : value_end(last);
}

/* Into a group without assignments. */
static size_t print_first(FILE *to, const struct namelist *list,
			  const struct edit_target *target, const char *key,
			  const char *value)
{
	size_t after = target->group.name.at + target->group.name.size;
	size_t end = line_end(list, after);

	if (end > target->end.name.at) {
		fprintf(to, " %s = %s ", key, value);
		return after;
	}
	fprintf(to, "  %s = %s,%s", key, value,
		list->text[end - 2] == '\r' ? "\r\n" : "\n");
	return end;
}

/* What to put in, and where: behind the last assignment. */
static size_t print_missing(FILE *to, const struct namelist *list,
			    const struct edit_target *target, const char *key,
			    const char *value)
{
	const struct namelist_item *last = &target->last;

	if (!target->has_last)
		return print_first(to, list, target, key, value);
	if (is_gap_all(list, line_begin(list, last->name.at), last->name.at) &&
	    line_end(list, value_end(last)) <= target->end.name.at)
		return print_line(to, list, last, key, value);
	return print_behind(to, list, last, key, value);
}

/* What comes behind it may have touched the old value: a key behind a quote, or
 * behind a = without a value. */
static void print_value(FILE *to, const struct namelist *list,
			const struct namelist_item *item, const char *value)
{
	size_t end = value_end(item);

	fprintf(to, "%s%s", item->value.size == 0 ? " " : "", value);
	if (end < list->size &&
	    !memchr(" \t\r\n\f\v,/!&$", list->text[end], 11))
		fputc(' ', to);
}

int namelist_set(const struct namelist *list, const char *group,
		 const char *key, const char *value, char **out, size_t *size,
		 struct error *err)
{
	CLEANUP(free) char *text = NULL;
	struct namelist_span span = {0};
	struct edit_target target;
	size_t n;
	FILE *to;
	int r = find_place(&target, list, group, key, err);

	if (r < 0)
		return r;
	if (!target.found)
		return error_set(err, -EINVAL,
				 "%s:%u: the text ends without a group &%s; "
				 "the lines '&%s' and '/'",
				 list->path, target.end.line, group, group);
	to = open_memstream(&text, &n);
	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	if (target.has_key) {
		span = target.key.value;
		print_value(to, list, &target.key, value);
	} else {
		span.at = print_missing(to, list, &target, key, value);
	}
	if (fclose(to) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	return splice(list, span, text, out, size, err);
}
