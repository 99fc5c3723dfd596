/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_YAML_H
#define KUBE_YAML_H

/*
 * YAML, as files of Kubernetes are written, as a tree of JSON
 *
 * One document in UTF-8, of mappings, lists and scalars, not deep and not
 * large.  Anchors, aliases, tags and keys that are given twice are refused:
 * what is read was written out as a whole, and no file makes reading it
 * expensive. JSON is YAML.
 */

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stddef.h>

enum {
	YAML_BYTES_MAX = 4 << 20,
	YAML_DEPTH_MAX = 64,
	YAML_VALUES_MAX = 30000,
};

/* path is for sentences: -EINVAL with "<path>:<line>: <what is wrong>; <what
 * would be right>".  An empty document is null.  The caller deletes *out. */
int kube_yaml_parse(cJSON **out, const char *path, const char *text,
		    size_t size, struct error *err);

#endif
