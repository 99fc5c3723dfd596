/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "coordinator/service/internal.h"
#include "tests/unit/desk_crew.h"

/*
 * What GetJob tells of the steps, for a monitor that scales by them
 */

#define JOB                                                                    \
	"name: heat\napp: generic\ncommand: [md]\n"                            \
	"ranks: {initial: 2, max: 4}\ncheckpoint: {dir: ck}\n"                 \
	"generic: {files: [state], progress: '^step ([0-9]+) of ([0-9]+)', "   \
	"resumed: '^from ?([0-9]*)'}\n"

static const Bellows__V1__Job *job;

static void steps(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;

	starts(at, 2);
	job = get_job(at);
	CHECK(job);
	CHECK(job->total == 0 && job->step_at == 0);
	CHECK(job->checkpoint_bytes == 0);
	driver->history->began -= SECONDS(5);
	prints_text("w0", 10, driver->job.epoch, 0, "step 7 of 900\n");
	driver->history->began -= SECONDS(60);
	job = get_job(at);
	CHECK(job);
	CHECK(job->step == 7 && job->total == 900);
	CHECK(job->step_at >= 5000 && job->step_at < job->age - 59000);
}

static void
a_message_says_when_the_last_step_was_made_and_how_many_there_are(void)
{
	CHECK(desk_run(JOB, steps, NULL));
}

static void saves(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;
	char path[4200];
	FILE *file;

	starts(at, 2);
	prints_text("w0", 10, driver->job.epoch, 0, "step 7 of 900\n");
	scale(1);
	arrives(0, 2, 0);
	snprintf(path, sizeof(path), "%s/state",
		 driver->jobfile->app.checkpoint_dir);
	file = fopen(path, "w");
	CHECK(file && fputs("state", file) >= 0 && fclose(file) == 0);
	judges("w0", 10, 1);
	CHECK(driver->job.state == JOB_STOPPING);
	job = get_job(at);
	CHECK(job);
	CHECK(job->checkpoint_bytes == 5);
}

static void a_message_says_how_large_the_newest_checkpoint_is(void)
{
	CHECK(desk_run(JOB, saves, NULL));
}

/* In how many milliseconds a step is told that is not the first one. */
static void counts_delay(struct desk *at, void *user)
{
	struct loop_timer *publish = &at->c->service->publish;
	msec_t *delay = user;

	starts(at, 2);
	prints_text("w0", 10, 1, 0, "step 7 of 900\n");
	driver_settle(at->c->driver);
	loop_timer_clear(publish);
	prints_text("w0", 10, 1, 0, "step 8 of 900\n");
	CHECK(loop_timer_is_set(publish));
	*delay = publish->at - loop_now();
}

static void steps_are_told_soon_to_a_monitor_that_goes_by_them(void)
{
	msec_t manual = 0, benefit = 0, schedule = 0;

	CHECK(desk_run(JOB, counts_delay, &manual));
	CHECK(desk_run(JOB "scale: {policy: benefit}\n", counts_delay,
		       &benefit));
	CHECK(desk_run(JOB "scale: {schedule: [{at: 50%, ranks: 3}]}\n",
		       counts_delay, &schedule));
	CHECK(manual > PUBLISH_SOON);
	CHECK(benefit > 0 && benefit <= PUBLISH_SOON);
	CHECK(schedule > 0 && schedule <= PUBLISH_SOON);
}

RUN_TESTS(
	TEST(a_message_says_when_the_last_step_was_made_and_how_many_there_are),
	TEST(steps_are_told_soon_to_a_monitor_that_goes_by_them),
	TEST(a_message_says_how_large_the_newest_checkpoint_is))
