/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as YAML: a tree of JSON that reads back as itself, or a sentence
 * that names the file
 */

#include "kube/yaml.h"

#include "base/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define HOLD(cond)                                                             \
	do {                                                                   \
		if (!(cond)) {                                                 \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,     \
				#cond);                                        \
			abort();                                               \
		}                                                              \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* of its own size, for the sanitizer to see what lies behind it */
	CLEANUP(free) char *copy = malloc(size > 0 ? size : 1);
	CLEANUP(free) char *text = NULL;
	cJSON *tree = NULL, *again;
	struct error err = {""};
	int r;

	HOLD(copy);
	if (size > 0)
		memcpy(copy, data, size);
	r = kube_yaml_parse(&tree, "fuzz", copy, size, &err);
	if (r < 0) {
		HOLD(r == -EINVAL && !tree);
		HOLD(strncmp(err.text, "fuzz:", 5) == 0);
		return 0;
	}
	text = cJSON_PrintUnformatted(tree);
	HOLD(text);
	again = cJSON_Parse(text);
	HOLD(again && cJSON_Compare(tree, again, true));
	cJSON_Delete(again);
	cJSON_Delete(tree);
	return 0;
}
