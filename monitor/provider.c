/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/provider.h"

#include "base/list.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct provider_ops *const providers[] = {
	&provider_hosts,
	&provider_kube,
	&provider_local,
};

const struct provider_ops *provider_find(const char *name)
{
	for (size_t i = 0; i < LENGTH(providers); i++)
		if (strcmp(providers[i]->name, name) == 0)
			return providers[i];
	return NULL;
}

const char *provider_names(char *text, size_t n)
{
	text[0] = '\0';
	for (size_t i = 0; i < LENGTH(providers); i++)
		text_list_add(text, n, providers[i]->name);
	return text;
}

int provider_adopt(struct provider *p, struct error *err)
{
	return p->ops->adopt ? p->ops->adopt(p, err) : 0;
}

void provider_on_job(struct provider *p, const Bellows__V1__Job *job)
{
	if (p->ops->on_job)
		p->ops->on_job(p, job);
}

int provider_hold(struct provider *p, unsigned executors, struct error *err)
{
	int r = p->ops->hold(p, executors, err);

	return r < 0 ? error_wrap(err, r, "%s provider", p->ops->name) : r;
}

struct provider *provider_destroy(struct provider *p)
{
	if (p)
		p->ops->destroy(p);
	return NULL;
}

void provider_trouble(struct provider *p, const char *fmt, ...)
{
	char text[sizeof(p->trouble)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (strcmp(p->trouble, text) == 0)
		return;
	memcpy(p->trouble, text, sizeof(text));
	if (p->events->trouble)
		p->events->trouble(p->user, text);
}
