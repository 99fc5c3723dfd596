/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/scheduler.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "scheduler/carry_out.h"
#include "scheduler/clock.h"
#include "scheduler/decide.h"
#include "scheduler/wish.h"
#include "tests/check.h"
#include "tests/unit/folder.h"
#include "tests/unit/full_disk.h"
#include "tests/unit/run_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG SECONDS(60)

enum { SLOTS = 4 };

/* A scheduler of a queue in a folder of its own. */
static struct scheduler_config config;
static struct scheduler scheduler;
static FILE *journal;

static void on_change(void *user)
{
}

static bool make_folder(const char *policy)
{
	config = (struct scheduler_config){
		.policy = sched_policy_find(policy),
		.slots = SLOTS,
		.gap = SECONDS(1),
		.aging = MINUTES(60),
	};
	if (!folder_create("queue"))
		return false;
	config.lookup.state_root = folder;
	clock_begin();
	journal = fopen(below("journal"), "w");
	return journal && mkdir(below("jobs"), 0700) == 0;
}

/* A job that waits. */
static struct record some_record(uint64_t number)
{
	struct record record = {
		.number = number,
		.folder = "/",
		.priority = 10,
		.min = 1,
		.max = SLOTS,
		.length = 1000,
		.submitted = clock_wall() - 1000,
	};

	snprintf(record.name, sizeof(record.name), "job-%u", (unsigned)number);
	return record;
}

static bool write_down(const struct record *record)
{
	static char line[RECORD_LINE_MAX];
	size_t n = record_format(record, 1, line);

	return n > 0 && fwrite(line, 1, n, journal) == n;
}

static bool begin(void)
{
	scheduler = (struct scheduler){
		.config = &config,
		.policy = config.policy,
		.on_change = on_change,
	};
	snprintf(scheduler.dir.path, sizeof(scheduler.dir.path), "%s", folder);
	return fclose(journal) == 0 &&
	       loop_create(&scheduler.loop, NULL) == 0 &&
	       rpc_create(&scheduler.rpc, scheduler.loop, NULL) == 0 &&
	       scheduler_begin(&scheduler, NULL) == 0;
}

static void end(void)
{
	scheduler_end(&scheduler);
	rpc_destroy(scheduler.rpc);
	loop_destroy(scheduler.loop);
	folder_remove(folder);
}

/* ---- what waits for the disk ---- */

static struct waiter {
	struct book_entry entry;
	unsigned told;
	int last;
} waiters[2];

static void wait_again(struct book_entry *entry, int r, const struct error *err)
{
	struct waiter *waiter = CONTAINER(entry, struct waiter, entry);

	waiter->told++;
	waiter->last = r;
	if (r == -ECANCELED)
		return;
	book_await(&scheduler.book, entry);
	if (waiter == &waiters[1])
		loop_stop(scheduler.loop, 1);
}

static void all_that_wait_for_a_full_disk_are_told_once_each_time(void)
{
	struct record record;

	CHECK(make_folder("fifo") && begin());
	record = some_record(1);
	full_disk_begin(1);
	book_record(&scheduler.book, &record);
	for (int i = 0; i < 2; i++) {
		waiters[i] = (struct waiter){.entry.fn = wait_again};
		book_await(&scheduler.book, &waiters[i].entry);
	}
	CHECK(run_loop(scheduler.loop, LONG) == 1);
	CHECK(waiters[0].told == 1 && waiters[1].told == 1);
	CHECK(waiters[0].last < 0);
	full_disk_end();
	end();
	CHECK(waiters[0].told == 2 && waiters[0].last == -ECANCELED);
	CHECK(waiters[1].told == 2 && waiters[1].last == -ECANCELED);
}

static void programs_begin_once_it_is_on_the_disk_that_they_do(void)
{
	struct record record;
	struct queued *queued;

	CHECK(make_folder("fifo"));
	record = some_record(1);
	record.life.held = true;
	CHECK(write_down(&record) && begin());
	queued = wish_find(&scheduler, "1");
	queued->record.life.held = false;
	queued->record.life.grant = 2;
	carry_out(&scheduler);
	CHECK(queued->record.life.runs && queued->programs.pid == 0);
	CHECK(queued_slots(queued) == 2); /* nobody else gets them */
	queued->record.life.cancelled = true;
	carry_out(&scheduler);
	carry_out(&scheduler);
	CHECK(queued->record.life.over && queued->programs.pid == 0);
	end();
}

/* ---- after a restart ---- */

static void a_grant_that_was_taken_back_counts_until_its_job_answers(void)
{
	struct record record;

	CHECK(make_folder("fifo"));
	record = some_record(1);
	record.life.runs = true;
	record.told = 3;
	CHECK(write_down(&record) && begin());
	CHECK(queued_slots(wish_find(&scheduler, "1")) == 3);
	end();
}

static void stop_once_over(void *user)
{
	if (wish_find(&scheduler, "1")->record.life.over)
		loop_stop(scheduler.loop, 1);
}

static void a_job_that_was_finished_when_it_was_killed_is_done(void)
{
	struct record record;

	CHECK(make_folder("fifo"));
	record = some_record(1);
	record.life.runs = true;
	record.life.grant = 1;
	record.finished = true;
	CHECK(write_down(&record) && begin());
	scheduler.on_change = stop_once_over;
	CHECK(run_loop(scheduler.loop, LONG) == 1);
	CHECK(wish_find(&scheduler, "1")->record.life.end == QUEUE_DONE);
	end();
}

static void an_instant_that_is_to_come_is_not_believed(void)
{
	struct record record;

	CHECK(make_folder("fifo"));
	record = some_record(1);
	record.submitted = record.changed = clock_wall() + MINUTES(1000);
	CHECK(write_down(&record) && begin());
	CHECK(wish_find(&scheduler, "1")->record.submitted <= clock_wall());
	CHECK(wish_find(&scheduler, "1")->record.changed <= clock_wall());
	end();
}

static void a_job_that_has_too_few_slots_is_in_the_way_of_no_other(void)
{
	struct record wide, other;

	CHECK(make_folder("fifo"));
	wide = some_record(1);
	wide.min = wide.max = 2 * SLOTS;
	other = some_record(2);
	CHECK(write_down(&wide) && write_down(&other) && begin());
	CHECK(decide(&scheduler) == 0);
	CHECK(wish_find(&scheduler, "1")->record.life.grant == 0);
	CHECK(wish_find(&scheduler, "2")->record.life.grant == SLOTS);
	end();
}

static void stop(void *user)
{
	loop_stop(scheduler.loop, 1);
}

/* Programs of job 1 run as long as this is open. */
static int lock_programs(void)
{
	int fd;

	if (mkdir(below("jobs/1"), 0700) < 0)
		return -1;
	fd = open(below("jobs/1/lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return fd >= 0 && lock_take(fd) == 0 ? fd : -1;
}

/* A decision was made: the policy is asked at once. */
static bool run_until_asked(void)
{
	struct loop_timer timer = {0};

	loop_timer_clear(&scheduler.settle);
	loop_timer_set(scheduler.loop, &timer, 0, stop, NULL);
	return run_loop(scheduler.loop, LONG) == 1 &&
	       !loop_timer_is_set(&scheduler.ask[0]);
}

static void the_policy_is_asked_again_while_a_job_waits(void)
{
	struct record runs, waits;
	struct queued *queued;
	int lock;

	CHECK(make_folder("bellows"));
	runs = some_record(1);
	runs.life = (struct queue_job){.grant = SLOTS, .runs = true};
	runs.waited = MINUTES(1); /* longer than the other one has until now */
	waits = some_record(2);
	CHECK(write_down(&runs) && write_down(&waits));
	lock = lock_programs();
	CHECK(lock >= 0 && begin());
	queued = wish_find(&scheduler, "1");
	queued->view.size = SLOTS;
	CHECK(decide(&scheduler) == 0 && run_until_asked());
	CHECK(queued->record.life.grant == SLOTS);
	CHECK(loop_timer_is_set(&scheduler.ask[1]));
	end();
	close(lock);
}

/* A job computes on all slots but one.  On all of them a step was measured so
 * often, and took longer.  It is granted so much then. */
static void check_beside_a_free_slot(unsigned measures, unsigned grant)
{
	struct record runs;
	struct queued *queued;
	struct cost_steps *steps;
	int lock;

	CHECK(make_folder("bellows"));
	runs = some_record(1);
	runs.life = (struct queue_job){.grant = SLOTS - 1, .runs = true};
	CHECK(write_down(&runs));
	lock = lock_programs();
	CHECK(lock >= 0 && begin());
	queued = wish_find(&scheduler, "1");
	queued->view.size = SLOTS - 1;
	queued->view.total = 8000;
	steps = &queued->meter.steps;
	for (unsigned i = 0; i < 20; i++)
		cost_observe(steps, SLOTS - 1, 0.02);
	for (unsigned i = 0; i < measures; i++)
		cost_observe(steps, SLOTS, 0.03);
	scheduler.changed = true;
	CHECK(decide(&scheduler) == 0 && run_until_asked());
	CHECK(queued->record.life.grant == grant);
	CHECK(grant == SLOTS || loop_timer_is_set(&scheduler.ask[1]));
	end();
	close(lock);
}

static void a_size_that_was_measured_twice_does_not_count_yet(void)
{
	check_beside_a_free_slot(2, SLOTS);
}

static void the_policy_is_asked_again_while_slots_are_free(void)
{
	check_beside_a_free_slot(3, SLOTS - 1);
}

/* ---- wishes ---- */

static void a_job_that_is_held_gets_no_slots_at_the_same_instant(void)
{
	struct record record;
	struct queued *queued;
	struct error err;

	CHECK(make_folder("bellows"));
	record = some_record(1);
	CHECK(write_down(&record) && begin());
	queued = wish_find(&scheduler, "1");
	CHECK(decide(&scheduler) == 0);
	CHECK(wish_hold(queued, "", &err) == RPC_OK);
	CHECK(run_until_asked());
	CHECK(queued->record.life.grant == 0);
	end();
}

static void a_reason_is_cut_between_characters_and_made_safe(void)
{
	static char reason[2 * RECORD_WHY_MAX];
	struct record record;
	struct queued *queued;
	struct error err;
	const char *why;

	CHECK(make_folder("fifo"));
	record = some_record(1);
	CHECK(write_down(&record) && begin());
	queued = wish_find(&scheduler, "1");
	why = queued->record.why;
	strcpy(reason, "\033[31m");
	while (strlen(reason) + 3 < sizeof(reason))
		strcat(reason, "\303\244");
	CHECK(wish_hold(queued, reason, &err) == RPC_OK);
	CHECK(utf8_is_text(why, strlen(why)) && !strchr(why, '\033'));
	end();
}

static void a_release_of_a_job_that_nobody_holds_changes_nothing(void)
{
	struct record record;
	struct queued *queued;
	struct error err;

	CHECK(make_folder("fifo"));
	record = some_record(1);
	CHECK(write_down(&record) && begin());
	queued = wish_find(&scheduler, "1");
	CHECK(wish_release(queued, &err) == RPC_OK);
	CHECK_TEXT(queued->record.why, "");
	end();
}

/* ---- what is forgotten ---- */

static void stop_once_settled(void *user)
{
	loop_stop(scheduler.loop, 1);
}

static void the_jobs_that_ended_first_are_forgotten(void)
{
	struct record record;

	CHECK(make_folder("fifo"));
	scheduler.on_change = on_change;
	for (uint64_t i = 1; i <= OVER_MAX + 2; i++) {
		record = some_record(i);
		record.life.over = true;
		record.life.end = QUEUE_DONE;
		/* the first one took longest */
		record.ended = i == 1 ? 5000 : (msec_t)(1000 + i);
		CHECK(write_down(&record));
	}
	CHECK(begin());
	scheduler.on_change = stop_once_settled;
	CHECK(run_loop(scheduler.loop, LONG) == 1);
	CHECK(scheduler.n == OVER_MAX);
	CHECK(wish_find(&scheduler, "1") && !wish_find(&scheduler, "2"));
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(all_that_wait_for_a_full_disk_are_told_once_each_time),
		TEST(programs_begin_once_it_is_on_the_disk_that_they_do),
		TEST(a_grant_that_was_taken_back_counts_until_its_job_answers),
		TEST(a_job_that_was_finished_when_it_was_killed_is_done),
		TEST(an_instant_that_is_to_come_is_not_believed),
		TEST(a_job_that_has_too_few_slots_is_in_the_way_of_no_other),
		TEST(the_policy_is_asked_again_while_a_job_waits),
		TEST(a_size_that_was_measured_twice_does_not_count_yet),
		TEST(the_policy_is_asked_again_while_slots_are_free),
		TEST(a_job_that_is_held_gets_no_slots_at_the_same_instant),
		TEST(a_reason_is_cut_between_characters_and_made_safe),
		TEST(a_release_of_a_job_that_nobody_holds_changes_nothing),
		TEST(the_jobs_that_ended_first_are_forgotten),
	};

	log_init("scheduler", LOG_ERROR);
	return run_tests(tests, LENGTH(tests));
}
