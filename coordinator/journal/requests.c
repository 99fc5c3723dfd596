/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/requests.h"

#include <string.h>

const struct request *requests_find(const struct requests *requests,
				    const char *id)
{
	size_t n = requests->n < REQUESTS_MAX ? requests->n : REQUESTS_MAX;

	if (!*id)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strcmp(requests->entries[i].id, id) == 0)
			return &requests->entries[i];
	return NULL;
}

void requests_add(struct requests *requests, const struct request *request)
{
	if (*request->id)
		requests->entries[requests->n++ % REQUESTS_MAX] = *request;
}
