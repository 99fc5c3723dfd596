/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOBFILE_SYNTAX_H
#define JOBFILE_SYNTAX_H

/*
 * The part of YAML that a job file may use
 *
 * One document in UTF-8, of mappings, lists and scalars, not deep and not
 * large. Anchors, aliases and tags are refused, so what is loaded is a tree
 * that was written out as a whole, and no file makes reading it expensive.
 */

#include "base/error.h"

#include <yaml.h>

enum {
	SYNTAX_BYTES_MAX = 1 << 20,
	SYNTAX_DEPTH_MAX = 16,
	SYNTAX_EVENTS_MAX = 20000,
};

/* -EINVAL with "<path>:<line>: <what is wrong>; <what would be right>".  On
 * success the caller owns the document: yaml_document_delete(). */
int syntax_load(yaml_document_t *out, const char *path, const char *text,
		size_t size, struct error *err);

#endif
