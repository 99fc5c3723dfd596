/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml/load.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct source {
	const struct yaml_limits *limits;
	const char *path, *text;
	size_t size;
	struct error *err;
};

static unsigned line_at(const struct source *source, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset && i < source->size; i++)
		line += source->text[i] == '\n';
	return line;
}

/* right: what would be, behind "a job file". */
static int refuse_line(const struct source *source, size_t line,
		       const char *wrong, const char *right)
{
	return error_set(source->err, -EINVAL, "%s:%zu: %s; %s %s",
			 source->path, line, wrong, source->limits->what,
			 right);
}

static int refuse_yaml(const struct source *source, const yaml_parser_t *parser)
{
	const char *problem = parser->problem ? parser->problem : "no reason";

	if (parser->error == YAML_MEMORY_ERROR)
		return error_set(source->err, -ENOMEM, "out of memory");
	if (parser->error == YAML_READER_ERROR)
		return error_set(source->err, -EINVAL,
				 "%s:%u: not a text: %s; %s is UTF-8",
				 source->path,
				 line_at(source, parser->problem_offset),
				 problem, source->limits->what);
	return error_set(
		source->err, -EINVAL,
		"%s:%zu: not YAML: %s; for lists write [a, b] or "
		"lines with '- ', for mappings lines with 'key: value'",
		source->path, parser->problem_mark.line + 1, problem);
}

/* Why the event is not understood; NULL: it is. */
static const char *unwanted(const yaml_event_t *event)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	/* clang-format off */
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		anchor = event->data.alias.anchor;
		break;
	case YAML_SCALAR_EVENT:
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
		break;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		break;
	}
	/* clang-format on */
	if (anchor)
		return "anchors and aliases are not understood; the value "
		       "written out";
	return tag ? "tags are not understood; the value without its tag"
		   : NULL;
}

struct census {
	unsigned events, depth, documents;
};

static int check_size(const struct source *source, struct census *census,
		      const yaml_event_t *event)
{
	const struct yaml_limits *limits = source->limits;
	size_t line = event->start_mark.line + 1;
	char right[64];

	census->events++;
	census->depth += event->type == YAML_SEQUENCE_START_EVENT ||
			 event->type == YAML_MAPPING_START_EVENT;
	census->depth -= event->type == YAML_SEQUENCE_END_EVENT ||
			 event->type == YAML_MAPPING_END_EVENT;
	census->documents += event->type == YAML_DOCUMENT_START_EVENT;
	if (census->events > limits->values) {
		snprintf(right, sizeof(right), "has at most %u",
			 limits->values);
		return refuse_line(source, line, "too many values", right);
	}
	if (census->depth > limits->depth) {
		snprintf(right, sizeof(right), "has at most %u levels",
			 limits->depth);
		return refuse_line(source, line, "nested too deep", right);
	}
	return census->documents > 1
		       ? refuse_line(source, line, "a second document",
				     "is one document")
		       : 0;
}

static int check_event(const struct source *source, struct census *census,
		       const yaml_event_t *event)
{
	const char *reason = unwanted(event);

	return reason ? error_set(source->err, -EINVAL, "%s:%zu: %s",
				  source->path, event->start_mark.line + 1,
				  reason)
		      : check_size(source, census, event);
}

/* Looks at the whole text event by event, which costs no memory. */
static int survey(const struct source *source, yaml_parser_t *parser)
{
	struct census census = {0};

	for (;;) {
		yaml_event_t event;
		bool over;
		int r;

		if (!yaml_parser_parse(parser, &event))
			return refuse_yaml(source, parser);
		over = event.type == YAML_STREAM_END_EVENT;
		r = check_event(source, &census, &event);
		yaml_event_delete(&event);
		if (r < 0 || over)
			return r;
	}
}

static void yaml_parser_delete_at(yaml_parser_t *parser)
{
	yaml_parser_delete(parser);
}

static bool init_parser(yaml_parser_t *parser, const struct source *source)
{
	if (!yaml_parser_initialize(parser))
		return false;
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
		parser, (const unsigned char *)source->text, source->size);
	return true;
}

static int survey_text(const struct source *source)
{
	CLEANUP(yaml_parser_delete) yaml_parser_t parser = {0};

	if (!init_parser(&parser, source))
		return error_set(source->err, -ENOMEM, "out of memory");
	return survey(source, &parser);
}

int yaml_load(yaml_document_t *out, const struct yaml_limits *limits,
	      const char *path, const char *text, size_t size,
	      struct error *err)
{
	CLEANUP(yaml_parser_delete) yaml_parser_t parser = {0};
	size_t mark = utf8_mark(text, size);
	const struct source source = {limits, path, text + mark, size - mark,
				      err};
	const char *nul = memchr(source.text, '\0', source.size);
	char larger[64];
	int r;

	if (size > limits->bytes) {
		snprintf(larger, sizeof(larger), "larger than %zu MiB",
			 limits->bytes >> 20);
		return refuse_line(&source, 1, larger, "is not");
	}
	if (nul)
		return refuse_line(
			&source, line_at(&source, (size_t)(nul - source.text)),
			"a NUL byte", "is a text in UTF-8");
	r = survey_text(&source);
	if (r < 0)
		return r;
	if (!init_parser(&parser, &source))
		return error_set(err, -ENOMEM, "out of memory");
	if (!yaml_parser_load(&parser, out))
		return refuse_yaml(&source, &parser);
	return 0;
}
