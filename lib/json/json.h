/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_JSON_H
#define JSON_JSON_H

/*
 * cJSON as the programs print it: text that is made valid UTF-8, numbers that
 * may be unknown, one object a line
 *
 * If memory is exhausted cJSON leaves out members.
 */

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

/* At most size bytes, up to the first NUL; what is not UTF-8 becomes U+FFFD. */
void json_add_bytes(cJSON *object, const char *key, const char *text,
		    size_t size);
void json_add_text(cJSON *object, const char *key, const char *text);

void json_add_number(cJSON *object, const char *key, double value);

/* null if value is negative. */
void json_add_known(cJSON *object, const char *key, double value);

/* null if value is 0: an instant or a step of the wire that is not known. */
void json_add_nonzero(cJSON *object, const char *key, uint64_t value);

/* Writes object and a newline, and frees it. */
void json_print(FILE *to, cJSON *object);

/* On stdout: why a program ends with the status `code`. */
void json_print_failure(int code, const char *sentence);

#endif
