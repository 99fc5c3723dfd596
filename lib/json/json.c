/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include "base/cleanup.h"
#include "base/utf8.h"

#include <string.h>

void json_add_bytes(cJSON *object, const char *key, const char *text,
		    size_t size)
{
	static const char unknown[] = "\xef\xbf\xbd";
	CLEANUP(free) char *clean = malloc(size * 3 + 1);
	size_t k = 0;

	if (!clean)
		return;
	for (size_t i = 0; i < size && text[i];) {
		size_t n = utf8_decode(text + i, size - i, NULL);

		memcpy(clean + k, n ? text + i : unknown, n ? n : 3);
		k += n ? n : 3;
		i += n ? n : 1;
	}
	clean[k] = '\0';
	cJSON_AddStringToObject(object, key, clean);
}

void json_add_text(cJSON *object, const char *key, const char *text)
{
	json_add_bytes(object, key, text ? text : "", text ? strlen(text) : 0);
}

void json_add_number(cJSON *object, const char *key, double value)
{
	cJSON_AddNumberToObject(object, key, value);
}

void json_add_known(cJSON *object, const char *key, double value)
{
	if (value < 0)
		cJSON_AddNullToObject(object, key);
	else
		cJSON_AddNumberToObject(object, key, value);
}

void json_add_nonzero(cJSON *object, const char *key, uint64_t value)
{
	json_add_known(object, key, value ? (double)value : -1);
}

void json_print(FILE *to, cJSON *object)
{
	char *text = cJSON_PrintUnformatted(object);

	if (text)
		fprintf(to, "%s\n", text);
	cJSON_free(text);
	cJSON_Delete(object);
}

void json_print_failure(int code, const char *sentence)
{
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "error", sentence);
	json_add_number(object, "exit_code", code);
	json_print(stdout, object);
	fflush(stdout);
}
