/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What sentences call a value, as scale.schedule[12].ranks. */
enum { SHOWN_LENGTH = 160 };

enum { COMMAND_BYTES_MAX = 48 << 10, ENVIRONMENT_BYTES_MAX = 128 << 10 };

static yaml_node_t *node_of(struct reader *reader, int index)
{
	return yaml_document_get_node(reader->document, index);
}

/* The text of a scalar: 0, or -EINVAL.  An empty one counts if it was quoted
 * and may_be_empty. */
static int text_of(struct reader *reader, const struct jobfile_entry *entry,
		   bool may_be_empty, const char **out)
{
	const yaml_node_t *node = entry->node;

	if (node->type == YAML_SEQUENCE_NODE)
		return reader_refuse_value(reader, entry, "is a list");
	if (node->type == YAML_MAPPING_NODE)
		return reader_refuse_value(reader, entry, "is a mapping");
	*out = (const char *)node->data.scalar.value;
	if (strlen(*out) != node->data.scalar.length)
		return reader_refuse_value(reader, entry, "has a NUL byte");
	if (**out == '\0' && (!may_be_empty || node->data.scalar.style ==
						       YAML_PLAIN_SCALAR_STYLE))
		return reader_refuse_value(reader, entry, "is empty");
	return 0;
}

/* The members of a list, at most key->max if that is not of numbers. */
static int list_of(struct reader *reader, const struct jobfile_entry *entry,
		   yaml_node_item_t **items, size_t *n)
{
	const yaml_node_t *node = entry->node;

	if (node->type != YAML_SEQUENCE_NODE)
		return reader_refuse_value(reader, entry, "is not a list");
	*items = node->data.sequence.items.start;
	*n = (size_t)(node->data.sequence.items.top - *items);
	if (entry->key->type != KEY_NUMBERS && *n > (size_t)entry->key->max)
		return reader_refuse_value(reader, entry,
					   "has %zu members, more than %d", *n,
					   (int)entry->key->max);
	return 0;
}

/* A member of a list, as a value of its own. */
struct item {
	struct schema_key key;
	char shown[SHOWN_LENGTH];
	struct jobfile_entry entry;
};

static void item_init(struct item *item, struct reader *reader,
		      const struct jobfile_entry *list, enum key_type type,
		      int index, size_t i)
{
	item->key = *list->key;
	item->key.type = type;
	snprintf(item->shown, sizeof(item->shown), "%s[%zu]", list->shown,
		 i + 1);
	item->entry = (struct jobfile_entry){
		.key = &item->key,
		.shown = item->shown,
		.node = node_of(reader, index),
	};
}

static int read_texts(struct reader *reader, const struct jobfile_entry *entry)
{
	yaml_node_item_t *items = NULL;
	const char **out;
	size_t n = 0;
	int r = list_of(reader, entry, &items, &n);

	if (r < 0)
		return r;
	if (n == 0 && entry->key->type == KEY_COMMAND)
		return reader_refuse_value(reader, entry, "is empty");
	out = jobfile_alloc(reader->job, (n + 1) * sizeof(*out));
	if (!out)
		return reader_no_memory(reader);
	for (size_t i = 0; i < n && r == 0; i++) {
		struct item item;
		const char *text = NULL;

		item_init(&item, reader, entry, KEY_TEXT, items[i], i);
		r = text_of(reader, &item.entry, true, &text);
		if (r == 0)
			r = value_keep(reader, text, &out[i]);
	}
	*(const char ***)value_member(entry) = out;
	return r;
}

static int read_numbers(struct reader *reader,
			const struct jobfile_entry *entry)
{
	yaml_node_item_t *items = NULL;
	unsigned *out;
	size_t n = 0;
	int r = list_of(reader, entry, &items, &n);

	if (r < 0)
		return r;
	if (n == 0)
		return reader_refuse_value(reader, entry, "is empty");
	out = jobfile_alloc(reader->job, (n + 1) * sizeof(*out));
	if (!out)
		return reader_no_memory(reader);
	for (size_t i = 0; i < n && r == 0; i++) {
		struct item item;
		const char *text = NULL;

		item_init(&item, reader, entry, KEY_NUMBER, items[i], i);
		r = text_of(reader, &item.entry, false, &text);
		if (r == 0)
			r = value_number(reader, &item.entry, text, &out[i]);
	}
	*(unsigned **)value_member(entry) = out;
	return r;
}

static int read_steps(struct reader *reader, const struct jobfile_entry *entry)
{
	struct schedule_step *steps;
	yaml_node_item_t *items = NULL;
	size_t n = 0;
	int r = list_of(reader, entry, &items, &n);

	if (r < 0)
		return r;
	steps = jobfile_alloc(reader->job, (n + 1) * sizeof(*steps));
	if (!steps)
		return reader_no_memory(reader);
	for (size_t i = 0; i < n && r == 0; i++) {
		char shown[64];
		yaml_node_t *node = node_of(reader, items[i]);
		unsigned line = (unsigned)node->start_mark.line + 1;

		snprintf(shown, sizeof(shown), "%s[%zu].", entry->shown, i + 1);
		reader->step_lines[i] = line;
		r = reader_section(reader, "scale.schedule[].", shown, line,
				   node, &steps[i]);
	}
	reader->job->schedule = steps;
	reader->job->n_schedule = n;
	return r;
}

/* Names are few, so each is compared with those before it. */
static bool is_set(const char *const *environment, const char *name)
{
	size_t n = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, n) == 0 &&
		    (*environment)[n] == '=')
			return true;
	return false;
}

static bool is_variable(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return *name && !strchr("0123456789", *name) &&
	       name[strspn(name, letters)] == '\0';
}

/* The name of a variable that is not among those before. */
static int variable_name(struct reader *reader,
			 const struct jobfile_entry *entry,
			 const char *const *before, const char **out)
{
	unsigned line = (unsigned)entry->node->start_mark.line + 1;
	char name[64], shown[SHOWN_LENGTH];
	int r = text_of(reader, entry, false, out);

	if (r < 0)
		return r;
	snprintf(shown, sizeof(shown), "%s.%s", entry->shown,
		 value_show(*out, name, sizeof(name)));
	if (!is_variable(*out))
		return reader_refuse(reader, line, shown,
				     "is no name of a variable; letters, "
				     "digits and _, no digit first");
	if (is_set(before, *out))
		return reader_refuse(reader, line, shown,
				     "was given before; each name once");
	return 0;
}

static int read_variable(struct reader *reader,
			 const struct jobfile_entry *entry,
			 const yaml_node_pair_t *pair,
			 const char *const *before, const char **out)
{
	struct schema_key key = *entry->key;
	struct jobfile_entry at = *entry;
	char name_shown[64], shown[SHOWN_LENGTH];
	const char *name, *value;
	char *text;
	int r;

	at.node = node_of(reader, pair->key);
	r = variable_name(reader, &at, before, &name);
	if (r < 0)
		return r;
	key.type = KEY_TEXT;
	snprintf(shown, sizeof(shown), "%s.%s", entry->shown,
		 value_show(name, name_shown, sizeof(name_shown)));
	at = (struct jobfile_entry){&key, shown, node_of(reader, pair->value),
				    NULL};
	r = text_of(reader, &at, true, &value);
	if (r < 0)
		return r;
	text = jobfile_alloc(reader->job, strlen(name) + strlen(value) + 2);
	if (!text)
		return reader_no_memory(reader);
	sprintf(text, "%s=%s", name, value);
	*out = text;
	return 0;
}

static int read_environment(struct reader *reader,
			    const struct jobfile_entry *entry)
{
	const yaml_node_t *node = entry->node;
	const yaml_node_pair_t *pairs;
	const char **out;
	size_t n;
	int r = 0;

	if (node->type != YAML_MAPPING_NODE)
		return reader_refuse_value(reader, entry, "is not a mapping");
	pairs = node->data.mapping.pairs.start;
	n = (size_t)(node->data.mapping.pairs.top - pairs);
	if (n > (size_t)entry->key->max)
		return reader_refuse_value(reader, entry,
					   "has %zu members, more than %d", n,
					   (int)entry->key->max);
	out = jobfile_alloc(reader->job, (n + 1) * sizeof(*out));
	if (!out)
		return reader_no_memory(reader);
	for (size_t i = 0; i < n && r == 0; i++)
		r = read_variable(reader, entry, &pairs[i], out, &out[i]);
	*(const char ***)value_member(entry) = out;
	return r;
}

static int read_value(struct reader *reader, const struct jobfile_entry *entry)
{
	const char *text;
	int r;

	switch (entry->key->type) {
	case KEY_TEXTS:
		return read_texts(reader, entry);
	case KEY_NUMBERS:
		return read_numbers(reader, entry);
	case KEY_ENVIRONMENT:
		return read_environment(reader, entry);
	case KEY_STEPS:
		return read_steps(reader, entry);
	case KEY_COMMAND:
		if (entry->node->type != YAML_SCALAR_NODE)
			return read_texts(reader, entry);
		break;
	case KEY_NAME:
	case KEY_APP:
	case KEY_TEXT:
	case KEY_FOLDER:
	case KEY_NUMBER:
	case KEY_DURATION:
	case KEY_PERCENT:
	case KEY_REAL:
	case KEY_MOMENT:
	case KEY_WORD:
		break;
	}
	r = text_of(reader, entry, false, &text);
	return r < 0 ? r : value_read_text(reader, entry, text);
}

/* Command and environment go to a rank in one message (local/local.h). */
static int check_bytes(struct reader *reader, const struct jobfile_entry *entry,
		       size_t most)
{
	const char *const *texts = *(const char ***)value_member(entry);
	size_t bytes = 0;

	for (; *texts; texts++)
		bytes += strlen(*texts) + 1;
	if (bytes <= most)
		return 0;
	return reader_refuse_value(reader, entry,
				   "has %zu bytes, more than %zu", bytes, most);
}

int value_read(struct reader *reader, const struct jobfile_entry *entry)
{
	int r = read_value(reader, entry);

	if (r == 0 && entry->key->type == KEY_COMMAND)
		r = check_bytes(reader, entry, COMMAND_BYTES_MAX);
	if (r == 0 && entry->key->type == KEY_ENVIRONMENT)
		r = check_bytes(reader, entry, ENVIRONMENT_BYTES_MAX);
	return r;
}
