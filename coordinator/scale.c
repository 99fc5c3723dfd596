/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/scale.h"

#include "base/log.h"

#include <errno.h>

int scale_check(const struct coordinator *c, int64_t ranks, struct error *err)
{
	if (job_is_over(&c->job))
		return error_set(err, -EINVAL, "the job is %s",
				 job_state_name(c->job.state));
	if (c->job.state != JOB_RUNNING && c->job.target != c->job.size)
		return error_set(err, -EBUSY,
				 "a rescale from %u to %u ranks is under way "
				 "(%s)",
				 c->job.size, c->job.target,
				 job_state_name(c->job.state));
	if (c->job.state == JOB_PREPARING || c->job.state == JOB_SAVING)
		return error_set(err, -EBUSY, "a checkpoint is being made (%s)",
				 job_state_name(c->job.state));
	if (c->job.state != JOB_RUNNING)
		return error_set(err, -EBUSY, "the job is %s",
				 job_state_name(c->job.state));
	if (ranks < 1 || ranks > RANKS_MAX)
		return error_set(err, -EINVAL, "%lld ranks; from %u to %u",
				 (long long)ranks, c->jobfile->ranks.min,
				 c->jobfile->ranks.max);
	if (ranks == c->job.size)
		return error_set(err, -EINVAL, "it has %u ranks already",
				 c->job.size);
	if (jobfile_accepts(c->jobfile, (unsigned)ranks, err) < 0)
		return -EINVAL;
	return trials_look(c->trials, (unsigned)ranks, err) < 0 ? -EINVAL : 0;
}

void scale_declined(struct coordinator *c, int64_t ranks, const char *reason)
{
	char text[REASON_MAX];

	log_info("scale to %lld declined: %s", (long long)ranks, reason);
	snprintf(text, sizeof(text), "%u -> %lld ranks: %s", c->job.size,
		 (long long)ranks, reason);
	if (record_notice(c, BELLOWS__V1__NOTICE_KIND__NOTICE_DECLINED, text))
		service_publish(c, PUBLISH_SOON);
}

void scale_begin(struct coordinator *c, unsigned ranks, msec_t deadline,
		 const char *reason)
{
	c->job.patience.grow = deadline ? deadline : c->jobfile->scale_deadline;
	coordinator_event(c, JOB_EV_SCALE, 0, ranks,
			  *reason ? reason : "asked to");
}
