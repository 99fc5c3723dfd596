/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "coordinator/members/internal.h"
#include "core/layout.h"
#include "tests/unit/desk_crew.h"

static const char job[] = "name: heat\napp: parint\n"
			  "command: [parint, --array-size, 64]\n"
			  "ranks: {initial: 3, max: 4}\n"
			  "checkpoint: {dir: ck}\n";

/* Its ranks have saved, and the start of two on w0 and w1 is prepared. */
static void begin(struct desk *at)
{
	starts(at, 3);
	scale(2);
	for (unsigned i = 0; i < 2; i++)
		arrives((int)i, 2, i);
	judges("w0", 10, 1);
}

/* Once the lease of the former one is over. */
static void come_back_anew(int number, const char *name)
{
	struct members *members = desk->c->driver->members;

	desk_hang_up(streams[number]);
	streams[number] = NULL;
	members_ledger(members)->members[number].heard -= SECONDS(3);
	CHECK(join(name, 99, "")->code == RPC_OK);
}

/* The last that was waited for, and the next start's too. */
static void last_one(struct desk *at, void *user)
{
	const struct layout *layout;

	begin(at);
	CHECK(at->c->driver->job.state == JOB_STOPPING);
	is_gone(0, 1);
	is_gone(2, 1);
	come_back_anew(1, "w1");
	CHECK(at->c->driver->job.state == JOB_STARTING);
	CHECK(at->c->driver->job.epoch == 3 && at->runs == 3);
	layout = launch_layout(launches_now(at->c->driver->launches));
	CHECK(layout->ranks == 2);
	CHECK(layout_ranks(layout, 0) == 1 && layout_ranks(layout, 2) == 1);
}

static void a_start_that_lost_an_executor_is_not_gone_on_with(void)
{
	CHECK(desk_run(job, last_one, NULL));
}

static void has_disk_trouble(int number, const char *trouble)
{
	Bellows__V1__Disk disk = BELLOWS__V1__DISK__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	disk.trouble = (char *)trouble;
	r.what_case = BELLOWS__V1__REPORT__WHAT_DISK;
	r.disk = &disk;
	report(number, &r);
}

static void asks_for_release(int number)
{
	Bellows__V1__Heartbeat heartbeat = BELLOWS__V1__HEARTBEAT__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	heartbeat.ranks = 1;
	heartbeat.leaving = true;
	heartbeat.grace = MINUTES(1);
	r.what_case = BELLOWS__V1__REPORT__WHAT_HEARTBEAT;
	r.heartbeat = &heartbeat;
	report(number, &r);
}

static void ill_one(struct desk *at, void *user)
{
	const struct job *now = &at->c->driver->job;

	starts(at, 3);
	prints("w0", 10, 1, 0);
	CHECK(now->state == JOB_RUNNING);
	has_disk_trouble(2, "temporary directory: No such file or directory");
	asks_for_release(2);
	CHECK(now->state == JOB_PREPARING && now->target == 2);
	CHECK(launch_has_epoch(launches_next(at->c->driver->launches), 2));
}

static void
the_disk_of_one_that_leaves_is_not_in_the_way_of_the_next_start(void)
{
	CHECK(desk_run(job, ill_one, NULL));
}

/* ---- the former mpiexec ---- */

/* The last order to w0 is to open the gates of that start. */
static bool is_opened(unsigned epoch)
{
	const struct desk_answer *answer = desk_answer(streams[0]);
	Bellows__V1__Order *order =
		bellows__v1__order__unpack(NULL, answer->size, answer->last);
	bool is = order && order->what_case == BELLOWS__V1__ORDER__WHAT_OPEN &&
		  order->open->epoch == epoch;

	bellows__v1__order__free_unpacked(order, NULL);
	return is;
}

/* The gates of start 2 are reached, the ranks of start 1 have saved, and w2,
 * which is not in start 2, is lost with the last of them. */
static void lose_the_last_rank(struct desk *at)
{
	at->dies_late = true;
	begin(at);
	is_gone(0, 1);
	is_gone(1, 1);
	CHECK(desk_dying() == 0 && !is_opened(2));
	members_part(at->c->driver->members, 2, "it was killed");
	driver_settle(at->c->driver);
}

static void still_dying(struct desk *at, void *user)
{
	const struct job *now = &at->c->driver->job;

	lose_the_last_rank(at);
	CHECK(now->state == JOB_STOPPING && desk_dying() == 1);
	CHECK(!is_opened(2));
	CHECK(desk_reap());
	driver_settle(at->c->driver);
	CHECK(now->state == JOB_STARTING && is_opened(2));
	CHECK(at->runs == 2 && !at->c->driver->app_ended);
}

static void the_next_gates_open_only_when_the_former_mpiexec_has_ended(void)
{
	CHECK(desk_run(job, still_dying, NULL));
}

static void its_ranks_are_waited_for(struct desk *at, void *user)
{
	at->dies_late = true;
	starts(at, 3);
	members_part(at->c->driver->members, 2, "it was killed");
	driver_settle(at->c->driver);
	CHECK(at->c->driver->job.state == JOB_STOPPING && desk_dying() == 0);
	is_gone(0, 1);
	CHECK(desk_dying() == 0);
	is_gone(1, 1);
	CHECK(desk_dying() == 1);
}

static void mpiexec_is_killed_when_no_rank_is_left_that_is_heard_of(void)
{
	CHECK(desk_run(job, its_ranks_are_waited_for, NULL));
}

static void all_are_lost(struct desk *at, void *user)
{
	const struct job *now = &at->c->driver->job;

	at->dies_late = true;
	starts(at, 3);
	prints("w0", 10, 1, 0);
	for (int i = 2; i >= 0; i--)
		members_part(at->c->driver->members, i, "it was killed");
	driver_settle(at->c->driver);
	CHECK(now->state == JOB_STOPPING && now->stepped);
	CHECK(now->retries_left == now->patience.retries - 1);
	CHECK(desk_reap());
	driver_settle(at->c->driver);
	CHECK(now->state == JOB_WAITING);
	CHECK(now->retries_left == now->patience.retries - 1);
	CHECK(!at->c->driver->app_ended); /* not by itself */
}

static void an_mpiexec_that_was_killed_says_nothing_of_the_application(void)
{
	CHECK(desk_run(job, all_are_lost, NULL));
}

static void never_ends(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;

	lose_the_last_rank(at);
	CHECK(loop_timer_is_set(&driver->deadline));
	driver->deadline.fn(driver->deadline.user);
	driver_settle(driver);
	CHECK(driver->job.state == JOB_FAILED && !is_opened(2));
	CHECK(driver->exit_code == EXIT_UNREACHABLE);
	CHECK_TEXT(driver_reason(driver),
		   "the ranks did not end within 30 s: mpiexec was killed and "
		   "has not ended");
}

/* Half a minute has passed since the coordinator looked at its executors. */
static void was_stopped(struct desk *at, void *user)
{
	struct driver *driver = at->c->driver;
	struct members *members = driver->members;
	msec_t due;

	lose_the_last_rank(at);
	due = driver->deadline.at;
	CHECK(due > 0 && driver->job.deadline == due);
	members->next_look -= SECONDS(30);
	loop_timer_clear(&members->look);
	members->look.fn(members->look.user);
	CHECK(driver->deadline.at >= due + SECONDS(29));
	CHECK(driver->job.deadline >= due + SECONDS(29));
	CHECK(driver->job.state == JOB_STOPPING);
}

static void a_coordinator_that_was_stopped_reads_before_it_gives_up(void)
{
	CHECK(desk_run(job, was_stopped, NULL));
}

static void a_job_whose_mpiexec_cannot_be_ended_fails(void)
{
	CHECK(desk_run(job, never_ends, NULL));
}

RUN_TESTS(TEST(a_start_that_lost_an_executor_is_not_gone_on_with),
	  TEST(the_next_gates_open_only_when_the_former_mpiexec_has_ended),
	  TEST(mpiexec_is_killed_when_no_rank_is_left_that_is_heard_of),
	  TEST(an_mpiexec_that_was_killed_says_nothing_of_the_application),
	  TEST(a_coordinator_that_was_stopped_reads_before_it_gives_up),
	  TEST(a_job_whose_mpiexec_cannot_be_ended_fails),
	  TEST(the_disk_of_one_that_leaves_is_not_in_the_way_of_the_next_start))
