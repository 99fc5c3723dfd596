/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/internal.h"

#include "http/http.h"

#include <string.h>

/* Room for text, escaped, and a NUL. */
static size_t room(const char *text)
{
	return text ? 3 * strlen(text) + 1 : 1;
}

char *kube_escape(const char *text)
{
	char *out = malloc(room(text));

	if (out)
		http_escape(out, text);
	return out;
}

static char *put_part(char *to, const char *part)
{
	if (!part || !*part)
		return to;
	*to++ = '/';
	/* no server is to walk up the path */
	if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0) {
		for (; *part; part++)
			to = stpcpy(to, "%2E");
		return to;
	}
	return http_escape(to, part);
}

static char *put_query(char *to, char sign, const char *query)
{
	if (!query || !*query)
		return to;
	*to++ = sign;
	return stpcpy(to, query);
}

char *kube_url(const char *server, const struct kube_target *target,
	       const char *query)
{
	const struct kube_kind *kind = target->kind;
	const bool core = !*kind->group;
	const char *parts[] = {
		core ? "api" : "apis",
		kind->group,
		kind->version,
		target->namespace ? "namespaces" : NULL,
		target->namespace,
		kind->plural,
		target->name,
		target->name ? target->subresource : NULL,
	};
	size_t size = strlen(server) + 1 + room(target->query) + room(query);
	char *out, *to;

	for (size_t i = 0; i < LENGTH(parts); i++)
		size += room(parts[i]) + 1;
	out = malloc(size);
	if (!out)
		return NULL;

	to = stpcpy(out, server);
	for (size_t i = 0; i < LENGTH(parts); i++)
		to = put_part(to, parts[i]);
	to = put_query(to, '?', target->query);
	put_query(to, target->query && *target->query ? '&' : '?', query);
	return out;
}
