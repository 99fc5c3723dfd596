/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

#include "base/log.h"
#include "base/text.h"

/*
 * What becomes of checkpoints and disks, as notices and events of the job
 */

static void on_disk(void *user, const char *text, bool well)
{
	struct driver *driver = user;
	const char *obstacle = checkpoint_recovery_obstacle(driver->recovery);

	if (well)
		log_info("%s", text);
	else
		log_warn("%s", text);
	driver_notice(driver,
		      well ? BELLOWS__V1__NOTICE_KIND__NOTICE_DISK_WELL
			   : BELLOWS__V1__NOTICE_KIND__NOTICE_DISK,
		      text, PUBLISH_SOON);
	if (driver->job.state == JOB_PREPARING && *obstacle)
		driver_post(driver, JOB_EV_UNPREPARED, driver->job.next, 0,
			    obstacle);
}

static void on_unkept(void *user, const char *text)
{
	log_warn("%s", text);
	driver_notice(user, BELLOWS__V1__NOTICE_KIND__NOTICE_CHECKPOINT, text,
		      PUBLISH_SOON);
}

/* As far as its step is known. */
static const char *name_of(const struct driver *driver,
			   const struct checkpoint *which, const char *unnamed,
			   char text[64])
{
	if (which->step > 0)
		snprintf(text, 64, "the one of %.50s",
			 text_step(which->step, jobfile_unit(driver->jobfile))
				 .s);
	else
		snprintf(text, 64, "%s", unnamed);
	return text;
}

static void on_went_back(void *user, const struct checkpoint *newest,
			 const struct checkpoint *older, const char *why)
{
	struct driver *driver = user;
	uint64_t step = driver->history->step;
	uint64_t seen = step > newest->step ? step : newest->step;
	char bad[64], good[64], text[REASON_MAX], repeated[96] = "";

	if (older->step > 0 && seen > older->step)
		snprintf(repeated, sizeof(repeated),
			 ", and %.60s are computed again",
			 text_amount(seen - older->step,
				     jobfile_unit(driver->jobfile))
				 .s);
	snprintf(text, sizeof(text),
		 "of the checkpoints, %s %s: going on from %s%s",
		 name_of(driver, newest, "the newest", bad), why,
		 newest->mark != 0 && older->mark == newest->mark
			 ? "its copy"
			 : name_of(driver, older, "the one before", good),
		 repeated);
	driver->progress.saved_after = 0;
	on_unkept(driver, text);
}

static void on_begins_anew(void *user, const char *text)
{
	struct driver *driver = user;
	char whole[REASON_MAX + 64];

	snprintf(whole, sizeof(whole), "%s, and the job begins anew", text);
	driver->progress.saved_after = 0;
	on_unkept(driver, whole);
}

bool driver_begins_anew(struct driver *driver)
{
	bool anew =
		checkpoint_recovery_unreadable(driver->recovery)->begins_anew;

	if (!anew)
		driver->exit_code = EXIT_UNREADABLE;
	return anew;
}

static void on_may_save(void *user)
{
	driver_order_save(user);
}

const struct checkpoint_recovery_events driver_recovery_events = {
	on_disk, on_unkept, on_went_back, on_begins_anew, on_may_save,
};
