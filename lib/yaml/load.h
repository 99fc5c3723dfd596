/* SPDX-License-Identifier: Apache-2.0 */
#ifndef YAML_LOAD_H
#define YAML_LOAD_H

/*
 * The part of YAML that files may use which people write for us
 *
 * One document in UTF-8, of mappings, lists and scalars, not deep and not
 * large.  Anchors, aliases and tags are refused, so what is loaded is a tree
 * that was written out as a whole, and no file makes reading it expensive.
 */

#include "base/cleanup.h"
#include "base/error.h"

#include <yaml.h>

struct yaml_limits {
	const char *what; /* "a job file", for sentences */
	size_t bytes;     /* whole MiB */
	unsigned depth, values;
};

/* -EINVAL with "<path>:<line>: <what is wrong>; <what would be right>".  On
 * success the caller owns the document: yaml_document_delete(). */
int yaml_load(yaml_document_t *out, const struct yaml_limits *limits,
	      const char *path, const char *text, size_t size,
	      struct error *err);

static inline void yaml_document_delete_at(yaml_document_t *document)
{
	yaml_document_delete(document);
}

#endif
