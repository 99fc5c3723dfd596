/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/syntax.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct source {
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

static int refuse(const struct source *source, size_t line, const char *text)
{
	return error_set(source->err, -EINVAL, "%s:%zu: %s", source->path, line,
			 text);
}

static int refuse_yaml(const struct source *source, const yaml_parser_t *parser)
{
	const char *problem = parser->problem ? parser->problem : "no reason";

	if (parser->error == YAML_MEMORY_ERROR)
		return error_set(source->err, -ENOMEM, "out of memory");
	if (parser->error == YAML_READER_ERROR)
		return error_set(source->err, -EINVAL,
				 "%s:%u: not a text: %s; a job file is UTF-8",
				 source->path,
				 line_at(source, parser->problem_offset),
				 problem);
	return error_set(
		source->err, -EINVAL,
		"%s:%zu: not YAML: %s; for lists write [a, b] or "
		"lines with '- ', for mappings lines with 'key: value'",
		source->path, parser->problem_mark.line + 1, problem);
}

/* Why the event does not belong into a job file; NULL if it does. */
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

static const char *too_much(struct census *census, const yaml_event_t *event)
{
	bool begins = event->type == YAML_SEQUENCE_START_EVENT ||
		      event->type == YAML_MAPPING_START_EVENT;
	bool ends = event->type == YAML_SEQUENCE_END_EVENT ||
		    event->type == YAML_MAPPING_END_EVENT;

	census->events++;
	census->depth += begins;
	census->depth -= ends;
	census->documents += event->type == YAML_DOCUMENT_START_EVENT;
	if (census->events > SYNTAX_EVENTS_MAX)
		return "too many values; a job file has some dozens";
	if (census->depth > SYNTAX_DEPTH_MAX)
		return "nested too deep; a job file has three levels";
	if (census->documents > 1)
		return "a second document; one job in a file";
	return NULL;
}

/* Looks at the whole text event by event, which costs no memory. */
static int survey(const struct source *source, yaml_parser_t *parser)
{
	struct census census = {0};

	for (;;) {
		yaml_event_t event;
		const char *reason;
		size_t line;
		bool over;

		if (!yaml_parser_parse(parser, &event))
			return refuse_yaml(source, parser);
		line = event.start_mark.line + 1;
		over = event.type == YAML_STREAM_END_EVENT;
		reason = unwanted(&event);
		if (!reason)
			reason = too_much(&census, &event);
		yaml_event_delete(&event);
		if (reason)
			return refuse(source, line, reason);
		if (over)
			return 0;
	}
}

static void yaml_parser_delete_at(yaml_parser_t *parser)
{
	yaml_parser_delete(parser);
}

static bool begin(yaml_parser_t *parser, const struct source *source)
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

	if (!begin(&parser, source))
		return error_set(source->err, -ENOMEM, "out of memory");
	return survey(source, &parser);
}

int syntax_load(yaml_document_t *out, const char *path, const char *text,
		size_t size, struct error *err)
{
	CLEANUP(yaml_parser_delete) yaml_parser_t parser = {0};
	const struct source source = {path, text, size, err};
	const char *nul = memchr(text, '\0', size);
	int r;

	if (size > SYNTAX_BYTES_MAX)
		return refuse(&source, 1,
			      "larger than 1 MiB; a job file has "
			      "some dozens of lines");
	if (nul)
		return refuse(&source, line_at(&source, (size_t)(nul - text)),
			      "a NUL byte; a job file is a text in UTF-8");
	r = survey_text(&source);
	if (r < 0)
		return r;
	if (!begin(&parser, &source))
		return error_set(err, -ENOMEM, "out of memory");
	if (!yaml_parser_load(&parser, out))
		return refuse_yaml(&source, &parser);
	return 0;
}
