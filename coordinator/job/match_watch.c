/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/match_watch.h"

#include "base/log.h"
#include "base/text.h"
#include "coordinator/job/internal.h"

#define PATIENCE SECONDS(30)

static bool has_matched(const struct driver *driver)
{
	return driver->history->step > 0 || driver->progress.epoch > 0;
}

static void tell(struct driver *driver)
{
	struct match_watch *watch = &driver->match;
	char what[128], text[REASON_MAX];

	if (watch->lines == 0)
		snprintf(what, sizeof(what),
			 "rank 0 has printed no whole line; a program whose "
			 "output is no terminal may hold lines back until it "
			 "flushes them");
	else
		snprintf(what, sizeof(what),
			 "it was searched for in %u line%s of rank 0",
			 watch->lines, text_plural(watch->lines));
	snprintf(text, sizeof(text),
		 "no line has matched generic.progress, '%.80s', after %s: %s",
		 driver->jobfile->app.progress, text_duration(PATIENCE).s,
		 what);
	watch->told = true;
	log_warn("epoch=%u %s", driver->job.epoch, text);
	driver_notice(driver, BELLOWS__V1__NOTICE_KIND__NOTICE_UNMATCHED, text,
		      PUBLISH_NOW);
}

static void on_time(void *user)
{
	struct driver *driver = user;

	if (has_matched(driver))
		return;
	/* What is not read is not judged. */
	if (driver->stall.held_back || !job_computes(&driver->job))
		match_watch_on_up(driver);
	else
		tell(driver);
}

void match_watch_on_up(struct driver *driver)
{
	struct match_watch *watch = &driver->match;

	if (driver->jobfile->app.progress && !watch->told &&
	    !has_matched(driver))
		loop_timer_set(driver->loop, &watch->timer, PATIENCE, on_time,
			       driver);
}

void match_watch_on_line(struct driver *driver)
{
	driver->match.lines++;
}

void match_watch_fini(struct match_watch *watch)
{
	loop_timer_clear(&watch->timer);
}
