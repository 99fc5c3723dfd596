/* SPDX-License-Identifier: Apache-2.0 */
#include "core/job_goal.h"

#define MIN(a, b)       ((a) < (b) ? (a) : (b))
#define MAX(a, b)       ((a) > (b) ? (a) : (b))
#define DIVIDE_UP(a, b) (((a) + (b)-1) / (b))

#define PAUSE     SECONDS(1)
#define PAUSE_MAX MINUTES(5)

/* A start that failed cost a pause of the application: it counts as so many
 * rescales that were dropped. */
enum { FAILED_START = 4 };

static void forget_failures(struct job *job)
{
	job->failed = job->failures = job->instead = job->drops = 0;
	job->again = 0;
}

bool job_state_number(struct job *job, const struct job_event *event)
{
	if (event->type == JOB_EV_SCALE && event->size > 0)
		job->want = event->size;
	else if (event->type == JOB_EV_GRANT && event->size > 0)
		job->grant = event->size;
	else
		return false;
	forget_failures(job);
	if (job->state == JOB_RUNNING)
		job->deadline = 0; /* of the pause until the next try */
	return true;
}

unsigned job_goal(const struct job *job)
{
	unsigned goal = MIN(job->want, job->grant);

	if (goal == job->failed && job->failures >= JOB_FAILURES_MAX)
		return job->instead;
	return goal;
}

unsigned job_executors_wanted(const struct job *job, unsigned per,
			      unsigned leaving)
{
	unsigned next = job_is_over(job) ? 0 : MAX(job->target, job_goal(job));
	unsigned least = DIVIDE_UP(next, per);
	unsigned most = DIVIDE_UP(MAX(job_ranks_held(job), next), per);

	return MAX(most > leaving ? most - leaving : 0, least);
}

void job_postpone(struct job *job, msec_t now)
{
	msec_t pause = PAUSE;

	for (unsigned i = 0; i < job->drops && pause < PAUSE_MAX; i++)
		pause *= 2;
	job->drops++;
	job->again = now + MIN(pause, PAUSE_MAX);
}

void job_count_failure(struct job *job, unsigned ranks, bool for_good,
		       msec_t now)
{
	if (job->failed != ranks)
		job->failures = 0;
	job->failed = ranks;
	job->failures = for_good ? JOB_FAILURES_MAX
				 : MIN(job->failures + 1, JOB_FAILURES_MAX);
	job->instead = job->proven ? job->proven : job->size;
	job->drops = MAX(job->drops, FAILED_START * job->failures - 1);
	job_postpone(job, now);
}

void job_count_success(struct job *job)
{
	if (job->begun == job->failed)
		job->failed = job->failures = job->instead = 0;
	if (job->begun == job_goal(job)) {
		job->drops = 0;
		job->again = 0;
	}
}
