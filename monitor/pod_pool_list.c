/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/pod_pool_list.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pods by name ---- */

/* Where it is, or belongs. */
static size_t place_of(const struct pod_pool *s, const char *name)
{
	size_t from = 0, to = s->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (strcmp(s->pods[middle]->name, name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

struct pod_pool_pod *pods_find(const struct pod_pool *s, const char *name)
{
	size_t at = place_of(s, name);

	return at < s->n && strcmp(s->pods[at]->name, name) == 0 ? s->pods[at]
								 : NULL;
}

struct pod_pool_pod *pods_add(struct pod_pool *s, const char *name, msec_t now)
{
	size_t at = place_of(s, name);
	struct pod_pool_pod *pod;

	if (ARRAY_RESERVE(s->pods, s->n, s->room) < 0)
		return NULL;
	pod = calloc(1, sizeof(*pod));
	if (!pod)
		return NULL;
	memmove(s->pods + at + 1, s->pods + at, (s->n - at) * sizeof(*s->pods));
	s->pods[at] = pod;
	s->n++;
	snprintf(pod->name, sizeof(pod->name), "%s", name);
	pod->since = now;
	return pod;
}

void pods_forget(struct pod_pool *s, const char *name)
{
	size_t at = place_of(s, name);

	free(s->pods[at]);
	s->n--;
	s->free = 0;
	memmove(s->pods + at, s->pods + at + 1, (s->n - at) * sizeof(*s->pods));
}

long pod_pool_number(const char *name, const char *prefix)
{
	size_t n = prefix ? strlen(prefix) : 0;
	char *end;
	long number;

	if (!prefix || strncmp(name, prefix, n) != 0 || name[n] < '0' ||
	    name[n] > '9' || (name[n] == '0' && name[n + 1]))
		return -1;
	number = strtol(name + n, &end, 10);
	return *end || number >= POD_POOL_EXECUTORS_MAX ? -1 : number;
}

/* ---- what pods are ---- */

bool pod_has_ended(const struct pod_pool_pod *pod)
{
	return pod->phase == POD_POOL_SUCCEEDED ||
	       pod->phase == POD_POOL_FAILED;
}

bool pod_has_parted(const struct pod_pool_pod *pod, msec_t now)
{
	return pod->parted != 0 && now - pod->parted >= POD_POOL_PARTED;
}

bool pod_serves(const struct pod_pool_pod *pod, msec_t now)
{
	return !pod->taken && !pod->ending && !pod->leaving &&
	       pod->removed == 0 && !pod_has_ended(pod) &&
	       !pod_has_parted(pod, now);
}

bool pod_is_here(const struct pod_pool_pod *pod)
{
	return !pod->taken && !pod->asked && !pod_has_ended(pod);
}

bool pod_pool_has(const struct pod_pool *s, const char *name)
{
	const struct pod_pool_pod *pod = pods_find(s, name);

	return pod && pod_is_here(pod);
}

unsigned pod_pool_alive(const struct pod_pool *s)
{
	unsigned alive = 0;

	for (size_t i = 0; i < s->n; i++)
		alive += pod_is_here(s->pods[i]);
	return alive;
}

static bool is_of_task(const struct pod_pool *s, const char *name)
{
	long number = pod_pool_number(name, s->config.task);

	return number >= 0 && number < (long)s->replicas;
}

unsigned pods_promised(const struct pod_pool *s)
{
	unsigned there = 0;

	for (size_t i = 0; i < s->n; i++)
		there += is_of_task(s, s->pods[i]->name);
	return s->replicas - there;
}
