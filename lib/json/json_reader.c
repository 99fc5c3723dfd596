/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json_reader.h"

#include "base/text.h"
#include "base/time.h"
#include "json/line_of.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 63, KEYS_MAX = 64 };

int json_refuse(const struct json_reader *reader, const cJSON *item,
		const char *fmt, ...)
{
	char sentence[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	return error_set(
		reader->err, -EINVAL, "%s:%u: %s", reader->path,
		line_of_item(reader->text, reader->size, reader->root, item),
		sentence);
}

int json_read_number(const struct json_reader *reader, const cJSON *item,
		     const char *what, double min, double max, double *out)
{
	if (!cJSON_IsNumber(item))
		return json_refuse(reader, item, "%s is not a number", what);
	if (!(item->valuedouble >= min && item->valuedouble <= max))
		return json_refuse(reader, item,
				   "%s is %g, and not from %g to %g", what,
				   item->valuedouble, min, max);
	*out = item->valuedouble;
	return 0;
}

int json_read_whole(const struct json_reader *reader, const cJSON *item,
		    const char *what, double min, double max, double *out)
{
	int r = json_read_number(reader, item, what, min, max, out);

	if (r == 0 && *out != floor(*out))
		return json_refuse(reader, item,
				   "%s is %g, and not a whole number", what,
				   *out);
	return r;
}

static int read_name(const struct json_reader *reader, const cJSON *item,
		     const struct json_key *key, char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-";

	if (!cJSON_IsString(item) || !*item->valuestring ||
	    strlen(item->valuestring) > NAME_MAX_BYTES ||
	    item->valuestring[strspn(item->valuestring, allowed)])
		return json_refuse(reader, item,
				   "%s is not a name of 1 to %d letters, "
				   "digits, '_', '-' and '.'",
				   key->name, NAME_MAX_BYTES);
	strcpy(name, item->valuestring);
	return 0;
}

static int read_text(const struct json_reader *reader, const cJSON *item,
		     const char *what, const char **text)
{
	if (!cJSON_IsString(item) || !*item->valuestring)
		return json_refuse(reader, item, "%s is not a text", what);
	*text = item->valuestring;
	return 0;
}

static int read_value(const struct json_reader *reader, const cJSON *item,
		      const struct json_key *key, void *base)
{
	char *member = (char *)base + key->at;
	double number = 0;
	int r = 0;

	switch (key->kind) {
	case JSON_NAME:
		return read_name(reader, item, key, member);
	case JSON_TEXT:
		return read_text(reader, item, key->name,
				 (const char **)(void *)member);
	case JSON_COUNT:
		r = json_read_whole(reader, item, key->name, key->min, key->max,
				    &number);
		*(unsigned *)(void *)member = (unsigned)number;
		break;
	case JSON_INTEGER:
		r = json_read_whole(reader, item, key->name, key->min, key->max,
				    &number);
		*(int *)(void *)member = (int)number;
		break;
	case JSON_NUMBER:
		r = json_read_number(reader, item, key->name, key->min,
				     key->max, (double *)(void *)member);
		break;
	case JSON_SECONDS:
		r = json_read_number(reader, item, key->name, key->min,
				     key->max, &number);
		*(usec_t *)(void *)member = (usec_t)llround(number * 1e6);
		break;
	case JSON_ITEM:
		*(const cJSON **)(void *)member = item;
		break;
	}
	return r;
}

static int refuse_key(const struct json_reader *reader, const cJSON *item,
		      const struct json_key *keys, size_t n)
{
	char known[256] = "";

	for (size_t i = 0; i < n; i++)
		text_list_add(known, sizeof(known), keys[i].name);
	return json_refuse(reader, item, "there is no key '%.40s' here; %s",
			   item->string, known);
}

int json_read_object(const struct json_reader *reader, const cJSON *item,
		     const struct json_key *keys, size_t n, void *base)
{
	bool seen[KEYS_MAX] = {false};

	if (!cJSON_IsObject(item))
		return json_refuse(reader, item,
				   "an object {...} belongs here");
	for (const cJSON *at = item->child; at; at = at->next) {
		size_t i = 0;
		int r;

		while (i < n && strcmp(keys[i].name, at->string) != 0)
			i++;
		if (i == n)
			return refuse_key(reader, at, keys, n);
		if (seen[i])
			return json_refuse(reader, at, "'%s' stands twice",
					   at->string);
		seen[i] = true;
		r = read_value(reader, at, &keys[i], base);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < n; i++)
		if (keys[i].required && !seen[i])
			return json_refuse(reader, item, "'%s' is missing",
					   keys[i].name);
	return 0;
}

int json_check_array(const struct json_reader *reader, const cJSON *item,
		     const char *what, size_t min, size_t max, size_t *n)
{
	*n = 0;
	if (!cJSON_IsArray(item))
		return json_refuse(reader, item, "%s is not an array [...]",
				   what);
	for (const cJSON *at = item->child; at; at = at->next)
		(*n)++;
	if (*n < min || *n > max)
		return json_refuse(reader, item,
				   "%s has %zu members, and not %zu to %zu",
				   what, *n, min, max);
	return 0;
}

int json_read_texts(const struct json_reader *reader, const cJSON *item,
		    const char *what, size_t min, size_t max, char ***out)
{
	size_t n, size = 0, i = 0;
	int r = json_check_array(reader, item, what, min, max, &n);
	const char *text = "";
	char **texts, *to;

	if (r < 0)
		return r;
	for (const cJSON *at = item->child; at; at = at->next) {
		r = read_text(reader, at, what, &text);
		if (r < 0)
			return r;
		size += strlen(text) + 1;
	}
	texts = malloc((n + 1) * sizeof(*texts) + size);
	if (!texts)
		return error_set(reader->err, -ENOMEM, "out of memory");
	to = (char *)(texts + n + 1);
	for (const cJSON *at = item->child; at; at = at->next) {
		texts[i++] = to;
		to = stpcpy(to, at->valuestring) + 1;
	}
	texts[i] = NULL;
	*out = texts;
	return 0;
}
