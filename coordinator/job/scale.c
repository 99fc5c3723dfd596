/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/scale.h"

#include "coordinator/job/internal.h"

#include "base/log.h"

#define DECLINE(err, code, ...)                                                \
	((Bellows__V1__ScaleCode)error_set(                                    \
		err, BELLOWS__V1__SCALE_CODE__##code, __VA_ARGS__))

static Bellows__V1__ScaleCode check_state(const struct driver *driver,
					  struct error *err)
{
	if (job_is_over(&driver->job))
		return DECLINE(err, OVER, "the job is %s",
			       job_state_name(driver->job.state));
	if (driver->job.starts != 0 && driver->job.target == 0)
		return DECLINE(err, SUSPENDED_SOON,
			       "the job is being suspended");
	return BELLOWS__V1__SCALE_CODE__ACCEPTED;
}

/* The job has given up that size, or waits before it tries again. */
static bool may_try_again(const struct job *job)
{
	return job->failures > 0 || job->again > 0;
}

Bellows__V1__ScaleCode scale_check(const struct driver *driver, int64_t ranks,
				   struct error *err)
{
	const struct jobfile *file = driver->jobfile;
	Bellows__V1__ScaleCode code = check_state(driver, err);

	if (code != BELLOWS__V1__SCALE_CODE__ACCEPTED)
		return code;
	if (ranks < 1 || ranks > RANKS_MAX)
		return DECLINE(err, OUT_OF_RANGE, "%lld ranks; from %u to %u",
			       (long long)ranks, file->ranks.min,
			       file->ranks.max);
	if (ranks == driver->job.want && !may_try_again(&driver->job))
		return ranks == driver->job.size
			       ? DECLINE(err, UNCHANGED,
					 "it has %u ranks already",
					 driver->job.size)
			       : DECLINE(err, UNCHANGED,
					 "it is to have %u ranks already",
					 driver->job.want);
	if (jobfile_accepts(file, (unsigned)ranks, err) < 0)
		return ranks < file->ranks.min || ranks > file->ranks.max
			       ? BELLOWS__V1__SCALE_CODE__OUT_OF_RANGE
			       : BELLOWS__V1__SCALE_CODE__SIZE_REFUSED;
	if (trials_look(driver->trials, (unsigned)ranks, err) < 0)
		return BELLOWS__V1__SCALE_CODE__SIZE_REFUSED;
	if (ranks > driver->job.grant)
		return DECLINE(err, ABOVE_GRANT, "the grant is %u ranks",
			       driver->job.grant);
	return DECLINE(err, ACCEPTED, "%s", "");
}

Bellows__V1__ScaleCode scale_check_grant(const struct driver *driver,
					 unsigned ranks, unsigned *rounded,
					 struct error *err)
{
	const struct jobfile *file = driver->jobfile;
	Bellows__V1__ScaleCode code = check_state(driver, err);

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

void scale_declined(struct driver *driver, int64_t ranks, const char *reason)
{
	char text[REASON_MAX];

	log_info("scale to %lld declined: %s", (long long)ranks, reason);
	snprintf(text, sizeof(text), "%u -> %lld ranks: %s", driver->job.size,
		 (long long)ranks, reason);
	if (journal_writer_notice(driver->writer,
				  BELLOWS__V1__NOTICE_KIND__NOTICE_DECLINED,
				  text))
		driver_publish(driver, PUBLISH_SOON);
}

void scale_begin(struct driver *driver, unsigned ranks, msec_t deadline,
		 const char *reason)
{
	driver->job.patience.grow =
		deadline ? deadline : driver->jobfile->scale_deadline;
	driver_post(driver, JOB_EV_SCALE, 0, ranks,
		    *reason ? reason : "asked to");
}

void scale_grant(struct driver *driver, unsigned ranks, const char *reason)
{
	const char *why = *reason ? reason : "the scheduler's grant";

	if (ranks == 0)
		driver_post(driver, JOB_EV_SUSPEND, 0, 0, why);
	else if (ranks != driver->job.grant)
		driver_post(driver, JOB_EV_GRANT, 0, ranks, why);
}
