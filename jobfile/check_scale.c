/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/check_scale.h"

#include "apps/adapters.h"
#include "apps/generic/generic.h"
#include "base/list.h"

#include <errno.h>
#include <stdio.h>

static int check_schedule(struct reader *reader)
{
	const struct jobfile *job = reader->job;
	unsigned line = reader_line(reader, "scale.policy");
	struct error why;

	if (job->policy == SCALE_SCHEDULE && job->n_schedule == 0)
		return reader_refuse(reader, line, "scale.policy",
				     "there is no schedule; scale.schedule, or "
				     "policy: manual");
	for (size_t i = 0; i < job->n_schedule; i++) {
		char shown[64];

		if (jobfile_accepts(job, job->schedule[i].ranks, &why) == 0)
			continue;
		snprintf(shown, sizeof(shown), "scale.schedule[%zu].ranks",
			 i + 1);
		return reader_refuse(reader, reader->step_lines[i], shown,
				     "%s; a size that the job accepts",
				     why.text);
	}
	return 0;
}

/* A key that only counts with another one. */
static int check_is_for(struct reader *reader, const char *key, bool counts,
			const char *other)
{
	unsigned line = reader_line(reader, key);

	if (counts || line == 0)
		return 0;
	return reader_refuse(reader, line, key,
			     "is for %s; with that, or leave it out", other);
}

static int check_benefit(struct reader *reader)
{
	static const char *const keys[] = {"scale.goal", "scale.finish_by",
					   "scale.efficiency", "scale.probe"};
	const struct jobfile *job = reader->job;
	bool is_on = job->policy == SCALE_BENEFIT;
	int r = 0;

	for (size_t i = 0; i < LENGTH(keys) && r == 0; i++)
		r = check_is_for(reader, keys[i], is_on,
				 "scale.policy: benefit");
	if (r == 0)
		r = check_is_for(reader, keys[1], job->goal == SCALE_FINISH_BY,
				 "scale.goal: deadline");
	if (r == 0)
		r = check_is_for(reader, keys[2], job->goal == SCALE_EFFICIENCY,
				 "scale.goal: efficiency");
	if (r < 0 || !is_on)
		return r;
	if (job->goal == SCALE_FINISH_BY && job->finish_by == 0)
		return reader_refuse(reader, reader_line(reader, keys[0]),
				     keys[0],
				     "there is no deadline; with "
				     "scale.finish_by, or another goal");
	if (job->adapter == &adapter_generic && !job->app.progress)
		return reader_refuse(reader,
				     reader_line(reader, "scale.policy"),
				     "scale.policy",
				     "the steps of this application are not "
				     "known; benefit with generic.progress, or "
				     "manual");
	return 0;
}

int check_scale(struct reader *reader)
{
	int r = check_schedule(reader);

	return r < 0 ? r : check_benefit(reader);
}
