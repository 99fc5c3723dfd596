/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/spans.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_spans_init(struct sim_spans *spans, size_t n_jobs)
{
	*spans = (struct sim_spans){
		.jobs = calloc(n_jobs, sizeof(*spans->jobs)),
		.n_jobs = n_jobs,
	};
	if (!spans->jobs)
		return -ENOMEM;
	for (size_t i = 0; i < n_jobs; i++)
		spans->jobs[i].last = SIZE_MAX;
	return 0;
}

void sim_spans_fini(struct sim_spans *spans)
{
	free(spans->at);
	free(spans->jobs);
	*spans = (struct sim_spans){.at = NULL};
}

bool sim_has_ended(const struct sched_job *job)
{
	return job->target > 0;
}

void sim_spans_on_slots(void *user, usec_t now, const struct sched_job *job,
			unsigned from, unsigned to)
{
	struct sim_spans *spans = user;
	struct sim_spans_job *known = &spans->jobs[job->number];

	if (spans->lacks_memory || from == to)
		return;
	if (known->last != SIZE_MAX)
		spans->at[known->last].to = now;
	if (to == 0 && sim_has_ended(job))
		return;
	known->rescales += from > 0 && to > 0;
	known->parks += to == 0;
	if (ARRAY_RESERVE(spans->at, spans->n, spans->room) < 0) {
		spans->lacks_memory = true;
		return;
	}
	if (known->last == SIZE_MAX)
		*known = (struct sim_spans_job){
			.submitted = job->submitted,
			.started = now,
			.priority = job->priority,
		};
	known->last = spans->n;
	spans->at[spans->n++] = (struct sim_span){
		.from = now, .to = now, .job = job->number, .slots = to};
}

static int compare(const void *a, const void *b)
{
	const struct sim_span *x = a, *y = b;

	if (x->job != y->job)
		return x->job > y->job ? 1 : -1;
	if (x->from != y->from)
		return x->from > y->from ? 1 : -1;
	return (x->to > y->to) - (x->to < y->to);
}

struct sim_span *sim_spans_by_job(const struct sim_spans *spans)
{
	struct sim_span *copy = calloc(spans->n + 1, sizeof(*copy));

	if (!copy)
		return NULL;
	if (spans->n)
		memcpy(copy, spans->at, spans->n * sizeof(*copy));
	qsort(copy, spans->n, sizeof(*copy), compare);
	return copy;
}
