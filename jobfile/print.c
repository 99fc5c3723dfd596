/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/schema.h"

#include <stdio.h>
#include <string.h>

static void print_key(const struct schema_key *key)
{
	const char *help = key->help;
	char wanted[256];

	printf("%s\n        %s; ", key->path,
	       schema_wanted(key, wanted, sizeof(wanted)));
	if (key->required)
		printf("required\n");
	else if (key->fallback)
		printf("default: %s\n", key->fallback);
	else
		printf("optional\n");
	while (*help) {
		int n = (int)strcspn(help, "\n");

		printf("        %.*s\n", n, help);
		help += n + (help[n] == '\n');
	}
}

void jobfile_print_schema(void)
{
	for (size_t i = 0; i < SCHEMA_KEYS; i++)
		print_key(&schema_keys[i]);
}
