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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *copy = fuzz_copy(data, size);
	CLEANUP(free) char *text = NULL;
	cJSON *tree = NULL, *again;
	struct error err = {""};
	int r;

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
