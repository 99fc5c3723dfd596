/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_OWNER_INTERNAL_H
#define MONITOR_OWNER_INTERNAL_H

/* For the files of owner. */

#include "monitor/owner.h"

/* The first of an array; the others follow by next.  NULL: none. */
const cJSON *owner_first(const cJSON *object, const char *path);

bool owner_is(const cJSON *object, const char *path, const char *expected);

/* With metadata and spec, of executors. */
const cJSON *owner_template(const struct owner *owner);

#endif
