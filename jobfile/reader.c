/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_LENGTH = 128 };

int reader_refuse(struct reader *reader, unsigned line, const char *shown,
		  const char *fmt, ...)
{
	char text[384];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return error_set(reader->err, -EINVAL, "%s:%u: %s: %s", reader->path,
			 line, shown, text);
}

int reader_refuse_value(struct reader *reader,
			const struct jobfile_entry *entry, const char *fmt, ...)
{
	char text[192], wanted[192];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return reader_refuse(reader, (unsigned)entry->node->start_mark.line + 1,
			     entry->shown, "%s; %s", text,
			     schema_wanted(entry->key, wanted, sizeof(wanted)));
}

unsigned reader_line(const struct reader *reader, const char *path)
{
	return reader->lines[schema_find(path) - schema_keys];
}

/* Names the section without the dot at its end; the root is the file. */
static int refuse_section(struct reader *reader, unsigned line,
			  const char *section, const char *shown,
			  const char *what)
{
	char name[PATH_LENGTH], members[320];

	snprintf(name, sizeof(name), "%.*s", (int)strlen(shown) - 1, shown);
	return reader_refuse(reader, line, *shown ? name : "job",
			     "%s; "
			     "a mapping with keys of %s",
			     what,
			     schema_members(section, members, sizeof(members)));
}

static int refuse_unknown(struct reader *reader, unsigned line,
			  const char *section, const char *shown,
			  const char *name)
{
	char whole[PATH_LENGTH], clean[48], right[320];

	value_show(name, clean, sizeof(clean));
	snprintf(whole, sizeof(whole), "%s%s", shown, clean);
	if (strchr(name, '.'))
		return reader_refuse(reader, line, whole,
				     "no such key; a key with a dot is written "
				     "as a mapping within a mapping");
	if (schema_guess(section, name, right, sizeof(right)))
		return reader_refuse(reader, line, whole,
				     "no such key; did you mean %s?", right);
	return reader_refuse(reader, line, whole, "no such key; here are %s",
			     schema_members(section, right, sizeof(right)));
}

static yaml_node_t *node_of(struct reader *reader, int index)
{
	return yaml_document_get_node(reader->document, index);
}

static unsigned line_of(const yaml_node_t *node)
{
	return (unsigned)node->start_mark.line + 1;
}

/* The name that a key node is, or NULL: not a plain word. */
static const char *name_of(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	if (node->type != YAML_SCALAR_NODE || *text == '\0' ||
	    strlen(text) != node->data.scalar.length)
		return NULL;
	return text;
}

/* Every pair before this one has been read, so these are few. */
static bool was_given(struct reader *reader, const yaml_node_t *mapping,
		      const yaml_node_pair_t *pair, const char *name)
{
	for (const yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
	     p < pair; p++)
		if (strcmp(name_of(node_of(reader, p->key)), name) == 0)
			return true;
	return false;
}

static int read_member(struct reader *reader, const char *section,
		       const char *shown, const char *name, unsigned line,
		       yaml_node_t *node, void *base)
{
	char path[PATH_LENGTH], inner[PATH_LENGTH], inner_shown[PATH_LENGTH];
	const struct schema_key *key;

	if (strpbrk(name, ".[") || strlen(name) > 40)
		return refuse_unknown(reader, line, section, shown, name);
	snprintf(path, sizeof(path), "%s%s", section, name);
	snprintf(inner_shown, sizeof(inner_shown), "%s%s", shown, name);
	key = schema_find(path);
	if (key) {
		const struct jobfile_entry entry = {key, inner_shown, node,
						    base};

		reader->lines[key - schema_keys] = line;
		return value_read(reader, &entry);
	}
	snprintf(inner, sizeof(inner), "%s%s.", section, name);
	if (!schema_has_section(inner))
		return refuse_unknown(reader, line, section, shown, name);
	snprintf(inner_shown, sizeof(inner_shown), "%s%s.", shown, name);
	return reader_section(reader, inner, inner_shown, line, node, base);
}

/* Also of sections within that are not there at all. */
static int check_required(struct reader *reader, const char *section,
			  const char *shown, unsigned line)
{
	for (size_t i = 0; i < SCHEMA_KEYS; i++) {
		const struct schema_key *key = &schema_keys[i];
		char whole[PATH_LENGTH], wanted[192];

		if (!key->required || reader->lines[i] > 0 ||
		    !schema_is_within(key, section))
			continue;
		snprintf(whole, sizeof(whole), "%s%s", shown,
			 key->path + strlen(section));
		return reader_refuse(
			reader, line, whole, "is missing; %s",
			schema_wanted(key, wanted, sizeof(wanted)));
	}
	return 0;
}

static void forget_lines(struct reader *reader, const char *section)
{
	for (size_t i = 0; i < SCHEMA_KEYS; i++)
		if (schema_is_within(&schema_keys[i], section))
			reader->lines[i] = 0;
}

int reader_section(struct reader *reader, const char *section,
		   const char *shown, unsigned line, yaml_node_t *node,
		   void *base)
{
	const yaml_node_pair_t *pair;
	int r;

	if (node->type != YAML_MAPPING_NODE)
		return refuse_section(reader, line, section, shown,
				      "is not a mapping");
	forget_lines(reader, section);
	for (pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		yaml_node_t *key = node_of(reader, pair->key);
		const char *name = name_of(key);
		char whole[PATH_LENGTH];

		if (!name)
			return refuse_section(reader, line_of(key), section,
					      shown,
					      "has a key that is no "
					      "word");
		if (was_given(reader, node, pair, name)) {
			snprintf(whole, sizeof(whole), "%s%s", shown, name);
			return reader_refuse(reader, line_of(key), whole,
					     "was given before; each key once");
		}
		r = read_member(reader, section, shown, name, line_of(key),
				node_of(reader, pair->value), base);
		if (r < 0)
			return r;
	}
	return check_required(reader, section, shown, line);
}

int reader_defaults(struct reader *reader)
{
	for (size_t i = 0; i < SCHEMA_KEYS; i++) {
		const struct schema_key *key = &schema_keys[i];
		const struct jobfile_entry entry = {key, key->path, NULL,
						    reader->job};
		int r;

		if (reader->lines[i] > 0 || !key->fallback ||
		    key->fallback[0] == '(' || strchr(key->path, '['))
			continue;
		r = value_read_text(reader, &entry, key->fallback);
		if (r < 0)
			return r;
	}
	return 0;
}

int reader_no_memory(struct reader *reader)
{
	return error_set(reader->err, -ENOMEM, "out of memory");
}
