/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sched.h"

#include "base/text.h"

#include <string.h>

/* Longer than any simulation, and short enough to be added to an instant. */
#define NEVER (INT64_MAX / 8)

/* The gap of the published simulator for jobs that are not to be rescaled,
 * 100,000 minutes. */
#define PUBLISHED_NEVER ((usec_t)6000000 * 1000000)

/* clang-format off */
const struct sched_policy sched_policies[] = {
	{"elastic", sched_elastic, SCHED_BY_PRIORITY, SCHED_BY_PRIORITY,
	 .sizes = SCHED_ALL_SIZES},
	{"moldable", sched_elastic, SCHED_BY_PRIORITY, SCHED_BY_PRIORITY,
	 .sizes = SCHED_ALL_SIZES, .gap = NEVER},
	{"rigid_min", sched_elastic, SCHED_BY_PRIORITY, SCHED_BY_PRIORITY,
	 .sizes = SCHED_MIN_ONLY, .gap = NEVER},
	{"rigid_max", sched_elastic, SCHED_BY_PRIORITY, SCHED_BY_PRIORITY,
	 .sizes = SCHED_MAX_ONLY, .gap = NEVER},
	{"operator", sched_operator, SCHED_BY_PRIORITY_PLACE,
	 SCHED_BY_PRIORITY_PLACE, .sizes = SCHED_ALL_SIZES},
	{"published", sched_published, SCHED_BY_PLACE, SCHED_BY_PLACE,
	 .sizes = SCHED_ALL_SIZES, .published = true},
	{"published_moldable", sched_published, SCHED_BY_PLACE, SCHED_BY_PLACE,
	 .sizes = SCHED_ALL_SIZES, .gap = PUBLISHED_NEVER, .published = true},
	{"published_min", sched_published, SCHED_BY_PLACE, SCHED_BY_PLACE,
	 .sizes = SCHED_MIN_ONLY, .gap = PUBLISHED_NEVER, .published = true},
	{"published_max", sched_published, SCHED_BY_PLACE, SCHED_BY_PLACE,
	 .sizes = SCHED_MAX_ONLY, .gap = PUBLISHED_NEVER, .published = true},
	{"published_sorted", sched_published, SCHED_BY_PRIORITY, SCHED_BY_PRIORITY,
	 .sizes = SCHED_ALL_SIZES, .published = true},
	{"published_sorted_moldable", sched_published, SCHED_BY_PRIORITY,
	 SCHED_BY_PRIORITY, .sizes = SCHED_ALL_SIZES, .gap = PUBLISHED_NEVER,
	 .published = true},
	{"published_sorted_min", sched_published, SCHED_BY_PRIORITY, SCHED_BY_PRIORITY,
	 .sizes = SCHED_MIN_ONLY, .gap = PUBLISHED_NEVER, .published = true},
	{"published_sorted_max", sched_published, SCHED_BY_PRIORITY, SCHED_BY_PRIORITY,
	 .sizes = SCHED_MAX_ONLY, .gap = PUBLISHED_NEVER, .published = true},
	{"fifo", sched_fifo, SCHED_BY_PLACE, SCHED_BY_PLACE,
	 .sizes = SCHED_MAX_ONLY},
	{"easy", sched_easy, SCHED_BY_PLACE, SCHED_BY_END,
	 .sizes = SCHED_MAX_ONLY},
	{"bellows", sched_bellows, SCHED_BY_PLACE, SCHED_BY_PLACE,
	 .sizes = SCHED_FILL_IN, .asks_anew = true, .fair_share = true},
	{.name = NULL},
};
/* clang-format on */

const struct sched_policy *sched_policy_find(const char *name)
{
	for (const struct sched_policy *at = sched_policies; at->name; at++)
		if (strcmp(at->name, name) == 0)
			return at;
	return NULL;
}

const char *sched_policy_names(char *text, size_t n, bool simulated)
{
	*text = '\0';
	for (const struct sched_policy *at = sched_policies; at->name; at++)
		if (simulated || !at->published)
			text_list_add(text, n, at->name);
	return text;
}

size_t sched_room(size_t n_queue, size_t n_running)
{
	/* of each waiting job two, as wait and ask; of each that runs one; and
	 * the question when to ask again */
	return 2 * n_queue + n_running + 1;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

bool sched_is_before(enum sched_order order, const struct sched_job *a,
		     const struct sched_job *b)
{
	int place = compare((int64_t)a->place, (int64_t)b->place);
	int priority = compare(a->priority, b->priority);
	int by = 0;

	switch (order) {
	case SCHED_BY_PLACE:
		by = place;
		break;
	case SCHED_BY_PRIORITY:
		by = priority ? priority : compare(b->submitted, a->submitted);
		break;
	case SCHED_BY_PRIORITY_PLACE:
		by = priority ? priority : -place;
		break;
	case SCHED_BY_END:
		by = compare(a->ends, b->ends);
		break;
	}
	return by ? by < 0 : a->number > b->number;
}

unsigned sched_size_least(const struct sched_job *job)
{
	if (job->min > 0)
		return job->min;
	return job->n_sizes > 0 ? job->sizes[0] : 1;
}

unsigned sched_size_at_most(const struct sched_job *job, unsigned ranks)
{
	if (ranks < job->min)
		return 0;
	if (ranks > job->max)
		ranks = job->max;
	if (job->n_sizes == 0)
		return ranks;
	for (size_t i = job->n_sizes; i > 0; i--)
		if (job->sizes[i - 1] <= ranks)
			return job->sizes[i - 1];
	return 0;
}

usec_t sched_waited(const struct sched_job *job, usec_t now)
{
	if (job->size > 0)
		return job->waited;
	return job->waited + now -
	       (job->parked ? job->changed : job->submitted);
}

void sched_fit(const struct sched_policy *policy, struct sched_job *job)
{
	if (policy->sizes != SCHED_FILL_IN)
		job->min = sched_size_least(job);
	if (policy->sizes == SCHED_MIN_ONLY)
		job->max = job->min;
	if (policy->sizes == SCHED_MAX_ONLY)
		job->min = job->max;
}

const char *sched_rule_text(enum sched_rule rule)
{
	static const char *const texts[SCHED_RULES] = {
		[SCHED_FITS] = "the free slots are enough",
		[SCHED_MADE_ROOM] = "other jobs shrink for it",
		[SCHED_GIVES_WAY] = "a job that waits needs the slots",
		[SCHED_GROWS] = "slots are free",
		[SCHED_NO_ROOM] = "too few slots, even if other jobs shrink",
		[SCHED_GAP_ENDS] = "a job may be rescaled again then",
		[SCHED_IN_TURN] = "it is the first of the queue",
		[SCHED_NOT_ITS_TURN] = "a job before it waits for slots",
		[SCHED_ENDS_IN_TIME] =
			"it ends before the first of the queue can start",
		[SCHED_NOT_IN_THE_WAY] =
			"the first of the queue does not need its slots",
		[SCHED_QUEUE_MOVED] = "what runs has changed",
		[SCHED_TOGETHER] =
			"all that happens at this instant is one decision",
		[SCHED_SAVES_TIME] = "free slots save most time there",
		[SCHED_LESS_IMPORTANT] =
			"a job of higher priority needs its slots",
		[SCHED_FILLS_IN] = "no other job has a use for the slots",
	};

	return texts[rule];
}
