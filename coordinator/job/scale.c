/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/scale.h"

#include "base/log.h"

#define DECLINE(err, code, ...)                                                \
	((Bellows__V1__ScaleCode)error_set(                                    \
		err, BELLOWS__V1__SCALE_CODE__##code, __VA_ARGS__))

static Bellows__V1__ScaleCode check_state(const struct coordinator *c,
					  struct error *err)
{
	if (job_is_over(&c->job))
		return DECLINE(err, OVER, "the job is %s",
			       job_state_name(c->job.state));
	if (c->job.starts != 0 && c->job.target == 0)
		return DECLINE(err, SUSPENDED_SOON,
			       "the job is being suspended");
	return BELLOWS__V1__SCALE_CODE__ACCEPTED;
}

/* The job has given up that size, or waits before it tries again. */
static bool may_try_again(const struct job *job)
{
	return job->failures > 0 || job->again > 0;
}

Bellows__V1__ScaleCode scale_check(const struct coordinator *c, int64_t ranks,
				   struct error *err)
{
	const struct jobfile *file = c->jobfile;
	Bellows__V1__ScaleCode code = check_state(c, err);

	if (code != BELLOWS__V1__SCALE_CODE__ACCEPTED)
		return code;
	if (ranks < 1 || ranks > RANKS_MAX)
		return DECLINE(err, OUT_OF_RANGE, "%lld ranks; from %u to %u",
			       (long long)ranks, file->ranks.min,
			       file->ranks.max);
	if (ranks == c->job.want && !may_try_again(&c->job))
		return ranks == c->job.size
			       ? DECLINE(err, UNCHANGED,
					 "it has %u ranks already", c->job.size)
			       : DECLINE(err, UNCHANGED,
					 "it is to have %u ranks already",
					 c->job.want);
	if (jobfile_accepts(file, (unsigned)ranks, err) < 0)
		return ranks < file->ranks.min || ranks > file->ranks.max
			       ? BELLOWS__V1__SCALE_CODE__OUT_OF_RANGE
			       : BELLOWS__V1__SCALE_CODE__SIZE_REFUSED;
	if (trials_look(c->trials, (unsigned)ranks, err) < 0)
		return BELLOWS__V1__SCALE_CODE__SIZE_REFUSED;
	if (ranks > c->job.grant)
		return DECLINE(err, ABOVE_GRANT, "the grant is %u ranks",
			       c->job.grant);
	return DECLINE(err, ACCEPTED, "%s", "");
}

Bellows__V1__ScaleCode scale_check_grant(const struct coordinator *c,
					 unsigned ranks, unsigned *rounded,
					 struct error *err)
{
	const struct jobfile *file = c->jobfile;
	Bellows__V1__ScaleCode code = check_state(c, err);

	*rounded = 0;
	if (code != BELLOWS__V1__SCALE_CODE__ACCEPTED)
		return code;
	*rounded = jobfile_largest(file, ranks);
	if (ranks > 0 && *rounded == 0)
		return DECLINE(err, OUT_OF_RANGE,
			       "a grant of %u ranks; at least %u, or 0 to "
			       "suspend the job",
			       ranks, file->ranks.min);
	return DECLINE(err, ACCEPTED, "%s", "");
}

bool scale_is_accepted(Bellows__V1__ScaleCode code)
{
	return code == BELLOWS__V1__SCALE_CODE__ACCEPTED ||
	       code == BELLOWS__V1__SCALE_CODE__ABOVE_GRANT;
}

void scale_declined(struct coordinator *c, int64_t ranks, const char *reason)
{
	char text[REASON_MAX];

	log_info("scale to %lld declined: %s", (long long)ranks, reason);
	snprintf(text, sizeof(text), "%u -> %lld ranks: %s", c->job.size,
		 (long long)ranks, reason);
	if (record_notice(c->record, BELLOWS__V1__NOTICE_KIND__NOTICE_DECLINED,
			  text))
		service_publish(c, PUBLISH_SOON);
}

void scale_begin(struct coordinator *c, unsigned ranks, msec_t deadline,
		 const char *reason)
{
	c->job.patience.grow = deadline ? deadline : c->jobfile->scale_deadline;
	coordinator_post(c, JOB_EV_SCALE, 0, ranks,
			 *reason ? reason : "asked to");
	coordinator_settle(c);
}

void scale_grant(struct coordinator *c, unsigned ranks, const char *reason)
{
	const char *why = *reason ? reason : "the scheduler's grant";

	if (ranks == 0)
		coordinator_post(c, JOB_EV_SUSPEND, 0, 0, why);
	else if (ranks != c->job.grant)
		coordinator_post(c, JOB_EV_GRANT, 0, ranks, why);
	coordinator_settle(c);
}
