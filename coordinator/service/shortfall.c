/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/shortfall.h"

#include "base/text.h"

#include <stdio.h>

static void describe_pause(const struct shortfall_facts *facts, char *text,
			   size_t n)
{
	const char *dropped =
		*facts->dropped ? facts->dropped : "the last rescale failed";
	long long left = (facts->job->again - facts->now + 999) / 1000;

	snprintf(text, n, "%s; it is tried again in %lld s", dropped, left);
}

static void describe_executors(const struct shortfall_facts *facts, char *text,
			       size_t n)
{
	if (*facts->trouble)
		snprintf(text, n, "%s", facts->trouble);
	else if (facts->ready < facts->wanted)
		snprintf(text, n, "%u of %u executors are ready", facts->ready,
			 facts->wanted);
}

static bool may_wait(enum job_state state)
{
	return state == JOB_WAITING || state == JOB_REPLACING ||
	       state == JOB_RUNNING || state == JOB_GROWING;
}

void shortfall_describe(const struct shortfall_facts *facts, char *text,
			size_t n)
{
	const struct job *job = facts->job;
	unsigned goal = job_goal(job);

	*text = '\0';
	if (job_is_over(job) || job->target == 0)
		return;
	if (goal != job->want && goal == job->grant)
		snprintf(text, n, "the grant is %u rank%s", job->grant,
			 text_plural(job->grant));
	else if (goal != job->want)
		snprintf(text, n,
			 "the application does not start at %u ranks; that is "
			 "tried again when a size is stated",
			 job->failed);
	else if (may_wait(job->state) && job->size != goal &&
		 job->again > facts->now)
		describe_pause(facts, text, n);
	else if (may_wait(job->state) && job->size != goal)
		describe_executors(facts, text, n);
}
