/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/usage.h"

#include "core/sched_usage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1e6

static void advance(struct usage *usage, usec_t now)
{
	struct sched_decay decay;

	if (now <= usage->now)
		return;
	decay = sched_decay((double)(now - usage->now) / SECOND,
			    SCHED_USAGE_HALF_LIFE);
	for (size_t i = 0; i < usage->n; i++)
		usage->at[i].used = sched_used(&decay, usage->at[i].used,
					       usage->at[i].slots);
	usage->now = now;
}

int usage_find(struct usage *usage, const char *name)
{
	void *grown;

	for (size_t i = 0; i < usage->n; i++)
		if (strcmp(usage->at[i].name, name) == 0)
			return (int)i;
	grown = realloc(usage->at, (usage->n + 1) * sizeof(*usage->at));
	if (!grown)
		return -ENOMEM;
	usage->at = grown;
	grown = realloc(usage->seen, (usage->n + 1) * sizeof(*usage->seen));
	if (!grown)
		return -ENOMEM;
	usage->seen = grown;
	usage->at[usage->n] = (struct usage_user){.used = 0};
	snprintf(usage->at[usage->n].name, sizeof(usage->at->name), "%s", name);
	return (int)usage->n++;
}

void usage_clear(struct usage *usage, usec_t now)
{
	advance(usage, now);
	for (size_t i = 0; i < usage->n; i++)
		usage->at[i].slots = 0;
}

void usage_add(struct usage *usage, int user, unsigned slots)
{
	usage->at[user].slots += slots;
}

const struct sched_user *usage_view(struct usage *usage, usec_t now)
{
	double all = 0;

	if (usage->n < 2)
		return NULL;
	advance(usage, now);
	for (size_t i = 0; i < usage->n; i++)
		all += usage->at[i].used;
	for (size_t i = 0; i < usage->n; i++)
		usage->seen[i] = (struct sched_user){
			.share = 1 / (double)usage->n,
			.usage = all > 0 ? usage->at[i].used / all : 0,
		};
	return usage->seen;
}

void usage_fini(struct usage *usage)
{
	free(usage->at);
	free(usage->seen);
	*usage = (struct usage){0};
}
