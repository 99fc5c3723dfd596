/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/record.h"

#include "base/cleanup.h"
#include "base/list.h"
#include "journal/journal_line.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* The largest whole number that a number of JSON holds exactly. */
#define WHOLE_MAX 9007199254740992.0

enum field_kind { TEXT, WHOLE, REAL, FLAG };

/* A member of a struct: text of `size` bytes; a whole number of 4 or 8. */
struct field {
	const char *name;
	enum field_kind kind;
	size_t at, size;
};

#define F(type, kind, name, member)                                            \
	{                                                                      \
		name, kind, offsetof(type, member),                            \
			sizeof(((type *)NULL)->member)                         \
	}
#define R(kind, name, member) F(struct record, kind, name, member)
#define D(kind, name, member) F(struct decision, kind, name, member)

/* clang-format off */
static const struct field of_record[] = {
	R(WHOLE, "job", number), R(TEXT, "name", name), R(TEXT, "user", user),
	R(TEXT, "path", path), R(TEXT, "folder", folder),
	R(TEXT, "request", request), R(TEXT, "run", run),
	R(TEXT, "namespace", namespace),
	R(TEXT, "why", why),
	R(WHOLE, "priority", priority), R(WHOLE, "min", min),
	R(WHOLE, "each", each),
	R(WHOLE, "max", max), R(WHOLE, "length", length),
	R(WHOLE, "submitted", submitted), R(WHOLE, "started", started),
	R(WHOLE, "ended", ended), R(WHOLE, "changed", changed),
	R(WHOLE, "waited", waited), R(WHOLE, "want", want),
	R(WHOLE, "told", told), R(FLAG, "finished", finished),
	R(WHOLE, "furthest", furthest),
	R(WHOLE, "rescales", rescales), R(WHOLE, "parks", parks),
	R(WHOLE, "decisions", decisions),
	R(FLAG, "held", life.held), R(FLAG, "cancelled", life.cancelled),
	R(WHOLE, "grant", life.grant), R(FLAG, "runs", life.runs),
	R(FLAG, "began", life.began), R(WHOLE, "futile", life.futile),
	R(FLAG, "over", life.over), R(WHOLE, "end", life.end),
	R(WHOLE, "code", life.code),
};

static const struct field of_decision[] = {
	D(WHOLE, "decision", number), D(WHOLE, "at", at), D(TEXT, "kind", kind),
	D(TEXT, "rule", rule), D(TEXT, "other", other),
	D(TEXT, "policy", policy), D(WHOLE, "want", want),
	D(WHOLE, "from", from), D(WHOLE, "to", to), D(WHOLE, "size", size),
	D(WHOLE, "free", free), D(WHOLE, "queued", queued),
	D(WHOLE, "running", running), D(REAL, "step", step),
	D(REAL, "price", price), D(REAL, "left", left),
};
/* clang-format on */

/* ---- writing ---- */

static double get_whole(const char *at, size_t size)
{
	int32_t narrow;
	int64_t wide;

	if (size == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return (double)wide;
}

/* What is 0, false or "" is left out. */
static void put_fields(cJSON *to, const void *from, const struct field *fields,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct field *field = &fields[i];
		const char *at = (const char *)from + field->at;
		double number = 0;

		switch (field->kind) {
		case TEXT:
			if (*at)
				cJSON_AddStringToObject(to, field->name, at);
			continue;
		case WHOLE:
			number = get_whole(at, field->size);
			break;
		case REAL:
			memcpy(&number, at, sizeof(number));
			break;
		case FLAG:
			number = *at != 0;
			break;
		}
		if (number != 0 && isfinite(number))
			cJSON_AddNumberToObject(to, field->name, number);
	}
}

static size_t seal(cJSON *object, char line[RECORD_LINE_MAX])
{
	char *text = line + JOURNAL_LINE_HEAD;
	size_t n = 0;

	/* behind the text is room for the end of the line */
	if (object && cJSON_PrintPreallocated(
			      object, text,
			      RECORD_LINE_MAX - JOURNAL_LINE_HEAD - 16, false))
		n = journal_line_seal(line, strlen(text));
	cJSON_Delete(object);
	return n;
}

size_t record_format(const struct record *record, msec_t at,
		     char line[RECORD_LINE_MAX])
{
	cJSON *object = cJSON_CreateObject(), *after;

	cJSON_AddNumberToObject(object, "at", (double)at);
	put_fields(object, record, of_record, LENGTH(of_record));
	after = cJSON_AddArrayToObject(object, "after");
	for (unsigned i = 0; i < record->n_after; i++)
		cJSON_AddItemToArray(
			after, cJSON_CreateNumber((double)record->after[i]));
	return seal(object, line);
}

size_t decision_format(const struct decision *decision,
		       char line[RECORD_LINE_MAX])
{
	cJSON *object = cJSON_CreateObject(), *all;

	put_fields(object, decision, of_decision, LENGTH(of_decision));
	all = cJSON_AddArrayToObject(object, "alternatives");
	for (unsigned i = 0; i < decision->n_alternatives; i++) {
		const struct alternative *one = &decision->alternatives[i];
		const double numbers[] = {one->size, one->seconds, one->sd};

		cJSON_AddItemToArray(all, cJSON_CreateDoubleArray(numbers, 3));
	}
	return seal(object, line);
}

/* ---- reading ---- */

static bool take_whole(const cJSON *item, char *to, size_t size)
{
	double number = item->valuedouble;
	int32_t narrow;
	int64_t wide;

	if (!cJSON_IsNumber(item) || number != floor(number) ||
	    fabs(number) > WHOLE_MAX)
		return false;
	wide = (int64_t)number;
	narrow = (int32_t)wide;
	if (size == sizeof(wide))
		memcpy(to, &wide, sizeof(wide));
	else
		memcpy(to, &narrow, sizeof(narrow));
	return size == sizeof(wide) || narrow == wide;
}

static bool take_field(const cJSON *item, char *to, const struct field *field)
{
	bool set;

	switch (field->kind) {
	case TEXT:
		if (!cJSON_IsString(item) ||
		    strlen(item->valuestring) >= field->size)
			return false;
		strcpy(to, item->valuestring);
		return true;
	case WHOLE:
		return take_whole(item, to, field->size);
	case REAL:
		if (!cJSON_IsNumber(item))
			return false;
		memcpy(to, &item->valuedouble, sizeof(double));
		return true;
	case FLAG:
		set = cJSON_IsNumber(item) && item->valuedouble != 0;
		memcpy(to, &set, sizeof(set));
		return true;
	}
	return false;
}

static bool take_fields(const cJSON *from, void *to, const struct field *fields,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const cJSON *item =
			cJSON_GetObjectItemCaseSensitive(from, fields[i].name);

		if (item &&
		    !take_field(item, (char *)to + fields[i].at, &fields[i]))
			return false;
	}
	return true;
}

static bool take_after(const cJSON *from, struct record *to)
{
	const cJSON *after = cJSON_GetObjectItemCaseSensitive(from, "after");
	const cJSON *item;

	cJSON_ArrayForEach(item, after)
	{
		if (to->n_after == AFTER_MAX ||
		    !take_whole(item, (char *)&to->after[to->n_after],
				sizeof(*to->after)) ||
		    (int64_t)to->after[to->n_after] <= 0)
			return false;
		to->n_after++;
	}
	return true;
}

static bool take_alternatives(const cJSON *from, struct decision *to)
{
	const cJSON *all =
		cJSON_GetObjectItemCaseSensitive(from, "alternatives");
	const cJSON *item;

	cJSON_ArrayForEach(item, all)
	{
		struct alternative *one = &to->alternatives[to->n_alternatives];
		const cJSON *numbers[3];

		if (to->n_alternatives == ALTERNATIVES_MAX)
			return false;
		for (int i = 0; i < 3; i++) {
			numbers[i] = cJSON_GetArrayItem(item, i);
			if (!cJSON_IsNumber(numbers[i]))
				return false;
		}
		one->seconds = numbers[1]->valuedouble;
		one->sd = numbers[2]->valuedouble;
		if (!take_whole(numbers[0], (char *)&one->size,
				sizeof(one->size)) ||
		    (int)one->size <= 0)
			return false;
		to->n_alternatives++;
	}
	return true;
}

/* What other programs of this version can have written. */
static bool is_sound(const struct record *record)
{
	const struct queue_job *life = &record->life;

	return (int64_t)record->number > 0 && *record->name &&
	       (int)record->priority > 0 && (int)life->end >= 0 &&
	       life->end < QUEUE_STATES;
}

int line_parse(const char *text, size_t n, struct line *out)
{
	cJSON *object = cJSON_ParseWithLength(text, n);
	bool fits;

	*out = (struct line){0};
	if (cJSON_GetObjectItemCaseSensitive(object, "decision")) {
		out->kind = LINE_DECISION;
		fits = take_fields(object, &out->decision, of_decision,
				   LENGTH(of_decision)) &&
		       take_alternatives(object, &out->decision) &&
		       (int64_t)out->decision.number > 0;
	} else {
		out->kind = LINE_RECORD;
		fits = take_fields(object, &out->record, of_record,
				   LENGTH(of_record)) &&
		       take_after(object, &out->record) &&
		       is_sound(&out->record);
	}
	cJSON_Delete(object);
	return fits ? 0 : -EINVAL;
}
