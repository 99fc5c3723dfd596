/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/periodic.h"

#include "base/log.h"
#include "coordinator/job/internal.h"
#include "core/interval.h"

#include <string.h>

#define AGAIN SECONDS(10) /* if the directory does not take one */

static bool applies(const struct driver *driver)
{
	const struct jobfile *job = driver->jobfile;

	if (job->checkpoint_interval != CHECKPOINT_AUTO)
		return job->checkpoint_interval != CHECKPOINT_NONE;
	return !job->adapter->writes_itself && !jobfile_saves_unasked(job);
}

/* Nodes that ranks run on: executors of one fail together. */
static unsigned count_nodes(const struct ledger *ledger)
{
	unsigned n = 0;

	for (int i = 0; i < ledger->n; i++) {
		const struct member *at = &ledger->members[i];
		int k = 0;

		if (at->ranks == 0)
			continue;
		while (k < i &&
		       (ledger->members[k].ranks == 0 ||
			strcmp(ledger->members[k].node, at->node) != 0))
			k++;
		n += k == i;
	}
	return n;
}

static msec_t interval(const struct driver *driver)
{
	const struct interval_facts facts = {
		.cost = history_checkpoint_cost(driver->history),
		.mtbf = driver->jobfile->checkpoint_mtbf,
		.nodes = count_nodes(members_ledger(driver->members)),
	};
	msec_t best;

	if (driver->jobfile->checkpoint_interval > 0)
		return driver->jobfile->checkpoint_interval;
	best = interval_best(&facts);
	log_info("epoch=%u a checkpoint is due in %lld s: the last cost %lld "
		 "ms, nodes=%u",
		 driver->job.epoch, (long long)best / 1000,
		 (long long)facts.cost, facts.nodes);
	return best;
}

static void on_due(void *user)
{
	struct driver *driver = user;

	if (checkpoint_recovery_may_save(driver->recovery)) {
		driver_post(driver, JOB_EV_DUE, 0, 0, "a checkpoint is due");
		return;
	}
	driver->periodic.due = loop_now() + AGAIN;
	loop_timer_set(driver->loop, &driver->periodic.timer, AGAIN, on_due,
		       driver);
}

void periodic_on_step(struct driver *driver, const struct job *before)
{
	struct periodic *periodic = &driver->periodic;
	const struct job *job = &driver->job;
	bool computes = job->state == JOB_RUNNING || job->state == JOB_GROWING;
	bool proven = job->stepped && !before->stepped;
	msec_t now = loop_now();

	if (!applies(driver))
		return;
	if (proven || (computes && job->stepped && periodic->due == 0) ||
	    (job->stepped && job_has_dropped(job, before) &&
	     periodic->due <= now))
		periodic->due = now + interval(driver);
	if (!computes || !job->stepped)
		loop_timer_clear(&periodic->timer);
	else if (!loop_timer_is_set(&periodic->timer))
		loop_timer_set(driver->loop, &periodic->timer,
			       periodic->due > now ? periodic->due - now : 0,
			       on_due, driver);
}

void periodic_fini(struct periodic *periodic)
{
	loop_timer_clear(&periodic->timer);
}
