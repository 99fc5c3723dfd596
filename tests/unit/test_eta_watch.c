/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "coordinator/service/internal.h"
#include "tests/unit/desk_crew.h"

#include <math.h>

#define JOB(progress)                                                          \
	"name: heat\napp: generic\ncommand: [md]\n"                            \
	"ranks: {initial: 2, max: 4}\ncheckpoint: {dir: ck}\n"                 \
	"generic: {files: [state], progress: '" progress                       \
	"', resumed: '^from ?([0-9]*)'}\n"

#define OPEN    JOB("^step ([0-9]+)")
#define COUNTED JOB("^step ([0-9]+) of ([0-9]+)")

static struct driver *driver;
static const Bellows__V1__Job *job;

static void pass(msec_t time)
{
	driver->history->began -= time;
}

/* A step a second, from the first one on; rest: what the line says behind it.
 */
static void steps(unsigned from, unsigned to, const char *rest)
{
	char line[80];

	for (unsigned i = from; i <= to; i++) {
		pass(1000);
		snprintf(line, sizeof(line), "step %u%s\n", i, rest);
		prints_text("w0", 10, driver->job.epoch, 0, line);
	}
}

static void begin(struct desk *at)
{
	driver = at->c->driver;
	starts(at, 2);
}

/* ---- what is told ---- */

/* What this test takes itself is within the tolerance. */
static bool is_about(double a, double b)
{
	return fabs(a - b) < 0.1 * b;
}

static void counts_down(struct desk *at, void *user)
{
	int64_t before;

	begin(at);
	job = get_job(at);
	CHECK(job && job->rate == 0 && job->eta < 0);
	steps(1, 30, " of 130");
	job = get_job(at);
	CHECK(job && is_about(job->rate, 1));
	CHECK(is_about((double)job->eta, 100000));
	CHECK(job->eta_sd >= 1 && job->eta_sd < 10000);
	before = job->eta;
	pass(400);
	job = get_job(at);
	CHECK(job && job->eta <= before - 400);
	steps(31, 60, " of 130");
	job = get_job(at);
	CHECK(job && is_about((double)job->eta, 70000));
}

static void a_message_has_the_rate_and_the_time_left_with_its_deviation(void)
{
	CHECK(desk_run(COUNTED, counts_down, NULL));
}

static void counts_up(struct desk *at, void *user)
{
	begin(at);
	steps(1, 30, "");
	job = get_job(at);
	CHECK(job && is_about(job->rate, 1));
	CHECK(job->total == 0 && job->eta < 0 && job->eta_sd == 0);
}

static void without_a_total_a_message_has_the_rate_alone(void)
{
	CHECK(desk_run(OPEN, counts_up, NULL));
}

static void never_ends(struct desk *at, void *user)
{
	begin(at);
	steps(1, 30, " of 18446744073709551615");
	job = get_job(at);
	CHECK(job && job->eta == 1000000000000000);
	CHECK(job->eta_sd <= 1000000000000000);
}

static void an_end_that_is_never_reached_is_no_overflow(void)
{
	CHECK(desk_run(COUNTED, never_ends, NULL));
}

/* ---- when it is ---- */

static void is_in_each_state(struct desk *at, void *user)
{
	const struct job was = at->c->driver->job;
	unsigned known = 0, rated = 0;

	for (int i = 0; i <= JOB_SUSPENDED; i++) {
		struct eta eta;

		driver->job.state = (enum job_state)i;
		eta = driver_eta(driver);
		known |= (unsigned)(eta.left >= 0) << i;
		rated |= (unsigned)(eta.rate > 0) << i;
	}
	CHECK(known ==
	      (1u << JOB_STARTING | 1u << JOB_RESUMING | 1u << JOB_RUNNING |
	       1u << JOB_GROWING | 1u << JOB_PREPARING | 1u << JOB_SAVING |
	       1u << JOB_STOPPING));
	CHECK(rated == (1u << JOB_RUNNING | 1u << JOB_GROWING |
			1u << JOB_PREPARING | 1u << JOB_SAVING));
	driver->job.state = JOB_SAVING;
	driver->job.target = 0;
	CHECK(driver_eta(driver).left < 0);
	driver->job = was;
}

static void pauses(struct desk *at, void *user)
{
	begin(at);
	steps(1, 30, " of 130");
	is_in_each_state(at, user);
}

static void a_job_that_waits_or_is_over_has_no_eta(void)
{
	CHECK(desk_run(COUNTED, pauses, NULL));
}

/* For a minute, which is not measured. */
static void stands_still(struct desk *at, void *user)
{
	begin(at);
	steps(1, 30, " of 130");
	pass(60000);
	driver->stall.stall.told = true;
	driver->stall.stall.before = 60000;
	job = get_job(at);
	CHECK(job && job->rate == 0 && job->eta < 0);
	steps(31, 60, " of 130");
	job = get_job(at);
	CHECK(job && is_about(job->rate, 1));
	CHECK(is_about((double)job->eta, 70000));
}

static void a_job_that_stands_still_has_no_eta_until_its_next_step(void)
{
	CHECK(desk_run(COUNTED, stands_still, NULL));
}

/* What lies between the last line before and the first one after is left out.
 */
static void is_held_back(struct desk *at, void *user)
{
	begin(at);
	steps(1, 30, " of 130");
	driver_hold_back(driver, true);
	pass(60000);
	driver_hold_back(driver, false);
	steps(31, 60, " of 130");
	job = get_job(at);
	CHECK(job && is_about(job->rate, 1));
}

static void time_in_which_output_is_not_read_is_not_measured(void)
{
	CHECK(desk_run(COUNTED, is_held_back, NULL));
}

RUN_TESTS(TEST(a_message_has_the_rate_and_the_time_left_with_its_deviation),
	  TEST(without_a_total_a_message_has_the_rate_alone),
	  TEST(an_end_that_is_never_reached_is_no_overflow),
	  TEST(a_job_that_waits_or_is_over_has_no_eta),
	  TEST(a_job_that_stands_still_has_no_eta_until_its_next_step),
	  TEST(time_in_which_output_is_not_read_is_not_measured))
