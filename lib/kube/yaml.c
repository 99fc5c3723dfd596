/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/yaml.h"

#include "yaml/load.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const struct yaml_limits limits = {
	.what = "a kubeconfig",
	.bytes = KUBE_YAML_BYTES_MAX,
	.depth = 64,
	.values = 30000,
};

struct reading {
	yaml_document_t document;
	const char *path;
	struct error *err;
};

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

static int refuse_node(struct reading *reading, const yaml_node_t *node,
		       const char *text)
{
	return error_set(reading->err, -EINVAL, "%s:%zu: %s", reading->path,
			 node->start_mark.line + 1, text);
}

static int out_of_memory(struct reading *reading)
{
	return error_set(reading->err, -ENOMEM, "out of memory");
}

static bool has_nul(const yaml_node_t *scalar)
{
	return memchr(scalar->data.scalar.value, '\0',
		      scalar->data.scalar.length) != NULL;
}

static int convert(struct reading *reading, int index, cJSON **out);

static int convert_scalar(struct reading *reading, const yaml_node_t *node,
			  cJSON **out)
{
	const char *text = (const char *)node->data.scalar.value;

	if (has_nul(node))
		return refuse_node(reading, node,
				   "a NUL in a value; a text without it");
	*out = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
		       ? plain(text)
		       : cJSON_CreateString(text);
	return *out ? 0 : out_of_memory(reading);
}

static int convert_list(struct reading *reading, const yaml_node_t *node,
			cJSON *list)
{
	for (const int *at = node->data.sequence.items.start;
	     at < node->data.sequence.items.top; at++) {
		cJSON *value = NULL;
		int r = convert(reading, *at, &value);

		if (r < 0)
			return r;
		cJSON_AddItemToArray(list, value);
	}
	return 0;
}

static int convert_pair(struct reading *reading, const yaml_node_pair_t *pair,
			cJSON *object)
{
	const yaml_node_t *key =
		yaml_document_get_node(&reading->document, pair->key);
	const char *name = (const char *)key->data.scalar.value;
	cJSON *value = NULL;
	int r;

	if (key->type != YAML_SCALAR_NODE || has_nul(key))
		return refuse_node(reading, key,
				   "a key that is no text; 'key: value'");
	if (cJSON_GetObjectItemCaseSensitive(object, name))
		return error_set(reading->err, -EINVAL,
				 "%s:%zu: '%.64s' a second time; each key once",
				 reading->path, key->start_mark.line + 1, name);
	r = convert(reading, pair->value, &value);
	if (r < 0)
		return r;
	if (cJSON_AddItemToObject(object, name, value))
		return 0;
	cJSON_Delete(value);
	return out_of_memory(reading);
}

static int convert_mapping(struct reading *reading, const yaml_node_t *node,
			   cJSON *object)
{
	for (const yaml_node_pair_t *at = node->data.mapping.pairs.start;
	     at < node->data.mapping.pairs.top; at++) {
		int r = convert_pair(reading, at, object);

		if (r < 0)
			return r;
	}
	return 0;
}

/* No deeper than the limits. */
static int convert(struct reading *reading, int index, cJSON **out)
{
	const yaml_node_t *node =
		yaml_document_get_node(&reading->document, index);
	bool is_list = node->type == YAML_SEQUENCE_NODE;
	int r;

	if (node->type == YAML_SCALAR_NODE)
		return convert_scalar(reading, node, out);
	*out = is_list ? cJSON_CreateArray() : cJSON_CreateObject();
	if (!*out)
		return out_of_memory(reading);
	r = is_list ? convert_list(reading, node, *out)
		    : convert_mapping(reading, node, *out);
	if (r < 0) {
		cJSON_Delete(*out);
		*out = NULL;
	}
	return r;
}

int kube_yaml_parse(cJSON **out, const char *path, const char *text,
		    size_t size, struct error *err)
{
	struct reading reading = {.path = path, .err = err};
	cJSON *tree = NULL;
	int r = yaml_load(&reading.document, &limits, path, text, size, err);

	if (r < 0)
		return r;
	if (yaml_document_get_root_node(&reading.document))
		r = convert(&reading, 1, &tree);
	else
		tree = cJSON_CreateNull();
	yaml_document_delete(&reading.document);
	if (r == 0 && !tree)
		r = out_of_memory(&reading);
	if (r == 0)
		*out = tree;
	return r;
}
