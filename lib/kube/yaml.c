/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/yaml.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <yaml.h>

struct level {
	cJSON *at; /* borrowed: of the tree */
	char *key; /* of the value that comes next, in a mapping */
};

struct reading {
	const char *path, *text;
	size_t size, line;
	struct error *err;
	yaml_parser_t parser;
	struct level levels[YAML_DEPTH_MAX];
	unsigned depth, values, documents;
	cJSON *root;
};

/* NULL outside of all mappings and lists */
static struct level *top(struct reading *reading)
{
	return reading->depth > 0 ? &reading->levels[reading->depth - 1] : NULL;
}

static int refuse(struct reading *reading, const char *text)
{
	return error_set(reading->err, -EINVAL, "%s:%zu: %s", reading->path,
			 reading->line, text);
}

static int out_of_memory(struct reading *reading)
{
	return error_set(reading->err, -ENOMEM, "out of memory");
}

static size_t line_at(const struct reading *reading, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset && i < reading->size; i++)
		line += reading->text[i] == '\n';
	return line;
}

static int refuse_syntax(struct reading *reading)
{
	const yaml_parser_t *parser = &reading->parser;
	const char *problem = parser->problem ? parser->problem : "no reason";

	if (parser->error == YAML_MEMORY_ERROR)
		return out_of_memory(reading);
	if (parser->error == YAML_READER_ERROR)
		return error_set(
			reading->err, -EINVAL,
			"%s:%zu: not a text: %s; YAML in UTF-8", reading->path,
			line_at(reading, parser->problem_offset), problem);
	return error_set(reading->err, -EINVAL,
			 "%s:%zu: not YAML: %s; lines with 'key: value', and "
			 "with '- ' for lists",
			 reading->path, parser->problem_mark.line + 1, problem);
}

/* ---- scalars ---- */

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return true;
	return false;
}

static size_t digits(const char *text)
{
	return strspn(text, "0123456789");
}

/* As JSON writes numbers. */
static bool is_number(const char *text)
{
	size_t n;

	text += *text == '-';
	n = digits(text);
	if (n == 0 || (n > 1 && *text == '0'))
		return false;
	text += n;
	if (*text == '.') {
		n = digits(++text);
		if (n == 0)
			return false;
		text += n;
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		n = digits(text);
		if (n == 0)
			return false;
		text += n;
	}
	return *text == '\0';
}

/* The mode of a file, 0640. */
static bool is_octal(const char *text)
{
	return *text == '0' && text[1] &&
	       strspn(text, "01234567") == strlen(text) && strlen(text) < 12;
}

static cJSON *plain(const char *text)
{
	static const char *const nulls[] = {"",     "~",    "null",
					    "Null", "NULL", NULL};
	static const char *const trues[] = {"true", "True", "TRUE", NULL};
	static const char *const falses[] = {"false", "False", "FALSE", NULL};

	if (is_one_of(text, nulls))
		return cJSON_CreateNull();
	if (is_one_of(text, trues))
		return cJSON_CreateTrue();
	if (is_one_of(text, falses))
		return cJSON_CreateFalse();
	/* JSON has nothing for what is too large */
	if (is_number(text) && isfinite(strtod(text, NULL)))
		return cJSON_CreateNumber(strtod(text, NULL));
	if (is_octal(text))
		return cJSON_CreateNumber((double)strtol(text, NULL, 8));
	return cJSON_CreateString(text);
}

/* ---- the tree ---- */

static int put(struct reading *reading, cJSON *value)
{
	struct level *level = top(reading);
	bool done;

	if (!value)
		return out_of_memory(reading);
	if (!level) {
		reading->root = value;
		return 0;
	}
	if (cJSON_IsArray(level->at)) {
		done = cJSON_AddItemToArray(level->at, value);
	} else {
		done = cJSON_AddItemToObject(level->at, level->key, value);
		free(level->key);
		level->key = NULL;
	}
	if (done)
		return 0;
	cJSON_Delete(value);
	return out_of_memory(reading);
}

static bool wants_key(struct reading *reading)
{
	const struct level *level = top(reading);

	return level && cJSON_IsObject(level->at) && !level->key;
}

static int take_key(struct reading *reading, const char *text)
{
	struct level *level = top(reading);

	if (cJSON_GetObjectItemCaseSensitive(level->at, text))
		return error_set(reading->err, -EINVAL,
				 "%s:%zu: '%.64s' a second time; each key once",
				 reading->path, reading->line, text);
	level->key = strdup(text);
	return level->key ? 0 : out_of_memory(reading);
}

static int on_scalar(struct reading *reading, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;

	if (event->data.scalar.tag)
		return refuse(reading, "tags are not understood; the value "
				       "without its tag");
	if (strlen(text) != event->data.scalar.length)
		return refuse(reading, "a NUL in a value; a text without it");
	if (wants_key(reading))
		return take_key(reading, text);
	return put(reading, event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
				    ? plain(text)
				    : cJSON_CreateString(text));
}

static int open_level(struct reading *reading, cJSON *value,
		      const yaml_char_t *tag)
{
	int r;

	if (tag || wants_key(reading) || reading->depth == YAML_DEPTH_MAX) {
		cJSON_Delete(value);
		return refuse(reading,
			      tag ? "tags are not understood; the value "
				    "without its tag"
			      : reading->depth == YAML_DEPTH_MAX
				      ? "nested too deep; 64 levels at most"
				      : "a key that is no text; 'key: value'");
	}
	r = put(reading, value);
	if (r < 0)
		return r;
	reading->levels[reading->depth++] = (struct level){.at = value};
	return 0;
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
	if (event->type == YAML_ALIAS_EVENT)
		return event->data.alias.anchor;
	if (event->type == YAML_SCALAR_EVENT)
		return event->data.scalar.anchor;
	if (event->type == YAML_SEQUENCE_START_EVENT)
		return event->data.sequence_start.anchor;
	if (event->type == YAML_MAPPING_START_EVENT)
		return event->data.mapping_start.anchor;
	return NULL;
}

static int on_event(struct reading *reading, const yaml_event_t *event)
{
	reading->line = event->start_mark.line + 1;
	if (++reading->values > YAML_VALUES_MAX)
		return refuse(reading, "too many values; 30000 at most");
	if (anchor_of(event))
		return refuse(reading, "anchors and aliases are not "
				       "understood; the value written out");

	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		return ++reading->documents == 1
			       ? 0
			       : refuse(reading, "a second document; one in a "
						 "file");
	case YAML_SCALAR_EVENT:
		return on_scalar(reading, event);
	case YAML_SEQUENCE_START_EVENT:
		return open_level(reading, cJSON_CreateArray(),
				  event->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return open_level(reading, cJSON_CreateObject(),
				  event->data.mapping_start.tag);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		reading->depth--;
		return 0;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	case YAML_ALIAS_EVENT:
		return 0;
	}
	return 0;
}

static int read_events(struct reading *reading)
{
	for (;;) {
		yaml_event_t event;
		bool over;
		int r;

		if (!yaml_parser_parse(&reading->parser, &event))
			return refuse_syntax(reading);
		over = event.type == YAML_STREAM_END_EVENT;
		r = on_event(reading, &event);
		yaml_event_delete(&event);
		if (r < 0 || over)
			return r;
	}
}

static int read_text(struct reading *reading)
{
	int r;

	if (!yaml_parser_initialize(&reading->parser))
		return out_of_memory(reading);
	yaml_parser_set_encoding(&reading->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reading->parser,
				     (const unsigned char *)reading->text,
				     reading->size);
	r = read_events(reading);
	yaml_parser_delete(&reading->parser);
	for (unsigned i = 0; i < YAML_DEPTH_MAX; i++)
		free(reading->levels[i].key);
	return r;
}

int kube_yaml_parse(cJSON **out, const char *path, const char *text,
		    size_t size, struct error *err)
{
	struct reading reading = {.path = path,
				  .text = text,
				  .size = size,
				  .err = err,
				  .line = 1};
	int r;

	if (size > YAML_BYTES_MAX)
		return refuse(&reading, "larger than 4 MiB");
	r = read_text(&reading);
	if (r == 0 && !reading.root) {
		reading.root = cJSON_CreateNull();
		r = reading.root ? 0 : out_of_memory(&reading);
	}
	if (r < 0) {
		cJSON_Delete(reading.root);
		return r;
	}
	*out = reading.root;
	return 0;
}
