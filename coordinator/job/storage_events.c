/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/log.h"

#include <inttypes.h>

/*
 * What becomes of checkpoints and disks, as notices and events of the job
 */

static void notice(struct coordinator *c, Bellows__V1__NoticeKind kind,
		   const char *text)
{
	if (!job_is_over(&c->job) && record_notice(c->record, kind, text))
		service_publish(c, PUBLISH_SOON);
}

static void on_disk(void *user, const char *text, bool well)
{
	struct coordinator *c = user;
	const char *obstacle = storage_obstacle(c->storage);

	if (well)
		log_info("%s", text);
	else
		log_warn("%s", text);
	notice(c,
	       well ? BELLOWS__V1__NOTICE_KIND__NOTICE_DISK_WELL
		    : BELLOWS__V1__NOTICE_KIND__NOTICE_DISK,
	       text);
	if (c->job.state == JOB_PREPARING && *obstacle)
		coordinator_post(c, JOB_EV_UNPREPARED, c->job.next, 0,
				 obstacle);
}

static void on_unkept(void *user, const char *text)
{
	log_warn("%s", text);
	notice(user, BELLOWS__V1__NOTICE_KIND__NOTICE_CHECKPOINT, text);
}

/* As far as its step is known. */
static const char *name_of(const struct checkpoint *which, const char *unnamed,
			   char text[64])
{
	if (which->step > 0)
		snprintf(text, 64, "the one of step %" PRIu64, which->step);
	else
		snprintf(text, 64, "%s", unnamed);
	return text;
}

static void on_went_back(void *user, const struct checkpoint *newest,
			 const struct checkpoint *older, const char *why)
{
	struct coordinator *c = user;
	uint64_t step = c->history->step;
	uint64_t seen = step > newest->step ? step : newest->step;
	char bad[64], good[64], text[REASON_MAX], repeated[96] = "";

	if (older->step > 0 && seen > older->step)
		snprintf(repeated, sizeof(repeated),
			 ", and %" PRIu64 " %s are computed again",
			 seen - older->step, jobfile_unit(c->jobfile));
	snprintf(text, sizeof(text),
		 "of the checkpoints, %s %s: going on from %s%s",
		 name_of(newest, "the newest", bad), why,
		 name_of(older, "the one before", good), repeated);
	c->saved_after = 0;
	on_unkept(c, text);
	if (*repeated)
		record_repeated(c->record, seen - older->step);
}

const struct storage_events coordinator_storage_events = {
	on_disk,
	on_unkept,
	on_went_back,
};
