/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapter.h"
#include "base/list.h"

#include <stdio.h>
#include <string.h>

static const struct adapter *const adapters[] = {
	&adapter_generic,
	&adapter_parint,
};

const struct adapter *adapter_find(const char *name)
{
	for (size_t i = 0; i < LENGTH(adapters); i++)
		if (strcmp(adapters[i]->name, name) == 0)
			return adapters[i];
	return NULL;
}

const char *adapter_names(char *text, size_t n)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < LENGTH(adapters) && at < n; i++)
		at += (size_t)snprintf(text + at, n - at, "%s%s",
				       i > 0 ? ", " : "", adapters[i]->name);
	return text;
}
