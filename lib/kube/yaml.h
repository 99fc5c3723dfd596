/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_YAML_H
#define KUBE_YAML_H

/*
 * YAML, as files of Kubernetes are written, as a tree of JSON
 *
 * What yaml/load.h reads, without keys that are given twice.  JSON is YAML.
 */

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stddef.h>

enum { KUBE_YAML_BYTES_MAX = 4 << 20 };

/* path is for sentences: -EINVAL with "<path>:<line>: <what is wrong>; <what
 * would be right>".  An empty document is null.  The caller deletes *out. */
int kube_yaml_parse(cJSON **out, const char *path, const char *text,
		    size_t size, struct error *err);

#endif
