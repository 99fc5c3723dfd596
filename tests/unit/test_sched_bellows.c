/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/sched_bed.h"

/* A step takes 8 s on one rank, and half of it on two; a rescale 1 s. */
static struct cost_curve ideal;

static void set_up(void)
{
	struct cost_steps steps = {.n = 0};

	cost_observe(&steps, 1, 8);
	cost_observe(&steps, 2, 4);
	cost_observe(&steps, 4, 2);
	ideal = cost_fit(&steps);
	begin("bellows");
}

static struct sched_job *job(unsigned i, int priority, unsigned min,
			     unsigned max, double steps)
{
	struct sched_job *at = add(i, priority, min, max);

	at->submitted = view.now - (usec_t)(i + 1) * S;
	at->pace = (struct sched_pace){
		.curve = &ideal, .price = {.seconds = 1}, .left = steps};
	return at;
}

/* Since so many seconds. */
static void computes(struct sched_job *at, unsigned size, int since)
{
	runs(at, size, view.now - since * S, 0);
	at->pace.seconds = 8.0 / size;
	at->pace.at = view.now - since * S;
	at->pace.left += since / at->pace.seconds;
}

static const char *decided(void)
{
	return decide(SCHED_RECHECK, NULL);
}

static void all_that_happens_at_one_instant_is_one_decision(void)
{
	set_up();
	CHECK_TEXT(decide(SCHED_SUBMITTED, job(0, 1, 2, 9, 100)),
		   "ask at 1000");
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "ask at 1000");
	CHECK_TEXT(decided(), "start 0 on 9");
	CHECK(view.free == 10);
}

static void free_slots_go_to_the_job_that_is_soon_over(void)
{
	set_up();
	waits(job(0, 1, 2, 12, 1000));
	waits(job(1, 1, 2, 12, 100));
	CHECK_TEXT(decided(), "start 0 on 6, start 1 on 12");
	set_up();
	waits(job(0, 11, 2, 12, 1000));
	waits(job(1, 1, 2, 12, 100));
	CHECK_TEXT(decided(), "start 0 on 12, start 1 on 6");
}

static void the_job_with_the_least_work_by_priority_starts_first(void)
{
	set_up();
	waits(job(0, 1, 15, 15, 900));
	waits(job(1, 1, 15, 15, 1000));
	CHECK_TEXT(decided(), "start 0 on 15");
	set_up();
	waits(job(0, 1, 15, 15, 900));
	waits(job(1, 2, 15, 15, 1000));
	CHECK_TEXT(decided(), "start 1 on 15");
}

static void a_job_shrinks_for_one_that_is_as_important(void)
{
	set_up();
	computes(job(0, 3, 2, 18, 1000), 18, 500);
	waits(job(1, 3, 2, 18, 100000));
	CHECK_TEXT(decided(), "resize 0 to 16 for 1, start 1 on 2");
	set_up();
	computes(job(0, 3, 2, 18, 1000), 18, 500);
	waits(job(1, 2, 2, 18, 100000));
	CHECK_TEXT(decided(), "");
}

static void waiting_makes_a_job_more_important(void)
{
	set_up();
	view.now = 100000 * S;
	computes(job(0, 3, 2, 18, 1000), 18, 500);
	waits(job(1, 1, 2, 18, 100000));
	jobs[1].submitted = view.now - 7100 * S;
	CHECK_TEXT(decided(), "resize 0 to 16 for 1, start 1 on 2");
	set_up();
	view.now = 100000 * S;
	computes(job(0, 3, 2, 18, 1000), 18, 500);
	waits(job(1, 1, 2, 18, 100000));
	jobs[1].submitted = view.now - 3700 * S;
	CHECK_TEXT(decided(), "");
}

static void the_job_that_loses_least_shrinks_first(void)
{
	set_up();
	computes(job(0, 1, 2, 9, 1000), 9, 500);
	computes(job(1, 1, 2, 8, 4000), 8, 500);
	waits(job(2, 1, 4, 4, 100000));
	CHECK_TEXT(decided(), "resize 1 to 4 for 2, start 2 on 4");
}

static void a_job_that_starts_takes_what_it_is_worth(void)
{
	set_up();
	computes(job(0, 1, 2, 18, 10000), 18, 500);
	waits(job(1, 1, 2, 10, 100));
	CHECK_TEXT(decided(), "resize 0 to 8 for 1, start 1 on 10");
}

static void the_gap_is_kept_and_waited_for(void)
{
	set_up();
	computes(job(0, 1, 2, 18, 1000), 18, 100);
	waits(job(1, 1, 2, 18, 100000));
	CHECK_TEXT(decided(), "ask at 1080");
	view.gap = 0;
	CHECK_TEXT(decided(), "resize 0 to 16 for 1, start 1 on 2");
}

static void a_job_computes_for_ten_rescales_and_ends_in_peace(void)
{
	set_up();
	view.gap = 0;
	computes(job(0, 1, 2, 18, 1000), 18, 4);
	waits(job(1, 1, 2, 18, 100000));
	CHECK_TEXT(decided(), "ask at 1006");
	set_up();
	view.gap = 0;
	computes(job(0, 1, 2, 18, 20), 18, 500); /* 8.9 s */
	waits(job(1, 1, 2, 18, 100000));
	CHECK_TEXT(decided(), "");
}

static void a_job_grows_only_if_that_pays(void)
{
	set_up();
	computes(job(0, 1, 2, 12, 100), 11, 500); /* 73 s, or 67 s */
	CHECK_TEXT(decided(), "resize 0 to 12");
	set_up();
	computes(job(0, 1, 2, 12, 100), 11, 500);
	jobs[0].pace.price.seconds = 7;
	CHECK_TEXT(decided(), "");
}

/* Job 0 takes 800 s more on its 10 ranks. */
static const char *wants(int priority, double steps)
{
	set_up();
	computes(job(0, 1, 10, 10, 1000), 10, 500);
	waits(job(1, priority, 15, 15, steps));
	return decided();
}

static void a_job_of_lower_priority_is_parked_if_that_pays(void)
{
	CHECK_TEXT(wants(5, 1000), "park 0 for 1, start 1 on 15");
	CHECK(view.free == 4 && jobs[0].target == 0 && jobs[0].size == 10);
	/* it would take 4267 s */
	CHECK_TEXT(wants(5, 8000), "");
	CHECK_TEXT(wants(1, 100), "");
	CHECK(jobs[0].target == 10);
}

static void a_job_behind_the_first_starts_if_it_is_not_in_the_way(void)
{
	/* the first can start in 400 s, when 4 slots would be left */
	set_up();
	computes(job(0, 5, 10, 10, 500), 10, 500);
	waits(job(1, 1, 15, 15, 100));
	waits(job(2, 1, 6, 6, 290));
	CHECK_TEXT(decided(), "start 2 on 6");
	set_up();
	computes(job(0, 5, 10, 10, 500), 10, 500);
	waits(job(1, 1, 15, 15, 100));
	waits(job(2, 1, 6, 6, 310));
	CHECK_TEXT(decided(), "");
	jobs[2].min = jobs[2].max = 3;
	CHECK_TEXT(decided(), "start 2 on 3");
}

static void slots_that_the_first_will_need_are_not_for_growing(void)
{
	set_up();
	computes(job(0, 5, 10, 10, 500), 10, 500);
	computes(job(1, 5, 2, 8, 5000), 2, 500);
	waits(job(2, 1, 12, 12, 100));
	/* 6 are free; 7 - 4 of those are not needed when job 0 has ended */
	CHECK_TEXT(decided(), "resize 1 to 6");
}

static void fill_in_jobs_have_what_is_left_and_leave_at_once(void)
{
	set_up();
	waits(job(0, 1, 0, 50, 1000));
	waits(job(1, 1, 2, 6, 1000));
	CHECK_TEXT(decided(), "start 0 on 12, start 1 on 6");
	set_up();
	computes(job(0, 9, 0, 50, 1000), 19, 1);
	waits(job(1, 1, 2, 6, 1000));
	CHECK_TEXT(decided(), "resize 0 to 12, start 1 on 6");
	set_up();
	computes(job(0, 9, 0, 50, 1000), 19, 1);
	waits(job(1, 1, 2, 19, 1000));
	CHECK_TEXT(decided(), "park 0, start 1 on 19");
}

static void only_sizes_that_the_application_accepts_are_given(void)
{
	static const unsigned sizes[] = {2, 4, 8, 16};

	set_up();
	waits(job(0, 1, 2, 16, 1000));
	jobs[0].sizes = sizes;
	jobs[0].n_sizes = LENGTH(sizes);
	CHECK_TEXT(decided(), "start 0 on 16");
	set_up();
	computes(job(0, 1, 2, 16, 1000), 16, 500);
	waits(job(1, 1, 4, 4, 100000));
	jobs[0].sizes = sizes;
	jobs[0].n_sizes = LENGTH(sizes);
	CHECK_TEXT(decided(), "resize 0 to 8 for 1, start 1 on 4");
}

static const char *is_first(int priority)
{
	static const struct sched_user users[] = {{0.5, 0.9}, {0.5, 0.1}};

	set_up();
	view.users = users;
	waits(job(0, priority, 15, 15, 1000));
	waits(job(1, 1, 15, 15, 1000));
	jobs[1].user = 1;
	return decided();
}

static void jobs_of_a_user_who_had_much_of_late_come_later(void)
{
	CHECK_TEXT(is_first(2), "start 1 on 15");
	CHECK_TEXT(is_first(3), "start 0 on 15");
}

static void without_a_measurement_the_expected_length_counts(void)
{
	set_up();
	waits(job(0, 1, 15, 15, 0));
	waits(job(1, 1, 15, 15, 0));
	jobs[0].pace = jobs[1].pace = (struct sched_pace){.curve = NULL};
	jobs[0].length = 900 * S;
	jobs[1].length = 800 * S;
	CHECK_TEXT(decided(), "start 1 on 15");
}

RUN_TESTS(TEST(all_that_happens_at_one_instant_is_one_decision),
	  TEST(free_slots_go_to_the_job_that_is_soon_over),
	  TEST(the_job_with_the_least_work_by_priority_starts_first),
	  TEST(a_job_shrinks_for_one_that_is_as_important),
	  TEST(waiting_makes_a_job_more_important),
	  TEST(the_job_that_loses_least_shrinks_first),
	  TEST(a_job_that_starts_takes_what_it_is_worth),
	  TEST(the_gap_is_kept_and_waited_for),
	  TEST(a_job_computes_for_ten_rescales_and_ends_in_peace),
	  TEST(a_job_grows_only_if_that_pays),
	  TEST(a_job_of_lower_priority_is_parked_if_that_pays),
	  TEST(a_job_behind_the_first_starts_if_it_is_not_in_the_way),
	  TEST(slots_that_the_first_will_need_are_not_for_growing),
	  TEST(fill_in_jobs_have_what_is_left_and_leave_at_once),
	  TEST(only_sizes_that_the_application_accepts_are_given),
	  TEST(jobs_of_a_user_who_had_much_of_late_come_later),
	  TEST(without_a_measurement_the_expected_length_counts))
