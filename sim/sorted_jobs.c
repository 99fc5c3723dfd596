/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sorted_jobs.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>

/* Jobs that stand before it. */
static size_t rank_of(const struct sorted_jobs *list,
		      const struct sched_job *job)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sched_is_before(list->order, list->jobs[middle], job))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int sorted_jobs_add(struct sorted_jobs *list, struct sched_job *job)
{
	size_t at = rank_of(list, job);

	if (ARRAY_RESERVE(list->jobs, list->n, list->room) < 0)
		return -ENOMEM;
	memmove(list->jobs + at + 1, list->jobs + at,
		(list->n - at) * sizeof(*list->jobs));
	list->jobs[at] = job;
	list->n++;
	return 0;
}

void sorted_jobs_remove(struct sorted_jobs *list, const struct sched_job *job)
{
	size_t at = rank_of(list, job);

	list->n--;
	memmove(list->jobs + at, list->jobs + at + 1,
		(list->n - at) * sizeof(*list->jobs));
}
