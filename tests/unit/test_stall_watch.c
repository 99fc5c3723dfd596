/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "tests/unit/desk_crew.h"

#define JOB                                                                    \
	"name: heat\napp: parint\n"                                            \
	"command: [parint, --array-size, 64]\n"                                \
	"ranks: {initial: 2, max: 4}\n"                                        \
	"checkpoint: {dir: ck}\nstall_after: 800s\n"

#define SENTENCE "no progress after 7 steps for 13 min" /* and some seconds */

enum { LOOKS = 8 }; /* within stall_after, and one each 100 s */

static struct driver *driver;

/* So many looks later: none of the real time is waited for. */
static void pass(unsigned looks)
{
	struct stall_watch *watch = &driver->stall;

	for (; looks > 0 && loop_timer_is_set(&watch->timer); looks--) {
		watch->stall.looked -= stall_next_look(&watch->stall);
		loop_timer_clear(&watch->timer);
		watch->timer.fn(driver);
		driver_settle(driver);
	}
}

static void says(const char *text)
{
	prints_text("w0", 10, driver->job.epoch, 0, text);
}

static bool is_told(const char *start)
{
	char text[128];

	driver_describe_stall(driver, text, sizeof(text));
	return *start ? strncmp(text, start, strlen(start)) == 0 : !*text;
}

static unsigned notices(Bellows__V1__NoticeKind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < driver->history->n_notices; i++)
		n += driver->history->notices[i].kind == kind;
	return n;
}

static unsigned stalls(void)
{
	return notices(BELLOWS__V1__NOTICE_KIND__NOTICE_STALLED);
}

static void begin(struct desk *at)
{
	driver = at->c->driver;
	starts(at, 2);
	CHECK(driver->job.state == JOB_RUNNING);
}

static void stands_still(struct desk *at, void *user)
{
	begin(at);
	says("parint: iteration 7 of 100\n");
	pass(LOOKS - 1);
	CHECK(is_told("") && driver_stall_length(driver) == 0);
	/* lines without a step that is new */
	says("parint: iteration 7 of 100\nwarning: it is late\n");
	pass(1);
	CHECK(is_told(SENTENCE));
	CHECK(driver_stall_length(driver) >= SECONDS(800));
	pass(LOOKS);
	CHECK(stalls() == 1 && driver->job.state == JOB_RUNNING);
	says("parint: iteration 8 of 100\n");
	CHECK(is_told("") && driver_stall_length(driver) == 0);
	CHECK(notices(BELLOWS__V1__NOTICE_KIND__NOTICE_STALL_OVER) == 1);
}

static void a_job_that_stands_still_is_told_once_until_its_next_step(void)
{
	CHECK(desk_run(JOB, stands_still, NULL));
}

static void prints_no_step(struct desk *at, void *user)
{
	begin(at);
	pass(LOOKS - 1);
	says("reading the mesh\n");
	pass(LOOKS - 1);
	CHECK(is_told(""));
	pass(1);
	CHECK(is_told("no output for 13 min"));
	says("read\n");
	CHECK(is_told(""));
}

static void any_output_counts_until_a_step_is_seen(void)
{
	CHECK(desk_run(JOB, prints_no_step, NULL));
}

static void starts_again(struct desk *at, void *user)
{
	begin(at);
	says("parint: iteration 7 of 100\n");
	pass(LOOKS);
	CHECK(driver->job.state == JOB_STOPPING && is_stopped(0, true));
	CHECK(strncmp(driver_reason(driver), SENTENCE, strlen(SENTENCE)) == 0);
	CHECK(driver->job.retries_left == driver->job.patience.retries - 1);
	is_gone(0, 1);
	is_gone(1, 1);
	CHECK(driver->job.state == JOB_STARTING && driver->job.epoch == 2);
	CHECK(!loop_timer_is_set(&driver->stall.timer) && !is_told(""));
	for (unsigned i = 0; i < 2; i++)
		arrives((int)i, 2, i);
	for (unsigned i = 0; i < 2; i++)
		is_up((int)i, 2, i, 1);
	CHECK(driver->job.state == JOB_RUNNING);
	pass(LOOKS - 1);
	CHECK(driver->job.state == JOB_RUNNING && stalls() == 1);
	says("parint: iteration 1 of 100\n");
	CHECK(is_told(""));
}

static void ranks_that_stand_still_are_killed_and_start_again(void)
{
	CHECK(desk_run(JOB "on_stall: restart\n", starts_again, NULL));
}

static void saves(struct desk *at, void *user)
{
	begin(at);
	says("parint: iteration 7 of 100\n");
	pass(LOOKS - 1);
	scale(1);
	arrives(0, 2, 0);
	CHECK(driver->job.state == JOB_SAVING);
	CHECK(!loop_timer_is_set(&driver->stall.timer));
	says("parint: cannot write checkpoint ck: No space left\n");
	CHECK(driver->job.state == JOB_RUNNING && stalls() == 0);
	pass(1);
	CHECK(stalls() == 1);
}

static void a_checkpoint_that_is_written_does_not_count(void)
{
	CHECK(desk_run(JOB, saves, NULL));
}

static void is_not_heard(struct desk *at, void *user)
{
	struct ledger *ledger = members_ledger(at->c->driver->members);

	begin(at);
	ledger->members[1].heard -= SECONDS(60);
	pass(10 * LOOKS);
	CHECK(stalls() == 0);
	ledger->members[1].heard = loop_now() + MINUTES(60);
	pass(LOOKS);
	CHECK(stalls() == 1);
}

static void ranks_that_their_lease_has_stopped_do_not_stand_still(void)
{
	CHECK(desk_run(JOB, is_not_heard, NULL));
}

static void is_not_read(struct desk *at, void *user)
{
	begin(at);
	pass(LOOKS - 1);
	driver_hold_back(driver, true);
	CHECK(!loop_timer_is_set(&driver->stall.timer));
	driver_hold_back(driver, false);
	CHECK(stalls() == 0);
	pass(1);
	CHECK(stalls() == 1);
}

static void what_is_not_read_is_not_judged(void)
{
	CHECK(desk_run(JOB, is_not_read, NULL));
}

RUN_TESTS(TEST(a_job_that_stands_still_is_told_once_until_its_next_step),
	  TEST(any_output_counts_until_a_step_is_seen),
	  TEST(ranks_that_stand_still_are_killed_and_start_again),
	  TEST(a_checkpoint_that_is_written_does_not_count),
	  TEST(ranks_that_their_lease_has_stopped_do_not_stand_still),
	  TEST(what_is_not_read_is_not_judged))
