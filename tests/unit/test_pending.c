/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "coordinator/job/internal.h"
#include "tests/unit/desk_crew.h"

#include <limits.h>

/*
 * A coordinator whose journal stands still
 */

enum { OLD = 5000 };

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 2, max: 6}\n"
			  "checkpoint: {dir: ck}\n";

static struct rpc_call *more(int64_t delta)
{
	Bellows__V1__ScaleRequest request = BELLOWS__V1__SCALE_REQUEST__INIT;
	struct rpc_call *call = desk_call(desk, CALL_SCALE);

	request.size_case = BELLOWS__V1__SCALE_REQUEST__SIZE_DELTA;
	request.delta = delta;
	desk_tell(call, &request.base);
	return call;
}

static bool is_answered(const struct rpc_call *call)
{
	return desk_answer(call)->is_over;
}

static struct driver *computing(struct desk *at)
{
	starts(at, 2);
	prints("w0", 10, 1, 0);
	return at->c->driver;
}

static void asked_for_more(struct desk *at, void *user)
{
	const struct driver *driver = computing(at);
	struct rpc_call *first, *second, *third;

	CHECK(driver->job.state == JOB_RUNNING && driver->job.stepped);
	desk_hold_journal(at, true);
	first = more(1);
	second = more(1);
	third = more(2);
	CHECK(!is_answered(first) && !is_answered(second));
	CHECK(driver->job.want == 2 && driver->job.state == JOB_RUNNING);
	desk_hang_up(third);

	desk_hold_journal(at, false);
	CHECK(is_answered(first) && is_answered(second));
	CHECK(driver->job.want == 4 && driver->job.state == JOB_GROWING);
}

static void each_request_goes_by_what_those_before_have_led_to(void)
{
	CHECK(desk_run(job, asked_for_more, NULL));
}

static void events_come_meanwhile(struct desk *at, void *user)
{
	const struct driver *driver = computing(at);

	desk_hold_journal(at, true);
	scale(3);
	for (int i = 0; i < 3; i++)
		prints("w0", 10, 1, 0);
	come(2);
	CHECK(driver->job.state == JOB_RUNNING);
	CHECK(driver->history->step == 1);

	desk_hold_journal(at, false);
	CHECK(driver->job.state == JOB_PREPARING && driver->job.target == 3);
}

static void what_happens_meanwhile_is_taken_in_its_order(void)
{
	CHECK(desk_run(job, events_come_meanwhile, NULL));
}

static void prepared_late(struct desk *at, void *user)
{
	struct driver *driver = computing(at);
	msec_t in_time;

	desk_hold_journal(at, true);
	scale(1);
	in_time = driver->pending.after.deadline;
	driver->pending.event.job.now -= OLD;
	desk_hold_journal(at, false);
	CHECK(driver->job.state == JOB_PREPARING);
	CHECK(driver->job.deadline >= in_time + OLD);
}

static void a_deadline_begins_when_its_event_takes_effect(void)
{
	CHECK(desk_run(job, prepared_late, NULL));
}

static const char unasked[] =
	"name: heat\napp: generic\ncommand: [sim]\n"
	"ranks: {initial: 2, max: 6}\n"
	"checkpoint: {dir: ck}\n"
	"generic: {files: [state], progress: 'iteration ([0-9]+) of"
	" ([0-9]+)'}\n";

static void lost_with_a_checkpoint(struct desk *at, void *user)
{
	struct driver *driver = computing(at);
	char path[PATH_MAX];
	struct error err;

	snprintf(path, sizeof(path), "%s/state",
		 driver->jobfile->app.checkpoint_dir);
	CHECK(driver->job.stepped && !driver->job.has_checkpoint);
	CHECK(file_replace(path, 0600, "1", 1, &err) == 0);
	desk_hold_journal(at, true);
	members_part(driver->members, 1, "it was killed");
	driver_settle(driver);
	driver_settle(driver); /* another callback */
	CHECK(driver->job.state == JOB_RUNNING);

	desk_hold_journal(at, false);
	CHECK(driver->job.has_checkpoint);
	CHECK(driver->job.state == JOB_STOPPING);
}

static void a_loss_waits_for_the_checkpoint_that_was_found_with_it(void)
{
	CHECK(desk_run(unasked, lost_with_a_checkpoint, NULL));
}

RUN_TESTS(TEST(each_request_goes_by_what_those_before_have_led_to),
	  TEST(what_happens_meanwhile_is_taken_in_its_order),
	  TEST(a_deadline_begins_when_its_event_takes_effect),
	  TEST(a_loss_waits_for_the_checkpoint_that_was_found_with_it))
