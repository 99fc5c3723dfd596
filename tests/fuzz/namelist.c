/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a namelist: an edit changes what it is asked to, and keeps every
 * other byte and what every other assignment says
 */

#include "apps/cm1/namelist.h"
#include "base/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <string.h>

#define GROUP "param2"

static bool is_text(const struct namelist *list, struct namelist_span span,
		    const char *text)
{
	return span.size == strlen(text) &&
	       memcmp(list->text + span.at, text, span.size) == 0;
}

static bool is_same(const struct namelist *a, struct namelist_span at,
		    const struct namelist *b, struct namelist_span bt)
{
	return at.size == bt.size &&
	       memcmp(a->text + at.at, b->text + bt.at, at.size) == 0;
}

/* All bytes of old are in new, around what was put in, but for a value. */
static void bytes_are_kept(const struct namelist *old,
			   const struct namelist *new,
			   struct namelist_span value)
{
	size_t front = 0, back = 0, kept = old->size - value.size;

	if (value.size > 0)
		HOLD(new->size >= kept);
	while (front < old->size && front < new->size &&
	       old->text[front] == new->text[front])
		front++;
	while (back < old->size && back < new->size &&
	       old->text[old->size - 1 - back] ==
		       new->text[new->size - 1 - back])
		back++;
	HOLD(front + back >= kept);
	if (value.size == 0)
		return;
	HOLD(front >= value.at);
	HOLD(back >= old->size - value.at - value.size);
}

/* Item by item; the one that was edited or put in is at new_at. */
static void items_are_kept(const struct namelist *old,
			   const struct namelist *new, bool had, size_t new_at)
{
	struct namelist_scan a = {.list = old}, b = {.list = new};
	struct namelist_item x, y;

	do {
		HOLD(namelist_next(&b, &y, NULL) == 0);
		if (y.kind == NAMELIST_VALUE && y.name.at == new_at && !had)
			HOLD(namelist_next(&b, &y, NULL) == 0);
		HOLD(namelist_next(&a, &x, NULL) == 0);
		HOLD(x.kind == y.kind);
		HOLD(x.kind == NAMELIST_OVER ||
		     is_same(old, x.name, new, y.name));
		if (x.kind == NAMELIST_VALUE && (y.name.at != new_at || !had))
			HOLD(is_same(old, x.value, new, y.value));
	} while (x.kind != NAMELIST_OVER);
}

static void edit(const struct namelist *old, const char *key, const char *value)
{
	CLEANUP(free) char *text = NULL, *again = NULL;
	struct namelist_wanted before = {.group = GROUP, .key = key};
	struct namelist_wanted after = before;
	struct namelist new = {.path = old->path};
	struct error err;
	size_t size;
	int r = namelist_find(old, &before, 1, &err);

	if (namelist_set(old, GROUP, key, value, &text, &new.size, &err) < 0) {
		HOLD(r < 0 || !before.found);
		HOLD(strncmp(err.text, "fuzz:", 5) == 0);
		return;
	}
	HOLD(r == 0);
	new.text = text;
	HOLD(namelist_find(&new, &after, 1, NULL) == 0 && after.found);
	HOLD(is_text(&new, after.item.value, value));
	bytes_are_kept(old, &new, before.item.value);
	items_are_kept(old, &new, before.found, after.item.name.at);
	HOLD(namelist_set(&new, GROUP, key, value, &again, &size, NULL) == 0);
	HOLD(size == new.size &&memcmp(text, again, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *copy = fuzz_copy(data, size);
	struct namelist list = {.path = "fuzz", .text = copy, .size = size};
	struct namelist_wanted rstfrq = {.group = "param1", .key = "rstfrq"};
	double number;

	if (namelist_find(&list, &rstfrq, 1, NULL) == 0 && rstfrq.found)
		namelist_number(&list, &rstfrq.item, &number, NULL);
	edit(&list, "irst", "1");
	edit(&list, "rstnum", "123");
	return 0;
}
