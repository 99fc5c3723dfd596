/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/workload_random.h"

#include "base/list.h"
#include "base/splitmix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct raw_random {
	unsigned jobs, sets, seed;
	const cJSON *priorities;
	usec_t mean_gap;    /* -1: the gap of the workload */
	double least, most; /* priority */
};

static int read_priorities(const struct json_reader *reader,
			   struct raw_random *raw)
{
	const cJSON *item = raw->priorities;
	size_t n;
	int r = json_check_array(reader, item, "priorities", 2, 2, &n);

	if (r == 0)
		r = json_read_number(reader, item->child, "priority", 1,
				     WORKLOAD_PRIORITY_MAX, &raw->least);
	if (r == 0)
		r = json_read_number(reader, item->child->next, "priority",
				     raw->least, WORKLOAD_PRIORITY_MAX,
				     &raw->most);
	if (r == 0 &&
	    (raw->least != floor(raw->least) || raw->most != floor(raw->most)))
		return json_refuse(reader, item,
				   "priorities are not whole numbers");
	return r;
}

static void draw_jobs(const struct raw_random *raw, struct random *random,
		      unsigned classes, struct workload_set *set)
{
	unsigned priorities = (unsigned)(raw->most - raw->least) + 1;
	double at = 0;

	for (unsigned i = 0; i < raw->jobs; i++) {
		struct workload_job *job = &set->jobs[i];

		job->class = random_below(random, classes);
		job->priority =
			(int)raw->least + (int)random_below(random, priorities);
		job->estimate = -1;
		job->submit = -1;
		if (raw->mean_gap < 0)
			continue;
		if (i > 0)
			at += random_exponential(random) *
			      (double)raw->mean_gap;
		job->submit = (usec_t)llround(at);
	}
	set->n = raw->jobs;
}

static int draw_sets(const struct json_reader *reader,
		     const struct raw_random *raw, struct workload *workload)
{
	struct random random = {raw->seed};

	workload->sets = calloc(raw->sets, sizeof(*workload->sets));
	if (!workload->sets)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < raw->sets; i++) {
		struct workload_set *set = &workload->sets[i];

		set->jobs = calloc(raw->jobs, sizeof(*set->jobs));
		if (!set->jobs)
			return error_set(reader->err, -ENOMEM, "out of memory");
		workload->n_sets++;
		snprintf(set->name, sizeof(set->name), "%u", i + 1);
		draw_jobs(raw, &random, (unsigned)workload->n_classes, set);
	}
	return 0;
}

int workload_random_read(const struct json_reader *reader, const cJSON *item,
			 struct workload *workload)
{
#define KEY(member) offsetof(struct raw_random, member)
	static const struct json_key keys[] = {
		{"jobs", JSON_COUNT, KEY(jobs), 1, WORKLOAD_JOBS_MAX, true},
		{"sets", JSON_COUNT, KEY(sets), 1, WORKLOAD_SETS_MAX, false},
		{"seed", JSON_COUNT, KEY(seed), 0, UINT32_MAX, false},
		{"priorities", JSON_ITEM, KEY(priorities), 0, 0, false},
		{"mean_gap", JSON_SECONDS, KEY(mean_gap), 0,
		 WORKLOAD_SECONDS_MAX, false},
	};
#undef KEY
	struct raw_random raw = {
		.sets = 1, .seed = 1, .mean_gap = -1, .least = 1, .most = 1};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r == 0 && raw.priorities)
		r = read_priorities(reader, &raw);
	if (r < 0)
		return r;
	if ((size_t)raw.jobs * raw.sets > WORKLOAD_JOBS_MAX)
		return json_refuse(reader, item,
				   "%u sets of %u jobs are more than %d jobs",
				   raw.sets, raw.jobs, WORKLOAD_JOBS_MAX);
	if (raw.jobs * (double)raw.mean_gap > WORKLOAD_SECONDS_MAX * 1e6)
		return json_refuse(reader, item,
				   "%u jobs of that mean_gap are submitted "
				   "over more than %d s",
				   raw.jobs, WORKLOAD_SECONDS_MAX);
	return draw_sets(reader, &raw, workload);
}
