/* SPDX-License-Identifier: Apache-2.0 */
#include "prometheus/answer.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_MAX = 48, WHY_MAX = 256 };

static void delete_json_at(cJSON **json)
{
	cJSON_Delete(*json);
}

/* NULL: it is not one document of JSON. */
static cJSON *parse(const char *body, size_t size)
{
	const char *end = body;
	CLEANUP(delete_json)
	cJSON *tree = cJSON_ParseWithLengthOpts(body, size, &end, false);

	while (tree && end < body + size && (unsigned char)*end <= ' ')
		end++;
	return tree && end == body + size ? STEAL(tree) : NULL;
}

/* "" if there is no such text. */
static const char *text_of(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(object, name));

	return text ? text : "";
}

/* As it writes numbers: digits, "NaN", "+Inf". */
static int read_number(double *value, const char *text, struct error *err)
{
	char *end, shown[SHOWN_MAX];

	*value = strtod(text, &end);
	if (*text != '\0' && *end == '\0' && isfinite(*value))
		return 0;
	text_make_safe(shown, sizeof(shown), text);
	return error_set(err, -EPROTO, "the value '%s' is not a finite number",
			 shown);
}

/* sample: [instant, "number"] */
static int read_sample(double *value, const cJSON *sample, struct error *err)
{
	const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(sample, 1));

	if (!cJSON_IsArray(sample) || !text)
		return error_set(err, -EPROTO, "a value is not a number");
	return read_number(value, text, err);
}

static int read_vector(double *value, const cJSON *result, struct error *err)
{
	int n = cJSON_IsArray(result) ? cJSON_GetArraySize(result) : 0;

	if (n == 0)
		return error_set(err, -EPROTO, "the result is empty");
	if (n > 1)
		return error_set(err, -EPROTO,
				 "the result has %d values, and one is needed, "
				 "as of sum() or avg()",
				 n);
	return read_sample(
		value, cJSON_GetObjectItemCaseSensitive(result->child, "value"),
		err);
}

static int read_data(double *value, const cJSON *data, struct error *err)
{
	const char *type = text_of(data, "resultType");
	const cJSON *result = cJSON_GetObjectItemCaseSensitive(data, "result");
	char shown[SHOWN_MAX];

	if (strcmp(type, "vector") == 0)
		return read_vector(value, result, err);
	if (strcmp(type, "scalar") == 0)
		return read_sample(value, result, err);
	text_make_safe(shown, sizeof(shown), type);
	return error_set(
		err, -EPROTO,
		"the result is of the type '%s'; a vector of one value "
		"or a scalar is needed",
		shown);
}

int prometheus_read_answer(double *value, int status, const char *body,
			   size_t size, struct error *err)
{
	CLEANUP(delete_json) cJSON *tree = parse(body, size);
	const char *outcome = text_of(tree, "status");
	char why[WHY_MAX];

	text_make_safe(why, sizeof(why), text_of(tree, "error"));
	if (*why)
		return error_set(err, -EPROTO, "the server answers %d: %s",
				 status, why);
	if (status != 200)
		return error_set(err, -EPROTO, "the server answers %d", status);
	if (strcmp(outcome, "success") != 0)
		return error_set(err, -EPROTO,
				 "the answer is none of Prometheus' API");
	return read_data(value, cJSON_GetObjectItemCaseSensitive(tree, "data"),
			 err);
}
