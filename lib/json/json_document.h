/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_JSON_DOCUMENT_H
#define JSON_JSON_DOCUMENT_H

/*
 * One file of JSON, read whole
 */

#include "json/json_reader.h"

/* The reader is valid until json_document_fini(). */
struct json_document {
	struct json_reader reader;
	char *text; /* of a file; NULL: it is the caller's */
	cJSON *root;
};

/* -EINVAL with "PATH:LINE: what is wrong"; -ENOMEM.  json_document_fini() in
 * each case. */
int json_document_parse(struct json_document *document, const char *path,
			const char *text, size_t size, struct error *err);

/* The same of a file of at most `most` bytes; -errno of the file. */
int json_document_read(struct json_document *document, const char *path,
		       size_t most, struct error *err);

void json_document_fini(struct json_document *document);

static inline void json_document_fini_at(struct json_document *document)
{
	json_document_fini(document);
}

#endif
